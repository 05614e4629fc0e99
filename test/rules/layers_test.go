package rules

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// layers lists for each folder the folders of this module that its shipped code may
// import. Imports point downwards only: a folder may import only folders above it
// in this list. A trailing slash means all folders below.
var layers = []struct {
	folder string
	may    []string
}{
	{"protocol", nil},
	{"chain", []string{"protocol"}},
	// The built watch page.
	{"web/watch", nil},
	{"internal/durable", nil},
	{"internal/pause", nil},
	{"internal/retry", []string{"internal/pause"}},
	{"internal/suggest", nil},
	{"internal/fieldorder", nil},
	{"internal/creds", []string{"protocol", "internal/durable"}},
	{"internal/store", []string{"protocol", "chain"}},
	// Backends, the contract they pass, and code that works on any of them.
	{"internal/store/", []string{"protocol", "chain", "internal/durable", "internal/pause", "internal/store"}},
	{"internal/store/backend", []string{"internal/store", "internal/store/bolt", "internal/store/redis"}},
	{"internal/store/replay", []string{"protocol", "chain", "internal/store"}},
	{"internal/store/verify", []string{"protocol", "chain", "internal/store", "internal/store/replay"}},
	{"internal/store/backup", []string{"protocol", "chain", "internal/store", "internal/store/replay", "internal/store/verify"}},
	{"internal/world", []string{
		"protocol", "chain", "internal/pause", "internal/retry", "internal/store", "internal/store/replay",
	}},
	// It follows a world and posts its events to another service.
	{"internal/bridge", []string{"protocol", "internal/pause", "internal/retry", "internal/store", "internal/world"}},
	{"internal/client", []string{"protocol", "chain", "internal/creds", "internal/pause", "internal/retry"}},
	{"internal/aql", []string{"protocol", "internal/suggest"}},
	{"internal/otel", []string{"protocol"}},
	{"internal/host/openapi", nil},
	{"internal/host", []string{
		"protocol", "chain", "internal/creds", "internal/retry", "internal/store", "internal/store/", "internal/world",
		"internal/host/openapi", "web/watch",
	}},
	{"sdk", []string{"protocol", "chain", "internal/creds", "internal/client", "internal/retry", "internal/pause", "internal/fieldorder"}},
	{"sdk/playworld", []string{
		"protocol", "chain", "internal/creds", "internal/store", "internal/store/", "internal/world", "internal/bridge", "internal/host", "sdk",
	}},
	{"internal/render", []string{"protocol", "chain", "sdk"}},
	// The commands: their common base, and packages that do not import each other.
	{"internal/command", []string{"protocol", "chain", "internal/retry", "internal/suggest", "internal/creds", "internal/client", "internal/render", "sdk"}},
	{"internal/command/place", []string{
		"protocol", "internal/command", "internal/creds", "internal/store", "internal/store/",
	}},
	{"internal/command/", []string{
		"protocol", "chain", "internal/pause", "internal/retry", "internal/suggest", "internal/creds", "internal/client", "internal/render", "sdk",
		"internal/command",
	}},
	{"internal/command/agent", []string{
		"protocol", "chain", "internal/pause", "internal/retry", "internal/suggest", "internal/fieldorder", "internal/creds", "internal/client",
		"internal/render", "sdk", "internal/command",
	}},
	{"internal/command/about", []string{"internal/render", "internal/command", "internal/store", "internal/store/backend"}},
	{"internal/command/aql", []string{"protocol", "internal/aql", "internal/creds", "internal/client", "internal/render", "internal/command"}},
	{"internal/command/otel", []string{"protocol", "internal/otel", "internal/render", "sdk", "internal/command"}},
	{"internal/command/stream", []string{
		"protocol", "chain", "internal/pause", "internal/retry", "internal/suggest", "internal/fieldorder", "internal/client", "internal/render", "sdk", "internal/command", "internal/host",
	}},
	{"internal/command/host", []string{
		"protocol", "internal/pause", "internal/retry", "internal/creds", "internal/store", "internal/store/", "internal/world", "internal/bridge",
		"internal/host", "internal/render", "sdk", "internal/command", "internal/command/place",
	}},
	{"internal/command/store", []string{
		"protocol", "internal/durable", "internal/store", "internal/store/", "internal/world", "internal/render", "internal/command", "internal/command/place",
	}},
	{"internal/command/tree", []string{"internal/command", "internal/command/"}},
	{"cmd/", []string{"internal/command", "internal/command/tree"}},
	// Example programs for users: they import what every program can.
	{"examples", nil},
	{"examples/", []string{"protocol", "sdk"}},
	{"bench", []string{"protocol", "chain", "internal/", "sdk", "sdk/", "cmd/"}},
	{"bench/", []string{"protocol", "chain", "internal/", "sdk", "sdk/", "cmd/"}},
	// Used by the tests of the TypeScript client.
	{"web/sdk/test/answers", []string{"chain", "internal/client", "protocol"}},
	// Only tests use these; no shipped code imports them.
	{"test/", []string{"protocol", "chain", "internal/", "sdk", "sdk/", "test/"}},
	{"deploy", []string{"internal/store/redis", "test/redistest"}},
	// Generators write committed files from the code; no shipped code imports them.
	{"internal/gen", nil},
	{"internal/gen/", []string{"protocol", "chain", "internal/", "sdk", "sdk/", "cmd/"}},
}

func layerRules() []rule {
	return []rule{
		{
			name:  "imports point downwards",
			check: importsPointDownwards,
			broken: fstest.MapFS{
				"chain/tree.go": {Data: []byte("package chain\nimport _ \"" + module + "internal/world\"\n")},
			},
			want: "chain/tree.go imports internal/world",
		},
		{
			name:  "every package has a layer",
			check: packagesHaveLayers,
			broken: fstest.MapFS{
				"internal/novel/novel.go": {Data: []byte("package novel\n")},
			},
			want: "internal/novel has no layer",
		},
	}
}

// importsPointDownwards checks the imports of all shipped code. Tests may import
// upward: a store's contract is tested with the engine that uses it.
func importsPointDownwards(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var violations []string
	eachFile(t, tree, func(name string) {
		if !isGo(name) || isTest(name) {
			return
		}
		may, _ := layerOf(path.Dir(name))
		for _, imported := range ownImports(t, name, read(t, tree, name)) {
			if !slices.ContainsFunc(may, func(allowed string) bool { return covers(allowed, imported) }) {
				violations = append(violations, fmt.Sprintf(
					"%s imports %s, which its layer must not import: see the list in test/rules/layers_test.go", name, imported))
			}
		}
	})
	return violations
}

func packagesHaveLayers(t *testing.T, tree fs.FS) []string {
	t.Helper()
	lost := map[string]bool{}
	eachFile(t, tree, func(name string) {
		if _, found := layerOf(path.Dir(name)); !found && isGo(name) {
			lost[path.Dir(name)] = true
		}
	})
	var violations []string
	for folder := range lost {
		violations = append(violations, folder+" has no layer: list in test/rules/layers_test.go what it may import")
	}
	return violations
}

// layerOf returns the entry for a folder: the exact one, otherwise the longest that
// covers it.
func layerOf(folder string) (may []string, found bool) {
	longest := -1
	for _, layer := range layers {
		if layer.folder == folder {
			return layer.may, true
		}
		if covers(layer.folder, folder) && len(layer.folder) > longest {
			may, found, longest = layer.may, true, len(layer.folder)
		}
	}
	return may, found
}

// covers reports whether an entry of the list applies to a folder.
func covers(entry, folder string) bool {
	if strings.HasSuffix(entry, "/") {
		return strings.HasPrefix(folder, entry)
	}
	return entry == folder
}

// ownImports lists the folders of this module that a file imports.
func ownImports(t *testing.T, name, text string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: import %s: %v", name, spec.Path.Value, err)
		}
		if folder, own := strings.CutPrefix(imported, module); own {
			folders = append(folders, folder)
		}
	}
	return folders
}
