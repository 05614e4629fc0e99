package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unused is a dependency of the client that the build of the page leaves out, with a text
// that the page would have otherwise: the page has no tools whose arguments it checks.
const unused, unusedText = "@cfworker/json-schema", "instanceLocation"

// packages returns the packages that the watch page contains. Without an installation of
// them it takes their terms from the present file, if that has the same versions.
func packages(root string) ([]part, error) {
	var page struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	var lock struct {
		Packages map[string]struct {
			Version      string            `json:"version"`
			Dependencies map[string]string `json:"dependencies"`
		} `json:"packages"`
	}
	web := filepath.Join(root, "web")
	if err := readJSON(filepath.Join(web, "watch", "package.json"), &page); err != nil {
		return nil, err
	}
	if err := readJSON(filepath.Join(web, "package-lock.json"), &lock); err != nil {
		return nil, err
	}
	var parts []part
	seen := map[string]bool{unused: true}
	var add func(needed map[string]string) error
	add = func(needed map[string]string) error {
		for name := range needed {
			if seen[name] {
				continue
			}
			seen[name] = true
			if folder, ours := strings.CutPrefix(name, "@playctl/"); ours {
				if err := add(lock.Packages[folder].Dependencies); err != nil {
					return err
				}
				continue
			}
			locked := lock.Packages["node_modules/"+name]
			p := part{name: name + " " + locked.Version}
			var err error
			if p.text, err = termsOfPackage(root, filepath.Join(web, "node_modules", name), p.name); err != nil {
				return err
			}
			parts = append(parts, p)
			if err := add(locked.Dependencies); err != nil {
				return err
			}
		}
		return nil
	}
	err := add(page.Dependencies)
	return parts, err
}

// termsOfPackage returns the terms of a package in its folder, else in the present file.
func termsOfPackage(root, folder, name string) (string, error) {
	if !isMissing(folder) {
		return terms(folder)
	}
	present, err := os.ReadFile(filepath.Join(root, licensesFile)) //nolint:gosec // G304: a file of this repository
	if err != nil {
		return "", fmt.Errorf("read the present licenses: %w", err)
	}
	for text := range strings.SplitSeq(string(present), rule) {
		names, terms, _ := strings.Cut(text, "\n\n")
		if slices.Contains(strings.Split(names, "\n"), name) {
			return strings.TrimSuffix(terms, "\n"), nil
		}
	}
	return "", fmt.Errorf("the license of %s is not known: run npm ci in web first", name)
}

func readJSON(file string, into any) error {
	text, err := os.ReadFile(file) //nolint:gosec // G304: a file of this repository
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(file), err)
	}
	return nil
}
