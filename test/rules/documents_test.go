package rules

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/playctl/playctl/protocol"
)

const (
	documentIndex  = "docs/README.md"
	protocolPage   = "docs/protocol.md"
	routesDocument = "internal/host/openapi/openapi.json"
	dependencyPage = "docs/decisions/0004-dependencies.md"
	threatModel    = "docs/threat-model.md"
	releases       = ".goreleaser.yaml"
	clientPackage  = "web/sdk/package.json"
)

// link is a Markdown link to a file of the repository, without its fragment.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)\s]*)?\)`)

func documentRules() []rule {
	return []rule{
		{
			name:   "links have targets",
			check:  linksHaveTargets,
			broken: fstest.MapFS{"docs/a.md": {Data: []byte("see [the other](b.md#part)\n")}},
			want:   "docs/a.md links to docs/b.md",
		},
		{
			name:  "tests of the threat model exist",
			check: threatModelTestsExist,
			broken: fstest.MapFS{
				threatModel:   {Data: []byte("| an attack | `TestHeld`, `TestLost` and `lost.mjs` |\n")},
				"a/a_test.go": {Data: []byte("func TestHeld(t *testing.T) {\n")},
			},
			want: threatModel + " names TestLost, which does not exist\n" + threatModel + " names lost.mjs, which does not exist",
		},
		{
			name:  "every page is in the index",
			check: pagesAreIndexed,
			broken: fstest.MapFS{
				documentIndex:  {Data: []byte("[a](a.md)\n")},
				"docs/a.md":    {Data: []byte("a\n")},
				"docs/lost.md": {Data: []byte("lost\n")},
			},
			want: "docs/lost.md is not in " + documentIndex,
		},
		{
			name:  "every dependency is explained",
			check: dependenciesAreExplained,
			broken: fstest.MapFS{
				"go.mod":       {Data: []byte("module m\n\nrequire example.com/new v1.0.0\n")},
				dependencyPage: {Data: []byte("| `example.com/old` | gone | MIT |\n")},
			},
			want: "go.mod requires example.com/new, which " + dependencyPage + " does not explain\n" +
				dependencyPage + " explains example.com/old, which go.mod does not require",
		},
		{
			name:  "the protocol page is complete",
			check: protocolPageIsComplete,
			broken: fstest.MapFS{
				routesDocument: {Data: []byte(`{"paths":{"/a":{"get":{}}}}`)},
				protocolPage:   {Data: []byte("`/b`\n")},
			},
			want: protocolPage + " does not mention /a",
		},
		{
			name:  "the TypeScript client is in a release as pages say",
			check: clientIsReleased,
			broken: fstest.MapFS{
				clientPackage: {Data: []byte(`{"version":"2.0.0"}`)},
				releases:      {Data: []byte("release:\n  extra_files:\n    - glob: npm/playctl-sdk-*.tgz\n")},
				"docs/a.md":   {Data: []byte("npm install ./playctl-sdk-1.0.0.tgz\n")},
				"docs/b.md":   {Data: []byte("import { connect } from '@playctl/sdk/ai'\n")},
			},
			want: releases + " has npm/playctl-sdk-*.tgz 1 times, but it is for the checksums and for the release\n" +
				"docs/a.md names playctl-sdk-1.0.0.tgz, but npm pack makes playctl-sdk-2.0.0.tgz\n" +
				"docs/b.md imports the TypeScript client and does not say how to install it: link to web/sdk/README.md",
		},
	}
}

func linksHaveTargets(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var violations []string
	eachFile(t, tree, func(name string) {
		if path.Ext(name) != ".md" {
			return
		}
		for _, match := range link.FindAllStringSubmatch(read(t, tree, name), -1) {
			target := path.Join(path.Dir(name), match[1])
			if _, err := fs.Stat(tree, target); err != nil {
				violations = append(violations, fmt.Sprintf("%s links to %s, which does not exist", name, target))
			}
		}
	})
	return violations
}

// testName matches a test's function or file named in a page.
var testName = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+|[a-z_./0-9]+\\.(?:go|ts|mjs|txtar))`")

// threatModelTestsExist checks that every test named in the threat model exists.
func threatModelTestsExist(t *testing.T, tree fs.FS) []string {
	t.Helper()
	functions, files := map[string]bool{}, map[string]bool{}
	eachFile(t, tree, func(name string) {
		files[path.Base(name)] = true
		if isTest(name) {
			for _, match := range testFunction.FindAllStringSubmatch(read(t, tree, name), -1) {
				functions[match[1]] = true
			}
		}
	})
	var violations []string
	for _, match := range testName.FindAllStringSubmatch(read(t, tree, threatModel), -1) {
		if name := match[1]; !functions[name] && !files[path.Base(name)] {
			violations = append(violations, fmt.Sprintf("%s names %s, which does not exist", threatModel, name))
		}
	}
	return violations
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

func pagesAreIndexed(t *testing.T, tree fs.FS) []string {
	t.Helper()
	indexed := map[string]bool{documentIndex: true}
	for _, match := range link.FindAllStringSubmatch(read(t, tree, documentIndex), -1) {
		indexed[path.Join("docs", match[1])] = true
	}
	var violations []string
	eachFile(t, tree, func(name string) {
		// A folder whose own README.md is indexed is an index of its own.
		own := indexed[path.Join(path.Dir(name), "README.md")] && path.Dir(name) != "docs"
		if strings.HasPrefix(name, "docs/") && path.Ext(name) == ".md" && !indexed[name] && !own {
			violations = append(violations, name+" is not in "+documentIndex+": add a link to it")
		}
	})
	return violations
}

// dependencyRow matches a row of the table of dependencies: its first cell is the
// module's path as code.
var dependencyRow = regexp.MustCompile("(?m)^\\| `([^` ]+)` \\|")

// dependenciesAreExplained compares the direct requirements of go.mod with the
// table of reasons for them.
func dependenciesAreExplained(t *testing.T, tree fs.FS) []string {
	t.Helper()
	explained := map[string]bool{}
	for _, match := range dependencyRow.FindAllStringSubmatch(read(t, tree, dependencyPage), -1) {
		explained[match[1]] = true
	}
	var violations []string
	for _, required := range requirements(t, read(t, tree, "go.mod")) {
		if !required.Indirect && !explained[required.Path] {
			violations = append(violations, fmt.Sprintf("go.mod requires %s, which %s does not explain", required.Path, dependencyPage))
		}
		delete(explained, required.Path)
	}
	for gone := range explained {
		violations = append(violations, fmt.Sprintf("%s explains %s, which go.mod does not require", dependencyPage, gone))
	}
	return violations
}

// requirement is a line of go.mod, as the go command prints it.
type requirement struct {
	Path     string
	Indirect bool
}

// requirements parses a go.mod with the go command, which is authoritative.
func requirements(t *testing.T, text string) []requirement {
	t.Helper()
	name := filepath.Join(t.TempDir(), "go.mod")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", name).Output()
	if err != nil {
		t.Fatalf("go mod edit -json: %v", err)
	}
	var file struct{ Require []requirement }
	if err := json.Unmarshal(output, &file); err != nil {
		t.Fatalf("the output of go mod edit -json: %v", err)
	}
	return file.Require
}

// protocolPageIsComplete checks that every route, operation, event, error code and
// capability is on the page from which clients are written.
func protocolPageIsComplete(t *testing.T, tree fs.FS) []string {
	t.Helper()
	page := read(t, tree, protocolPage)
	var document struct {
		Paths map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(read(t, tree, routesDocument)), &document); err != nil {
		t.Fatalf("%s: %v", routesDocument, err)
	}
	names := slices.Sorted(maps.Keys(document.Paths))
	for _, op := range protocol.Operations() {
		names = append(names, string(op.Op))
	}
	for _, kind := range protocol.EventKinds() {
		names = append(names, string(kind))
	}
	for _, code := range protocol.Codes() {
		names = append(names, string(code))
	}
	var violations []string
	for _, name := range names {
		if !regexp.MustCompile(regexp.QuoteMeta(name) + `(\b|\s|$)`).MatchString(page) {
			violations = append(violations, fmt.Sprintf("%s does not mention %s", protocolPage, name))
		}
	}
	return violations
}

// packedClient matches the file that npm creates for the TypeScript client.
var packedClient = regexp.MustCompile(`playctl-sdk-\d[^ \n]*\.tgz`)

func clientIsReleased(t *testing.T, tree fs.FS) []string {
	t.Helper()
	const attached = "npm/playctl-sdk-*.tgz"
	var violations []string
	if n := strings.Count(read(t, tree, releases), "- glob: "+attached); n != 2 {
		violations = append(violations, fmt.Sprintf("%s has %s %d times, but it is for the checksums and for the release", releases, attached, n))
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal([]byte(read(t, tree, clientPackage)), &manifest); err != nil {
		t.Fatal(err)
	}
	packed := "playctl-sdk-" + manifest.Version + ".tgz"
	eachFile(t, tree, func(name string) {
		if path.Ext(name) != ".md" {
			return
		}
		text := read(t, tree, name)
		for _, file := range packedClient.FindAllString(text, -1) {
			if file != packed {
				violations = append(violations, fmt.Sprintf("%s names %s, but npm pack makes %s", name, file, packed))
			}
		}
		if strings.Contains(text, "from '@playctl/sdk") && !strings.Contains(text, path.Dir(clientPackage)+"/README.md") && !packedClient.MatchString(text) {
			violations = append(violations, fmt.Sprintf("%s imports the TypeScript client and does not say how to install it: link to %s/README.md", name, path.Dir(clientPackage)))
		}
	})
	return violations
}
