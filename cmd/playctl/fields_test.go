package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
)

// resultField is a field of a result and its meaning.
type resultField struct{ name, kind, meaning string }

// resultFields returns the fields of results by command, in their order. The packages of
// the commands store them beside their tests, which compare them with the types.
func resultFields(t *testing.T) map[string][]resultField {
	t.Helper()
	lists, err := filepath.Glob("../../internal/command/*/testdata/json-fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]resultField{}
	for _, list := range append(lists, "../../internal/command/testdata/json-fields.txt") {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			printed, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			typed, meaning, _ := strings.Cut(rest, "\t")
			name, kind, ok := strings.Cut(typed, " ")
			if !ok || meaning == "" {
				t.Fatalf("%s: the line %q is not of a list of fields", list, line)
			}
			all[printed] = append(all[printed], resultField{name, kind, meaning})
		}
	}
	return all
}

const fieldsIntroduction = `# The fields of results

What commands print with ` + "`--output json`" + `, ` + "`ndjson` and `yaml`" + `. A field with ? may be absent; fields may be added, none is
renamed or removed without a new major version. Where a result is a list, ` + "`ndjson`" + ` prints its elements, one a line.
Rows of the map and what events say are in [the protocol](../protocol.md). Times are RFC 3339 in UTC.

This page is generated from the comments of the fields: ` + "`go generate ./cmd/playctl`" + `.
`

// fieldsPage returns the page of documentation about the fields of results.
func fieldsPage(t *testing.T) string {
	t.Helper()
	all := resultFields(t)
	var page strings.Builder
	page.WriteString(fieldsIntroduction)
	for _, printed := range slices.Sorted(maps.Keys(all)) {
		commands, part, _ := strings.Cut(printed, "; ")
		heading := "`" + strings.ReplaceAll(commands, ", ", "`, `") + "`"
		if part != "" {
			heading += ": " + part
		}
		fmt.Fprintf(&page, "\n## %s\n\n| field | type | meaning |\n|---|---|---|\n", heading)
		for _, f := range all[printed] {
			fmt.Fprintf(&page, "| `%s` | %s | %s |\n", f.name, f.kind, strings.ReplaceAll(f.meaning, "|", "\\|"))
		}
	}
	return page.String()
}

// withoutResult are the commands that print no result with fields, with the reason.
var withoutResult = map[string]string{
	"chat":       "it is a prompt",
	"top":        "it is a screen",
	"completion": "it prints a script of a shell",
}

// Every command that prints a result has its fields on the page, and every command on the
// page exists.
func TestEveryResultIsDocumented(t *testing.T) {
	t.Parallel()
	called := regexp.MustCompile(`^[a-z -]*?[a-z]( --| [A-Z]|$)`)
	documented := map[string]bool{}
	for printed := range resultFields(t) {
		commands, _, _ := strings.Cut(printed, "; ")
		for one := range strings.SplitSeq(commands, ", ") {
			name := strings.TrimRight(called.FindString(one), " -ABCDEFGHIJKLMNOPQRSTUVWXYZ")
			documented[name] = true
		}
	}
	delete(documented, "error")
	delete(documented, "--dry-run")
	eachCommand(newRootCommand(&command.App{Program: neutralProgram()}), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "playctl ")
		if !cmd.HasParent() || !cmd.Runnable() || cmd.IsAdditionalHelpTopicCommand() {
			return
		}
		if !documented[name] && withoutResult[name] == "" && !cmd.HasSubCommands() {
			t.Errorf("the fields of what playctl %s prints are in no test with jsonfields.Check", name)
		}
		delete(documented, name)
	})
	for name := range documented {
		t.Errorf("there are fields of %q, which is no command", name)
	}
}
