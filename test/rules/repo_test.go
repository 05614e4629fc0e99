package rules

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the prefix of this repository's own import paths.
const module = "github.com/playctl/playctl/"

// rule names one rule and finds its violations in a tree of files.
type rule struct {
	name  string
	check func(t *testing.T, tree fs.FS) []string
	// broken is the smallest tree that breaks the rule, and want the expected
	// violation.
	broken fstest.MapFS
	want   string
}

// rules returns all of them; each file of this package adds its own subject.
func rules() []rule {
	var all []rule
	all = append(all, layerRules()...)
	all = append(all, sourceRules()...)
	all = append(all, documentRules()...)
	return all
}

// TestRepository checks the repository against every rule.
func TestRepository(t *testing.T) {
	tree := repository(t)
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			for _, violation := range r.check(t, tree) {
				t.Error(violation)
			}
		})
	}
}

// TestRulesDetectViolations tries every rule on a tree that breaks it, so that a
// passing rule is known to check something.
func TestRulesDetectViolations(t *testing.T) {
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			got := strings.Join(r.check(t, r.broken), "\n")
			if !strings.Contains(got, r.want) {
				t.Errorf("the rule returned %q, want %q in it", got, r.want)
			}
		})
	}
}

// checkout is the repository two folders up, where go.mod is, with the names of the
// files that git tracks or would add: not build output.
type checkout struct {
	fs.FS
	files []string
}

func repository(t *testing.T) fs.FS {
	t.Helper()
	const root = "../.."
	if _, err := os.Stat(root + "/go.mod"); err != nil {
		t.Fatalf("the repository is expected at %s: %v", root, err)
	}
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files, which lists the files to check: %v", err)
	}
	files := strings.FieldsFunc(string(names), func(r rune) bool { return r == 0 })
	return checkout{os.DirFS(root), files}
}

// eachFile calls visit for every file of a tree.
func eachFile(t *testing.T, tree fs.FS, visit func(name string)) {
	t.Helper()
	if known, ok := tree.(checkout); ok {
		for _, name := range known.files {
			// A file whose deletion is not committed yet is still in git's list.
			if entry, err := fs.Stat(tree, name); err == nil && entry.Mode().IsRegular() {
				visit(name)
			}
		}
		return
	}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			visit(name)
		}
		return err
	})
	if err != nil {
		t.Fatalf("walking the files: %v", err)
	}
}

// read returns a file's text.
func read(t *testing.T, tree fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// isGo reports whether a file is part of a Go package, not of test data.
func isGo(name string) bool {
	return path.Ext(name) == ".go" && !strings.Contains("/"+name, "/testdata/")
}

// isTest reports whether a Go file is a test.
func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go")
}
