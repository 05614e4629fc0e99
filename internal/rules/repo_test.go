package rules

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the prefix of this repository's own import paths.
const module = "github.com/playctl/playctl/"

// rule names one rule and finds what breaks it in a tree of files.
type rule struct {
	name  string
	check func(t *testing.T, tree fs.FS) []string
	// broken is the smallest tree that breaks the rule, and want what the rule
	// must say of it.
	broken fstest.MapFS
	want   string
}

// rules are all of them; each file beside this one adds its own subject.
func rules() []rule {
	var all []rule
	all = append(all, layerRules()...)
	all = append(all, sourceRules()...)
	all = append(all, testRules()...)
	all = append(all, documentRules()...)
	return all
}

// TestRepository holds every rule against the repository.
func TestRepository(t *testing.T) {
	tree := repository(t)
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			for _, breach := range r.check(t, tree) {
				t.Error(breach)
			}
		})
	}
}

// TestRulesSeeWhatBreaksThem tries every rule on a tree that breaks it, so that
// a rule which passes is known to look.
func TestRulesSeeWhatBreaksThem(t *testing.T) {
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			got := strings.Join(r.check(t, r.broken), "\n")
			if !strings.Contains(got, r.want) {
				t.Errorf("the rule said %q, want it to say %q", got, r.want)
			}
		})
	}
}

// repository is the tree of files two folders up, where go.mod is.
func repository(t *testing.T) fs.FS {
	t.Helper()
	const root = "../.."
	if _, err := os.Stat(root + "/go.mod"); err != nil {
		t.Fatalf("the repository is expected at %s: %v", root, err)
	}
	return os.DirFS(root)
}

// eachFile calls visit for every file that people wrote: not for git's own, for
// what Node downloaded, for what a build made, nor for what git ignores at the top.
func eachFile(t *testing.T, tree fs.FS, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch entry.Name() {
			case ".git", "node_modules", "dist", "completions":
				return fs.SkipDir
			}
			return nil
		}
		if entry.Type().IsRegular() {
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walking the repository: %v", err)
	}
}

// read gives a file's text.
func read(t *testing.T, tree fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// isGo tells Go files that are part of a package from test data.
func isGo(name string) bool {
	return path.Ext(name) == ".go" && !strings.Contains("/"+name, "/testdata/")
}

// isTest tells test files from the code that ships.
func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go")
}
