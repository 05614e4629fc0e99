// Package gen contains what the generators of committed files share.
package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Output is what a generator generates.
type Output struct {
	// Files are the contents of the files, by their slash-separated paths under the root of
	// the module.
	Files map[string][]byte
	// Folders contain only generated files; every other file in them is out of date.
	Folders []string
}

// Run generates files and writes those that are out of date.
func Run(generate func(root string) (*Output, error)) error {
	root, err := Root()
	if err != nil {
		return err
	}
	output, err := generate(root)
	if err != nil {
		return err
	}
	outdated, err := output.Outdated(root)
	if err != nil {
		return err
	}
	for _, name := range outdated {
		if err := output.update(root, name); err != nil {
			return fmt.Errorf("update %s: %w", name, err)
		}
	}
	return nil
}

// Root returns the folder of the module that contains the working folder.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("%s is not in a Go module: run the generator in a checkout of this repository", start)
		}
	}
}

// Outdated returns the paths of the files whose content under root differs from the
// output, including those that are missing and those to be removed, in order.
func (o *Output) Outdated(root string) ([]string, error) {
	var outdated []string
	for name, want := range o.Files {
		got, err := os.ReadFile(filepath.Join(root, name)) //nolint:gosec // G304: a file of this repository
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read a generated file: %w", err)
		}
		if err != nil || !bytes.Equal(got, want) {
			outdated = append(outdated, name)
		}
	}
	for _, folder := range o.Folders {
		entries, err := os.ReadDir(filepath.Join(root, folder))
		if err != nil {
			return nil, fmt.Errorf("list generated files: %w", err)
		}
		for _, entry := range entries {
			if name := folder + "/" + entry.Name(); o.Files[name] == nil {
				outdated = append(outdated, name)
			}
		}
	}
	slices.Sort(outdated)
	return outdated, nil
}

// update writes or removes a file.
func (o *Output) update(root, name string) error {
	if text, ok := o.Files[name]; ok {
		return os.WriteFile(filepath.Join(root, name), text, 0o600)
	}
	return os.Remove(filepath.Join(root, name))
}
