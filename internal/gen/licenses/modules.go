package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// systems are those for which there are releases: some modules are for one of them.
var systems = []string{"linux", "darwin", "windows"}

// own is the module of this repository.
const own = "github.com/playctl/playctl"

// modules returns the modules that the binary contains on any system, and the standard
// library.
func modules(root string) ([]part, error) {
	listed := map[string]string{} // folders, by module and version
	for _, system := range systems {
		text, err := list(root, system, "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}", "./cmd/playctl")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			name, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if name != "" && !strings.HasPrefix(name, own) {
				listed[name] = folder
			}
		}
	}
	goRoot, err := list(root, systems[0], "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	library, err := terms(strings.TrimSpace(goRoot))
	if err != nil {
		return nil, err
	}
	parts := []part{{"the standard library of Go", library}}
	for name, folder := range listed {
		text, err := terms(folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		parts = append(parts, part{name, text})
	}
	return parts, nil
}

// list runs the go command for a system.
func list(root, system string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "go", args...) //nolint:gosec // G204: the arguments are this program's
	cmd.Dir, cmd.Env = root, slices.Concat(os.Environ(), []string{"GOOS=" + system, "CGO_ENABLED=0", "GOFLAGS="})
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s in %s: %w: %s", args[0], filepath.Base(root), err, failed.String())
	}
	return string(out), nil
}
