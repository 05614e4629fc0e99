package agent

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
)

func newAgentRunCommand(a *command.App) *cobra.Command {
	var flags execFlags
	cmd := &cobra.Command{
		Use:        "run <agent> -- <command> [argument...]",
		SuggestFor: []string{"run", "answer"},
		Short:      "Put an agent on the map and answer for it with a program",
		Long: `Put an agent on the map, keep it there, and answer for it with a program. An account at the
host and the agent are created if they are missing. Each question and its answer are
logged with their times. Ctrl-C (exit code 130) or SIGTERM (exit code 0) ends it: the agent leaves
the map, or has its earlier row again if it was there before.
A new phrase is shown at the terminal; without one it is kept in the credentials file.

The program runs once for each question, as "playctl intercom serve --help" says. With --lines it
runs once, is started again when it ends, and reads and writes JSON objects, one on a line:

  in   {"id": "…", "kind": "chat", "text": "Where is it?", "from": "…"}
       {"id": "…", "kind": "assist", "toolName": "assist_route", "args": {}}
       {"id": "…", "cancel": true}
  out  {"id": "…", "part": "It is "}
       {"id": "…", "message": "It is by the river.", "result": {"steps": 3}}
       {"id": "…", "error": "I do not know"}

Parts are optional. A last line ends the answer, with a message, a result or both, or with an error.
Without any of them, the parts together are the message. Several questions can be open at once.`,
		Example: command.Example(
			"playctl agent run Ada -- ./agent.sh",
			"playctl agent run Ada --assist-tools tools.json --lines -- python3 agent.py"),
		Args: func(cmd *cobra.Command, args []string) error {
			switch dash := cmd.ArgsLenAtDash(); {
			case len(args) == 0 || dash == 0:
				return command.Usagef("the agent is missing")
			case dash < 0 || dash == len(args):
				return command.Usagef("the program is missing: name it after --")
			case dash > 1:
				return command.Usagef("there is one agent, and the program comes after --")
			}
			return command.CheckArguments(args[:1], "agent")
		},
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.program, flags.arguments = args[1], args[2:]
			return command.UnlessTerminated(cmd.Context(), runAgent(cmd.Context(), a, args[0], &flags))
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&flags.lines, "lines", false, "run the program once, with JSON lines for all questions")
	return cmd
}

// runAgent creates the account and the agent if they are missing, and answers for the
// agent until ctx ends.
func runAgent(ctx context.Context, a *command.App, name string, flags *execFlags) error {
	program, err := flags.check(a, []string{name})
	if err != nil {
		return err
	}
	who, err := a.CallerWithAccount(ctx)
	if err != nil {
		return err
	}
	ref, who, err := a.OwnAgent(ctx, who, name)
	if err != nil {
		return err
	}
	return answerFor(ctx, a, who, []command.AgentRef{ref}, program, flags)
}
