//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command/tree"
)

// example is a line in the help or in a document.
type example struct {
	// where is the command or the document.
	where, line string
}

var codeBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)\n```")

// examples returns the examples in the help of every command, and those in the documents.
func examples(t *testing.T) []example {
	t.Helper()
	var all []example
	tree.Each(tree.Documented(), func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			if strings.Contains(line, "playctl") {
				all = append(all, example{cmd.CommandPath(), strings.TrimSpace(line)})
			}
		}
	})
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(block[1]) {
				if line, _, _ = strings.Cut(strings.TrimSpace(line), "    #"); callsPlayctl.MatchString(line) {
					all = append(all, example{filepath.Base(page), strings.TrimSpace(line)})
				}
			}
		}
	}
	return all
}

// callsPlayctl matches the calls of the program in a line of a shell.
var callsPlayctl = regexp.MustCompile(`(?:^|\| |\$\(|[A-Z_]+=\S+ )playctl( [^|]*|$)`)

// words splits the arguments of a program as the shell does, up to the end of the call.
func words(text string) []string {
	var all []string
	var word strings.Builder
	started, quote := false, rune(0)
	flush := func() {
		if started {
			all = append(all, word.String())
		}
		word.Reset()
		started = false
	}
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case r == ' ':
			flush()
		case strings.ContainsRune("|<>;&)#", r) && !started:
			return all
		case r == ')':
			flush()
			return all
		default:
			started = true
			word.WriteRune(r)
		}
	}
	flush()
	return all
}

// The flags of its command can parse every example, and it names no machines but those
// that are reserved for documents (RFC 2606, RFC 5737).
func TestExamplesAreValidCommands(t *testing.T) {
	t.Parallel()
	machine := regexp.MustCompile(`[a-z+]+://(?:[^@/\s]*@)?([^:/\s"]*)`)
	for _, e := range examples(t) {
		for _, call := range callsPlayctl.FindAllStringSubmatch(e.line, -1) {
			if err := parseCommandLine(words(call[1])); err != nil {
				t.Errorf("%s: %q cannot be typed: %v", e.where, e.line, err)
			}
		}
		for _, found := range machine.FindAllStringSubmatch(e.line, -1) {
			name := found[1]
			if name != "localhost" && name != "127.0.0.1" && !strings.HasSuffix(name, ".example.com") {
				t.Errorf("%s: %q names the machine %q, which may be real", e.where, e.line, name)
			}
		}
	}
}

// parseCommandLine parses a command line without running it.
func parseCommandLine(args []string) error {
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$LEAVES", "12")
	}
	root := tree.Documented()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if rest = cmd.Flags().Args(); cmd.HasSubCommands() && len(rest) > 0 {
		return fmt.Errorf("%s has no %q", cmd.CommandPath(), rest)
	}
	return cmd.ValidateArgs(rest)
}
