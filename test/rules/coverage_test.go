package rules

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/playctl/playctl/protocol"
)

const (
	coveragePage   = "docs/coverage.md"
	routesDocument = "internal/host/openapi/openapi.json"
	commandPages   = "docs/cli"
	protocolPage   = "docs/protocol.md"
)

// coverageRow is a row of the page's tables: the subject, and its tests.
var coverageRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|([^|\n]*)\\|$")

// quoted is one name in a cell.
var quoted = regexp.MustCompile("`([^`]+)`")

func coverageRules() []rule {
	return []rule{{
		name:  "everything is covered by a test",
		check: everythingIsCovered,
		broken: fstest.MapFS{
			routesDocument: {Data: []byte(`{"paths":{"/a":{"get":{}},"/b":{"get":{}},"/heartbeat":{"get":{}},"/lost":{"get":{}}}}`)},
			"x/x_test.go":  {Data: []byte("package x\nfunc TestX(t *testing.T) {}\n")},
			coveragePage: {Data: []byte("| `GET /a` |  |\n| `GET /b` | `x.TestB` |\n| `GET /heartbeat` | `x.TestX` |\n" +
				"| `GET /gone` | `x.txtar` |\n")},
		},
		want: "GET /a has no test in " + coveragePage + "\n" +
			"GET /b is said to be covered by x.TestB, which is not there\n" +
			"GET /heartbeat is said to be covered by x.TestX, which does not speak of it\n" +
			coveragePage + " has GET /gone, which nothing else knows\n" +
			coveragePage + " lacks GET /lost",
	}, {
		name:   "the protocol page is whole",
		check:  protocolPageIsWhole,
		broken: fstest.MapFS{routesDocument: {Data: []byte(`{"paths":{"/a":{"get":{}}}}`)}, protocolPage: {Data: []byte("`/b`\n")}},
		want:   protocolPage + " says nothing of /a",
	}}
}

// everythingIsCovered compares the page of tests with what there is to test.
func everythingIsCovered(t *testing.T, tree fs.FS) []string {
	t.Helper()
	tests := goTests(t, tree)
	expected := subjects(t, tree)
	var breaches []string
	for _, row := range coverageRow.FindAllStringSubmatch(read(t, tree, coveragePage), -1) {
		subject, cell := row[1], row[2]
		spoken, known := expected[subject]
		if !known {
			breaches = append(breaches, fmt.Sprintf("%s has %s, which nothing else knows", coveragePage, subject))
			continue
		}
		delete(expected, subject)
		names := quoted.FindAllStringSubmatch(cell, -1)
		if len(names) == 0 {
			breaches = append(breaches, fmt.Sprintf("%s has no test in %s", subject, coveragePage))
		}
		for _, name := range names {
			text, there := testText(t, tree, tests, name[1])
			switch {
			case !there:
				breaches = append(breaches, fmt.Sprintf("%s is said to be covered by %s, which is not there", subject, name[1]))
			case !strings.Contains(compact(text), compact(spoken)):
				breaches = append(breaches, fmt.Sprintf("%s is said to be covered by %s, which does not speak of it", subject, name[1]))
			}
		}
	}
	for _, subject := range slices.Sorted(maps.Keys(expected)) {
		breaches = append(breaches, fmt.Sprintf("%s lacks %s: name the test that covers it", coveragePage, subject))
	}
	return breaches
}

// protocolPageIsWhole looks for every route, operation, event, error code and
// capability on the page from which clients are written.
func protocolPageIsWhole(t *testing.T, tree fs.FS) []string {
	t.Helper()
	page := read(t, tree, protocolPage)
	names := slices.Sorted(maps.Keys(routes(t, tree)))
	for _, op := range protocol.Ops() {
		names = append(names, string(op))
	}
	for _, kind := range protocol.EventKinds() {
		names = append(names, string(kind))
	}
	for _, code := range protocol.Codes() {
		names = append(names, string(code))
	}
	var breaches []string
	for _, name := range names {
		if !regexp.MustCompile(regexp.QuoteMeta(name) + `(\b|\s|$)`).MatchString(page) {
			breaches = append(breaches, fmt.Sprintf("%s says nothing of %s", protocolPage, name))
		}
	}
	return breaches
}

// routes are the paths of the OpenAPI document with their methods.
func routes(t *testing.T, tree fs.FS) map[string]map[string]any {
	t.Helper()
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(read(t, tree, routesDocument)), &document); err != nil {
		t.Fatalf("%s: %v", routesDocument, err)
	}
	return document.Paths
}

// subjects are all routes, operations, events and commands, each with the word
// that a test of it must have.
func subjects(t *testing.T, tree fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	for route, methods := range routes(t, tree) {
		for method := range methods {
			all[strings.ToUpper(method)+" "+route] = strings.TrimSuffix(path.Base(route), ".json")
		}
	}
	for _, op := range protocol.Ops() {
		all[string(op)] = string(op)
	}
	for _, kind := range protocol.EventKinds() {
		_, name, _ := strings.Cut(string(kind), ":")
		all[string(kind)] = name
	}
	maps.Copy(all, commands(t, tree))
	return all
}

// commands are those of the reference that have no commands below them.
func commands(t *testing.T, tree fs.FS) map[string]string {
	t.Helper()
	pages, err := fs.Glob(tree, commandPages+"/playctl_*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, page := range pages {
		stem := strings.TrimSuffix(path.Base(page), ".md")
		if slices.ContainsFunc(pages, func(other string) bool { return strings.HasPrefix(path.Base(other), stem+"_") }) {
			continue
		}
		words := strings.Split(stem, "_")
		all[strings.Join(words, " ")] = strings.Join(words[1:], " ")
	}
	return all
}

// goTests finds the text of the file of every Go test, by folder and name.
func goTests(t *testing.T, tree fs.FS) map[string]string {
	t.Helper()
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	all := map[string]string{}
	eachFile(t, tree, func(name string) {
		if !isTest(name) {
			return
		}
		text := read(t, tree, name)
		for _, match := range test.FindAllStringSubmatch(text, -1) {
			all[path.Dir(name)+"."+match[1]] = text
		}
	})
	return all
}

// testText is the text of a Go test's file, or of a script.
func testText(t *testing.T, tree fs.FS, tests map[string]string, name string) (text string, there bool) {
	t.Helper()
	if text, there = tests[name]; there {
		return text, true
	}
	if _, err := fs.Stat(tree, name); err != nil {
		return "", false
	}
	return read(t, tree, name), true
}

// compact makes PathAPIKey, api-key and api_key one word.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}
