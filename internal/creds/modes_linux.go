package creds

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// wslMagic is the type of Windows drives in the first version of WSL.
const wslMagic = 0x53464846

// isReadOnly reports whether a file is on a read-only mount.
func isReadOnly(path string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(path, &stat) == nil && stat.Flags&unix.ST_RDONLY != 0
}

// lacksModes reports whether the file system of a file shows one mode for all its files.
// Some of these systems may also keep modes: they show 0777 if they do not.
func lacksModes(path string, mode fs.FileMode) bool {
	var stat unix.Statfs_t
	if unix.Statfs(path, &stat) != nil {
		return false
	}
	switch uint32(stat.Type) {
	case unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC, wslMagic:
		return true
	case unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, ntfsMagic, ntfs3Magic:
		return mode == fs.ModePerm
	}
	return false
}

// These are the types of the two drivers for NTFS.
const (
	ntfsMagic  = 0x5346544e
	ntfs3Magic = 0x7366746e
)
