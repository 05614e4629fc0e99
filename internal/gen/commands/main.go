// Command commands generates documentation from the tree of commands: docs/cli with a page
// for each command and the fields of results, docs/man, and the table of limits in
// docs/hosting.md. Run it with go generate ./cmd/playctl.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/tree"
	"github.com/playctl/playctl/internal/gen"
)

func main() {
	if err := gen.Run(generate); err != nil {
		fmt.Fprintln(os.Stderr, "commands:", err) //nolint:forbidigo // this is main
		os.Exit(1)                                //nolint:forbidigo // as above
	}
}

// These are the generated folders, and the page that has a generated table.
const (
	referenceFolder = "docs/cli"
	manualFolder    = "docs/man"
	hostingPage     = "docs/hosting.md"
)

func generate(root string) (*gen.Output, error) {
	program := tree.Documented()
	output := &gen.Output{Files: map[string][]byte{}, Folders: []string{referenceFolder, manualFolder}}
	output.Files[referenceFolder+"/README.md"] = index(program)
	if err := pages(program, output.Files); err != nil {
		return nil, err
	}
	all, err := results(root)
	if err != nil {
		return nil, err
	}
	if err := checkDocumented(program, all); err != nil {
		return nil, err
	}
	output.Files[referenceFolder+"/fields.md"] = fieldsPage(all)
	hosting, err := os.ReadFile(filepath.Join(root, hostingPage)) //nolint:gosec // G304: a file of this repository
	if err != nil {
		return nil, fmt.Errorf("read the page for operators: %w", err)
	}
	output.Files[hostingPage], err = withLimits(hosting, program)
	return output, err
}

// limitsBegin and limitsEnd enclose the table of limits in the page for operators.
const (
	limitsBegin = "<!-- The table of limits is written by go generate ./cmd/playctl. -->\n"
	limitsEnd   = "<!-- The end of the table. -->\n"
)

// withLimits replaces the table of limits in the page for operators by the flags of
// "playctl serve" in the group of that name.
func withLimits(page []byte, root *cobra.Command) ([]byte, error) {
	before, rest, hasBegin := bytes.Cut(page, []byte(limitsBegin))
	_, after, hasEnd := bytes.Cut(rest, []byte(limitsEnd))
	if !hasBegin || !hasEnd {
		return nil, fmt.Errorf("%s lacks the comments around the table of limits: %q and %q", hostingPage, limitsBegin, limitsEnd)
	}
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		return nil, fmt.Errorf("find the limits: %w", err)
	}
	var table strings.Builder
	table.WriteString("\n| flag | default | what it bounds |\n|---|---|---|\n")
	serve.Flags().SortFlags = false // In the order of their definition, related limits are together.
	serve.Flags().VisitAll(func(flag *pflag.Flag) {
		if command.FlagGroup(flag) == "Limits" {
			fmt.Fprintf(&table, "| `--%s` | %s | %s |\n", flag.Name, flag.DefValue, flag.Usage)
		}
	})
	table.WriteString("\n")
	return bytes.Join([][]byte{before, []byte(limitsBegin), []byte(table.String()), []byte(limitsEnd), after}, nil), nil
}
