// Package aql has the command that runs AQL programs and reads AQL at a prompt.
package aql

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		newAQLCommand(a),
	}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"aql":                                item{},
		"aql --format":                       formattedProgramResult{},
		"aql; the result of CREATE SPACE":    created{},
		"aql; the result of REMOVE SPACE":    removed{},
		"aql; the result of SEND":            sent{},
		"aql; the result of INSPECT AGENT":   inspectedAgent{},
		"aql; the result of FETCH METADATA":  metadata{},
		"aql; the result of SHOW AGENTS":     agentList{},
		"aql; the result of SHOW CONNECTION": connection{},
		"aql; a line of SHOW VARIABLES":      variable{},
	}
}

// aqlFlags are the flags of "playctl aql".
type aqlFlags struct {
	check      bool
	format     bool
	showPhrase bool
	set        []string
}

// maxProgram limits the size of a program.
const maxProgram = 1 << 20

func newAQLCommand(a *command.App) *cobra.Command {
	var flags aqlFlags
	cmd := &cobra.Command{
		Use:     "aql [file]",
		GroupID: command.GroupWorld,
		Short:   "Run an AQL program, or type one at a prompt",
		Long: `Run a program in AQL, a small language for creating spaces and looking at a world: one statement per
line, with "#" before a comment. The program is a file, or standard input with - or in a pipe.
Without either, at a terminal, you get a prompt with history and completion.

  CONNECT ["url" | CONTEXT "name"]
  LET name = value …
  LET name FROM ENV NAME | FILE "path" | PROMPT ["question"]
  CREATE SPACE "name" DESIGN "key" OWNER "display name" [DESCRIPTION "text"]
         [STRUCTURE "name"] [AMENITIES shop, …] [KEYFILE "path"] [INTO name]
  USE SPACE NODE "node or name" [PASSPHRASE $secret]
  ADD SPACE AMENITY shop | supermarket | car_wash
  REMOVE SPACE AMENITY kind
  REMOVE SPACE ["name"]
  INSPECT SPACE ["name"] | MAIN NODE | AGENT ["name"] [INTO name]
  USE AGENT NODE "name" [PASSPHRASE $secret]
  SEND "text" …
  FETCH OCCUPANTS | METADATA | SNAPSHOT [INTO name]
  SHOW value … | AGENTS | CONNECTION | SPACES | VARIABLES

A value is quoted text or a variable, $name or $name.field. LET … FROM sets a secret, which can
serve as a passphrase and is never shown.

Mistakes in a program are found before anything runs; the exit code is then 2.`,
		Example: command.Example(
			"playctl aql town.aql",
			"playctl aql --check town.aql",
			"echo 'FETCH OCCUPANTS' | playctl aql --output json",
			"playctl aql --set design=bazaar town.aql",
			"playctl aql"),
		Args: command.Takes("file?"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := runAQL(cmd.Context(), a, &flags, args)
			if _, ok := errors.AsType[aql.LineErrors](err); ok {
				return command.BadInput(err) // the program is invalid, and nothing was done
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&flags.check, "check", false, "only check the program for mistakes; contact no host")
	cmd.Flags().BoolVar(&flags.format, "format", false, "only print the program in its canonical form; contact no host")
	cmd.Flags().BoolVar(&flags.showPhrase, "show-phrase", false, "print the phrases of new spaces with the results, even if others may read them")
	cmd.Flags().StringArrayVar(&flags.set, "set", nil, "set a variable before the program starts (`name=text`); it is not a secret")
	return cmd
}

func runAQL(ctx context.Context, a *command.App, flags *aqlFlags, args []string) error {
	if flags.check && flags.format {
		return command.Usagef("--check and --format cannot be used together")
	}
	variables, err := parseAssignments(flags.set)
	if err != nil {
		return err
	}
	if len(args) == 0 && command.IsTerminal(a.Stdin) {
		if flags.check || flags.format || !a.MayAsk() {
			return command.Usagef("the file is missing")
		}
		return promptAQL(ctx, a, flags, variables)
	}
	program, err := readProgram(a, args)
	if err != nil {
		return err
	}
	s := newSession(a, flags, variables)
	switch {
	case flags.format:
		text := program.Format()
		return a.Printer.Print(render.Document{Data: formattedProgramResult{text}, Views: []render.View{render.Text(text)}})
	case flags.check:
		return s.checkOnly(program)
	}
	defer s.close()
	err = s.run(ctx, program)
	return errors.Join(s.finish(), err)
}

// readProgram reads and parses a program from a file or standard input.
func readProgram(a *command.App, args []string) (*aql.Program, error) {
	file := "-"
	if len(args) > 0 {
		file = args[0]
	}
	text, err := a.ReadText(file, maxProgram)
	if err != nil {
		return nil, err
	}
	source := file
	if file == "-" {
		source = "stdin"
	}
	return aql.Parse(source, string(text))
}

// parseAssignments parses the values of --set.
func parseAssignments(list []string) (map[string]string, error) {
	variables := map[string]string{}
	for _, one := range list {
		name, text, ok := strings.Cut(one, "=")
		if !ok || !aql.IsName(name) {
			return nil, command.Usagef("--set takes name=text, with a name of letters, digits and _")
		}
		variables[name] = text
	}
	return variables, nil
}

// formattedProgramResult is what "playctl aql --format" prints as JSON.
type formattedProgramResult struct {
	Program string `json:"program"` // the program in its usual form
}

// checkOnly checks a program without running it.
func (s *session) checkOnly(program *aql.Program) error {
	if err := s.check(program); err != nil {
		return err
	}
	statements := 0
	for _, line := range program.Lines {
		if line.Statement != nil {
			statements++
		}
	}
	s.Note("%s: %s, no mistakes.", program.Source, command.Plural(statements, "statement", "statements"))
	return nil
}
