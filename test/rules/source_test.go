package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// maxLines is the most lines that a Go file may have: a longer one has two
// subjects.
const maxLines = 400

// textFiles are the kinds of files that people write and read.
var textFiles = []string{"", ".go", ".md", ".sh", ".yml", ".yaml", ".txtar", ".ts", ".tsx", ".html", ".css"}

// personalPath matches a path in a person's home folder, which exists on one
// machine. A path that begins with a variable, as in $WORK/home/ada, does not
// match.
var personalPath = regexp.MustCompile(`(^|[\s"'=(:` + "`" + `])(/home/[\w.-]+|/Users/[\w.-]+|/root/|[A-Z]:\\Users\\)`)

// unfinishedWork matches markers of unfinished work.
var unfinishedWork = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)

func sourceRules() []rule {
	return []rule{
		{
			name:   "files are small",
			check:  filesAreSmall,
			broken: fstest.MapFS{"chain/long.go": {Data: []byte("package chain\n" + strings.Repeat("\n", maxLines))}},
			want:   "chain/long.go has 401 lines",
		},
		{
			name:  "packages with goroutines check for leaks",
			check: goroutinesAreWatched,
			broken: fstest.MapFS{
				"sdk/hold.go":      {Data: []byte("package sdk\nfunc hold() { go hold() }\n")},
				"sdk/hold_test.go": {Data: []byte("package sdk\n")},
			},
			want: "sdk starts goroutines in sdk/hold.go",
		},
		{
			name:   "no personal paths",
			check:  linesWithout(personalPath, "is in one person's home folder: write ~ or $HOME", "/ho"+"me/", "/Use"+"rs/", "/ro"+"ot/", `\Us`+`ers\`),
			broken: fstest.MapFS{"docs/a.md": {Data: []byte("first\nsee /ho" + "me/ada/notes\n")}},
			want:   "docs/a.md:2: /ho" + "me/ada is in",
		},
		{
			name: "no markers of unfinished work",
			check: linesWithout(unfinishedWork, "marks unfinished work: finish it, or document what is missing",
				"TO"+"DO", "FIX"+"ME", "XX"+"X", "HA"+"CK"),
			broken: fstest.MapFS{"test.sh": {Data: []byte("# TO" + "DO: test\n")}},
			want:   "test.sh:1: TO" + "DO marks unfinished work",
		},
	}
}

func filesAreSmall(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var violations []string
	eachFile(t, tree, func(name string) {
		if !isGo(name) {
			return
		}
		text := read(t, tree, name)
		if lines := strings.Count(text, "\n"); lines > maxLines && !isGenerated(t, name, text) {
			violations = append(violations, fmt.Sprintf("%s has %d lines, the maximum is %d: split it by subject", name, lines, maxLines))
		}
	})
	return violations
}

// goroutinesAreWatched requires goleak in the tests of every package whose shipped
// code starts a goroutine: each goroutine has an owner that waits for it, which
// goleak verifies. A package of tests that other packages run is checked there.
func goroutinesAreWatched(t *testing.T, tree fs.FS) []string {
	t.Helper()
	starts := map[string]string{}
	watched := map[string]bool{}
	eachFile(t, tree, func(name string) {
		if !isGo(name) {
			return
		}
		file := parse(t, name, read(t, tree, name))
		switch {
		case !isTest(name) && startsGoroutine(file) && !imports(file, "testing"):
			starts[path.Dir(name)] = name
		case isTest(name) && (calls(file, "goleak", "VerifyTestMain") || calls(file, "goleak", "VerifyNone")):
			watched[path.Dir(name)] = true
		}
	})
	var violations []string
	for folder, file := range starts {
		if !watched[folder] {
			violations = append(violations, fmt.Sprintf(
				"%s starts goroutines in %s, and its tests never call goleak.VerifyTestMain", folder, file))
		}
	}
	return violations
}

// startsGoroutine finds both forms: the go statement and WaitGroup.Go.
func startsGoroutine(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			method, ok := node.Fun.(*ast.SelectorExpr)
			found = found || ok && method.Sel.Name == "Go"
		}
		return !found
	})
	return found
}

// imports reports whether a file imports a package.
func imports(file *ast.File, pkg string) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(pkg) })
}

// calls reports whether a file uses a function of a package.
func calls(file *ast.File, pkg, function string) bool {
	found := false
	ast.Inspect(file, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			name, ok := selector.X.(*ast.Ident)
			found = found || ok && name.Name == pkg && selector.Sel.Name == function
		}
		return !found
	})
	return found
}

// linesWithout returns a check that no line of any text file matches a pattern. A
// match contains one of the parts; a file without them is not searched line by
// line.
func linesWithout(pattern *regexp.Regexp, why string, parts ...string) func(*testing.T, fs.FS) []string {
	return func(t *testing.T, tree fs.FS) []string {
		t.Helper()
		var violations []string
		eachFile(t, tree, func(name string) {
			if !slices.Contains(textFiles, path.Ext(name)) || strings.Contains("/"+name, "/testdata/fuzz/") {
				return
			}
			text := read(t, tree, name)
			if !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) }) {
				return
			}
			number := 0
			for line := range strings.Lines(text) {
				number++
				if found := pattern.FindString(line); found != "" {
					violations = append(violations, fmt.Sprintf("%s:%d: %s %s", name, number, strings.TrimSpace(found), why))
				}
			}
		})
		return violations
	}
}

// parse parses one Go file with its comments.
func parse(t *testing.T, name, text string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func isGenerated(t *testing.T, name, text string) bool {
	t.Helper()
	return ast.IsGenerated(parse(t, name, text))
}
