package rules

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"testing"
	"testing/fstest"
)

func testRules() []rule {
	return []rule{
		{
			name:  "tests wait for events, not for time",
			check: testsDoNotSleep,
			broken: fstest.MapFS{
				"sdk/hold_test.go": {Data: []byte("package sdk\nimport \"time\"\nfunc wait() { time.Sleep(1) }\n")},
			},
			want: "sdk/hold_test.go calls time.Sleep",
		},
		{
			name:  "who starts goroutines looks for leaks",
			check: goroutinesAreWatched,
			broken: fstest.MapFS{
				"sdk/hold.go":      {Data: []byte("package sdk\nfunc hold() { go hold() }\n")},
				"sdk/hold_test.go": {Data: []byte("package sdk\n")},
			},
			want: "sdk starts goroutines in sdk/hold.go",
		},
	}
}

func testsDoNotSleep(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var breaches []string
	eachFile(t, tree, func(name string) {
		if isGo(name) && isTest(name) && calls(parse(t, name, read(t, tree, name)), "time", "Sleep") {
			breaches = append(breaches, name+
				" calls time.Sleep: wait for the event itself, or use testing/synctest where time matters")
		}
	})
	return breaches
}

// goroutinesAreWatched wants goleak in the tests of every package whose shipped
// code starts a goroutine: each has an owner that waits for it, and this shows it.
// A package of tests for others to run is watched where it is run.
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
	var breaches []string
	for folder, file := range starts {
		if !watched[folder] {
			breaches = append(breaches, fmt.Sprintf(
				"%s starts goroutines in %s, and its tests never call goleak.VerifyTestMain", folder, file))
		}
	}
	return breaches
}

// startsGoroutine sees both ways: the go statement and WaitGroup.Go.
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

// imports tells whether a file imports a package.
func imports(file *ast.File, pkg string) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(pkg) })
}

// calls tells whether a file names a function of a package.
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
