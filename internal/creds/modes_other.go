//go:build !linux

package creds

import "io/fs"

func isReadOnly(string) bool { return false }

func lacksModes(string, fs.FileMode) bool { return false }
