package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/gen"
)

// The licenses are those of the modules and packages that the binary has now, and what is
// released contains them.
func TestLicensesAreCurrent(t *testing.T) {
	t.Parallel()
	root, err := gen.Root()
	if err != nil {
		t.Fatal(err)
	}
	output, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	outdated, err := output.Outdated(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range outdated {
		t.Errorf("%s is out of date: run go generate ./cmd/playctl", name)
	}
	for _, released := range []string{".goreleaser.yaml", "deploy/Dockerfile", "deploy/Dockerfile.dockerignore"} {
		text, err := os.ReadFile(filepath.Join(root, released))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), licensesFile) {
			t.Errorf("%s does not mention %s", released, licensesFile)
		}
	}
	text := string(output.Files[licensesFile])
	for _, want := range []string{"go.etcd.io/bbolt v", "github.com/inconshreveable/mousetrap v", "preact ", "@noble/hashes ", "the standard library of Go", "Permission is hereby granted"} {
		if !strings.Contains(text, want) {
			t.Errorf("the licenses lack %q", want)
		}
	}
}

// The page does not contain the package that the list leaves out.
func TestPageLacksUnusedPackage(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("../../../web/watch/dist/assets/*.js")
	if err != nil || len(scripts) < 5 {
		t.Fatalf("there are %d scripts, %v", len(scripts), err)
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), unusedText) {
			t.Errorf("%s contains %s: list its license", script, unused)
		}
	}
}

// Without an installation of the page's packages, their terms come from the present file.
func TestPackagesWithoutInstallation(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	present := preamble + rule + "a 1.0.0\npreact 2.0.0\n\nSome terms.\n\nMore of them.\n" + rule + "z 1\n\nOthers.\n"
	if err := os.WriteFile(filepath.Join(root, licensesFile), []byte(present), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := termsOfPackage(root, filepath.Join(root, "none"), "preact 2.0.0")
	if err != nil || got != "Some terms.\n\nMore of them." {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := termsOfPackage(root, filepath.Join(root, "none"), "preact 3.0.0"); err == nil {
		t.Error("the terms of another version were used")
	}
}
