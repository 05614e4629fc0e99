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
	"strings"
	"testing"
	"testing/fstest"
)

// maxLines is the most that a Go file may have: past it, it has two subjects.
const maxLines = 400

// vagueNames say nothing of what is inside, so everything ends up there.
var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "manager", "misc", "stuff"}

// textFiles are the kinds of files that people write and read.
var textFiles = []string{"", ".go", ".md", ".sh", ".yml", ".yaml", ".txtar", ".ts", ".tsx", ".html", ".css"}

// personalPath is a path in some person's home folder: it exists on one machine.
// One that begins with a variable, as in $WORK/home/ada, is none.
var personalPath = regexp.MustCompile(`(^|[\s"'=(:` + "`" + `])(/home/[\w.-]+|/Users/[\w.-]+|/root/|[A-Z]:\\Users\\)`)

// openEnd marks work that somebody meant to do later.
var openEnd = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)

func sourceRules() []rule {
	return []rule{
		{
			name:   "files are small",
			check:  filesAreSmall,
			broken: fstest.MapFS{"chain/long.go": {Data: []byte("package chain\n" + strings.Repeat("\n", maxLines))}},
			want:   "chain/long.go has 401 lines",
		},
		{
			name:   "names say something",
			check:  namesSaySomething,
			broken: fstest.MapFS{"sdk/http_helpers.go": {Data: []byte("package sdk\n")}},
			want:   "sdk/http_helpers.go is named helpers",
		},
		{
			name:   "every package is explained once",
			check:  packagesAreExplained,
			broken: fstest.MapFS{"chain/tree.go": {Data: []byte("package chain\n")}},
			want:   "chain has 0 package comments",
		},
		{
			name:   "no path of one person's machine",
			check:  linesWithout(personalPath, "is in one person's home folder: write ~ or $HOME"),
			broken: fstest.MapFS{"docs/a.md": {Data: []byte("first\nsee /ho" + "me/ada/notes\n")}},
			want:   "docs/a.md:2: /ho" + "me/ada is in",
		},
		{
			name:   "nothing is left for later",
			check:  linesWithout(openEnd, "is no plan: finish it, or say in the documentation what is not done"),
			broken: fstest.MapFS{"test.sh": {Data: []byte("# TO" + "DO: test\n")}},
			want:   "test.sh:1: TO" + "DO is no plan",
		},
	}
}

func filesAreSmall(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var breaches []string
	eachFile(t, tree, func(name string) {
		if !isGo(name) {
			return
		}
		text := read(t, tree, name)
		if lines := strings.Count(text, "\n"); lines > maxLines && !isGenerated(t, name, text) {
			breaches = append(breaches, fmt.Sprintf("%s has %d lines, the most is %d: split it by subject", name, lines, maxLines))
		}
	})
	return breaches
}

func namesSaySomething(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var breaches []string
	eachFile(t, tree, func(name string) {
		if !isGo(name) {
			return
		}
		words := strings.FieldsFunc(strings.TrimSuffix(name, ".go"), func(r rune) bool { return r == '/' || r == '_' })
		for _, word := range words {
			if slices.Contains(vagueNames, word) {
				breaches = append(breaches, fmt.Sprintf("%s is named %s: name it after its subject", name, word))
			}
		}
	})
	return breaches
}

// packagesAreExplained wants one package comment in every package: none leaves a
// reader alone, two drift apart.
func packagesAreExplained(t *testing.T, tree fs.FS) []string {
	t.Helper()
	comments := map[string]int{}
	eachFile(t, tree, func(name string) {
		if !isGo(name) || isTest(name) {
			return
		}
		folder := path.Dir(name)
		comments[folder] += 0
		if parse(t, name, read(t, tree, name)).Doc != nil {
			comments[folder]++
		}
	})
	var breaches []string
	for folder, count := range comments {
		if count != 1 {
			breaches = append(breaches, fmt.Sprintf("%s has %d package comments, want one", folder, count))
		}
	}
	return breaches
}

// linesWithout makes a check that no line of any text file matches a pattern.
func linesWithout(pattern *regexp.Regexp, why string) func(*testing.T, fs.FS) []string {
	return func(t *testing.T, tree fs.FS) []string {
		t.Helper()
		var breaches []string
		eachFile(t, tree, func(name string) {
			if !slices.Contains(textFiles, path.Ext(name)) || strings.Contains("/"+name, "/testdata/fuzz/") {
				return
			}
			number := 0
			for line := range strings.Lines(read(t, tree, name)) {
				number++
				if found := pattern.FindString(line); found != "" {
					breaches = append(breaches, fmt.Sprintf("%s:%d: %s %s", name, number, strings.TrimSpace(found), why))
				}
			}
		})
		return breaches
	}
}

// parse reads one Go file with its comments.
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
