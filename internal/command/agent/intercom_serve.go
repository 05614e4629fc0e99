package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// execFlags are the flags of the program that answers, and of its limits.
type execFlags struct {
	agentFlags
	program     string
	arguments   []string
	text, lines bool
	// passCredentials is --pass-credentials.
	passCredentials bool
	limit           time.Duration
	concurrency     int
	maxOutput       int
}

func newIntercomServeCommand(a *command.App) *cobra.Command {
	var flags execFlags
	cmd := &cobra.Command{
		Use:   "serve <agent>... --exec <program> [-- <argument>...]",
		Short: "Answer for agents with a program, such as a shell script",
		Long: `Put agents on the map, keep them there with heartbeats, and run a program for each command that they
receive. It reads the command from standard input, one JSON object:

  {"requestId": "…", "agentId": "…", "label": "Ada", "fromPlayerId": "__human__",
   "kind": "chat", "text": "Where is the shop?"}
  {… "kind": "assist", "toolName": "assist_route", "args": {"to": "shop"}}

Its output is the answer: a text; or a JSON object with "message", "result" (an object) and "error";
or any other JSON object, which is the result. If its exit code is not 0, the answer is a failure
with its output as the reason. Its standard error is only shown here.

With --text its standard input is the text alone, without a line feed after it, and its output is
the answer to a text as it is. Variables have the rest: PLAYCTL_TOOL is the tool, empty for a text;
PLAYCTL_ARG_to is the tool's argument "to"; PLAYCTL_FROM is the asker, PLAYCTL_AGENT_ID the agent,
PLAYCTL_REQUEST_ID the question. An argument that is not a text is JSON, and null sets no variable.
In the name of a variable "_" replaces every character that is not an ASCII letter or a digit. The
program does not run for a call of more than 100 arguments, of two with the same variable, or of one
with a NUL character: the answer is then a failure that says so.

A command runs once, even after a lost connection. After --command-timeout the program gets SIGTERM,
and two seconds later SIGKILL. Ctrl-C removes the agents from the map.`,
		Example: command.Example(
			"playctl intercom serve Ada --exec ./agent.sh --assist-tools tools.json",
			"playctl intercom serve Ada --exec python3 -- agent.py --verbose",
			"playctl intercom serve Ada --text --exec fmt -- --width=60",
			"playctl intercom serve Ada Bob --exec ./agent.sh --concurrency 1 --for 1h"),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
				return command.Usagef("the agent is missing")
			}
			if dash := cmd.ArgsLenAtDash(); dash > 0 {
				args = args[:dash]
			}
			return command.CheckArguments(args, slices.Repeat([]string{"agent"}, len(args))...)
		},
		ValidArgsFunction: a.CompletesEach(command.Agents(command.SeekOwn)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				args, flags.arguments = args[:dash], args[dash:]
			}
			return command.UnlessTerminated(cmd.Context(), serveIntercom(cmd.Context(), a, args, &flags))
		},
	}
	flags.register(a, cmd)
	cmd.Flags().StringVar(&flags.program, "exec", "", "the `program` that answers")
	return cmd
}

// register adds the flags of the program that answers.
func (f *execFlags) register(a *command.App, cmd *cobra.Command) {
	f.agentFlags.register(a, cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.text, "text", false, "give the program the text alone, and the rest in variables")
	flags.BoolVar(&f.passCredentials, "pass-credentials", false, "leave the credentials in playctl's variables to the program, which otherwise gets none")
	flags.DurationVar(&f.limit, "command-timeout", time.Minute, fmt.Sprintf("how long the program may take for one command; the host waits %ds", protocol.MaxIntercomSilenceSeconds))
	flags.IntVar(&f.concurrency, "concurrency", 4, "how many commands run at the same time; others wait")
	flags.IntVar(&f.maxOutput, "max-output", protocol.MaxIntercomResultBytes, "how many bytes the program may print for one command")
}

// check refuses flags that cannot work, before an agent is on the map.
func (f *execFlags) check(a *command.App, agents []string) (program string, err error) {
	if err := f.agentFlags.check(); err != nil {
		return "", err
	}
	switch {
	case f.program == "":
		return "", command.Usagef("the program is missing: add --exec")
	case f.text && f.lines:
		return "", command.Usagef("--text and --lines cannot be used together")
	case f.limit <= 0:
		return "", command.Usagef("--command-timeout must be more than 0")
	case f.concurrency < 1 || f.concurrency > sdk.MaxIntercomConcurrency:
		return "", command.Usagef("--concurrency must be from 1 to %d", sdk.MaxIntercomConcurrency)
	case f.maxOutput < 1 || f.maxOutput > protocol.MaxIntercomResultBytes:
		return "", command.Usagef("--max-output must be from 1 to %d", protocol.MaxIntercomResultBytes)
	case f.name != "" && len(agents) > 1:
		return "", command.Usagef("--name works with one agent only, but there are %d", len(agents))
	}
	program = f.program
	if strings.ContainsAny(program, `/\`) {
		program = a.Absolute(program)
	}
	found, err := exec.LookPath(program)
	if err != nil {
		hint := "does it exist, and is it executable (chmod +x)?"
		if strings.ContainsAny(f.program, " \t") {
			hint = "put its arguments after --, as in --exec python3 -- agent.py"
		}
		return "", command.Hintf(command.Usagef("the program %s cannot be run: %w", f.program, errors.Unwrap(err)), "%s", hint)
	}
	return found, nil
}

// serveIntercom finds the agents and answers for them until ctx ends.
func serveIntercom(ctx context.Context, a *command.App, names []string, flags *execFlags) error {
	program, err := flags.check(a, names)
	if err != nil {
		return err
	}
	caller, err := a.Caller()
	if err != nil {
		return err
	}
	if err := flags.findParent(ctx, a, caller); err != nil {
		return err
	}
	refs := make([]command.AgentRef, len(names))
	for i, name := range names {
		if refs[i], err = a.FindAgent(ctx, caller, name, command.SeekNew); err != nil {
			return err
		}
	}
	return answerFor(ctx, a, caller, refs, program, flags)
}

// answerFor keeps agents on the map and answers for them until ctx ends.
func answerFor(ctx context.Context, a *command.App, caller *command.Caller, refs []command.AgentRef, program string, flags *execFlags) (err error) {
	found, err := findMap(ctx, a, caller, refs...)
	if err != nil {
		return err
	}
	required, err := flags.required(a)
	if err != nil {
		return err
	}
	world, err := remoteWorld(a, caller)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, found.leave(ctx, world)) }()
	runner := newCommandRunner(a, refs, program, flags, required)
	for _, ref := range refs {
		found.warnNamesake(ref)
	}
	answer := runner.run
	var shows lineActivity
	if flags.lines {
		program := newLineProgram(runner, &shows)
		running, stop := context.WithCancel(ctx)
		var kept sync.WaitGroup
		kept.Go(func() { program.keep(running) })
		defer kept.Wait()
		defer stop()
		answer = program.run
	}
	// The stream is opened first, so that no command to an agent on the map is missed.
	commands, err := subscribeCommands(ctx, a, world, runner, runner.logged(answer), flags)
	if err != nil {
		return err
	}
	defer commands.Close()
	kept, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	for _, ref := range refs {
		options, err := heldAgent(a, caller, ref, &flags.agentFlags, found.rows[ref.ID])
		if err != nil {
			return err
		}
		options.OnLost = lose
		agent, shown, err := found.appear(ctx, world, ref, options)
		if err != nil {
			return err
		}
		if err := shows.arrive(ctx, agent); err != nil {
			a.Note("The program printed an activity that cannot be used: %s", render.Clean(brief(err.Error())))
		}
		if err := a.Printer.Item(*shown); err != nil {
			return err
		}
	}
	for _, ref := range refs {
		a.Note("%s", a.LikeThis(fmt.Sprintf("%s answers: \"playctl chat %s\" in another terminal asks it.", ref.Name(), command.Operand(ref.Name()))))
	}
	return hold(kept, a, world, &flags.agentFlags)
}

// newCommandRunner returns what runs a program for each question to the agents.
func newCommandRunner(a *command.App, refs []command.AgentRef, program string, flags *execFlags, required map[string][]string) *commandRunner {
	runner := &commandRunner{
		App: a, program: program, arguments: flags.arguments, text: flags.text, passCredentials: flags.passCredentials, maxOutput: flags.maxOutput,
		agents: map[string]command.AgentRef{}, required: required,
	}
	for _, ref := range refs {
		runner.agents[ref.ID] = ref
	}
	return runner
}

// subscribeCommands opens the stream of commands.
func subscribeCommands(ctx context.Context, a *command.App, world *sdk.RemotePlayWorld, runner *commandRunner, answer sdk.IntercomExecutor, flags *execFlags) (*sdk.IntercomSubscription, error) {
	limited, cancel := a.Limited(ctx)
	defer cancel()
	if err := a.Waiting("Connecting", func() error { _, err := world.Connect(limited); return err }); err != nil {
		return nil, err
	}
	commands, err := world.SubscribeIntercomCommands(ctx, sdk.IntercomOptions{
		AgentIDs: slices.Collect(maps.Keys(runner.agents)), Execute: answer, Timeout: flags.limit, Concurrency: flags.concurrency,
		OnError: func(err error) {
			if !errors.Is(err, sdk.ErrLost) {
				a.Warn(err.Error(), "")
			}
		},
		OnConnection: func(open bool) {
			if open {
				a.Note("The host is back: the agents answer again.")
			} else {
				a.Note("The connection to the host was lost; reconnecting. Questions sent meanwhile are answered afterwards.")
			}
		},
	})
	if err != nil {
		return nil, err
	}
	select {
	case <-commands.Ready():
		return commands, nil
	case <-limited.Done():
		commands.Close()
		return nil, context.Cause(limited)
	}
}

func newAgentRunCommand(a *command.App) *cobra.Command {
	var flags execFlags
	cmd := &cobra.Command{
		Use:        "run <agent> -- <command> [argument...]",
		SuggestFor: []string{"run", "answer"},
		Short:      "Put an agent on the map and answer for it with a program",
		Long: `Put an agent on the map, keep it there, and answer for it with a program. A missing account or agent
is created. Each question and answer is logged with its time. On Ctrl-C (exit code 130) or SIGTERM
(exit code 0) the agent leaves the map, or gets its earlier row back if it was there before. A new
phrase is shown at the terminal; without a terminal it is saved in the credentials file.

The program runs once for each question, which it reads as JSON, or with --text as a text; "playctl
intercom serve --help" describes both. With --lines it keeps running, is restarted when it ends, and
reads and writes JSON objects, one per line:

  in   {"id": "…", "kind": "chat", "text": "Where is it?", "from": "…"}
       {"id": "…", "kind": "assist", "toolName": "assist_route", "args": {}}
       {"id": "…", "cancel": true}
  out  {"id": "…", "part": "It is "}
       {"id": "…", "message": "It is by the river.", "result": {"steps": 3}}
       {"id": "…", "error": "I do not know"}
       {"activity": {"state": "working", "text": "Asking the model", "toolName": "search",
                     "usage": {"inputTokens": 5200, "outputTokens": 310, "costUsd": 0.04}}}

Parts are optional. The last line of an answer has a message, a result or both, or an error. Without
any of them, the parts are the message. Several questions can be open at once.

On the map the agent is idle, working while it answers, and done or failed afterward. A program with
--lines may say so itself with "activity", after which nothing else does: its state is working,
waiting, idle, done or failed, the rest is optional, and a usage alone leaves the state. Everybody
can read it, so it should hold no prompt, command line or output.`,
		Example: command.Example(
			"playctl agent run Ada -- ./agent.sh",
			"playctl agent run Ada --text -- sed 's/^/You said: /'",
			"playctl agent run Ada --assist-tools tools.json --lines -- python3 agent.py"),
		Args: func(cmd *cobra.Command, args []string) error {
			agents, program := agentAndProgram(cmd, args)
			switch {
			case len(agents) == 0:
				return command.Usagef("the agent is missing")
			case len(program) == 0:
				return command.Usagef("the program is missing: put it after --")
			case len(agents) > 1:
				return command.Usagef("only one agent is allowed, and the program comes after --")
			}
			return command.CheckArguments(agents, "agent")
		},
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			agents, program := agentAndProgram(cmd, args)
			flags.program, flags.arguments = program[0], program[1:]
			return command.UnlessTerminated(cmd.Context(), runAgent(cmd.Context(), a, agents[0], &flags))
		},
	}
	flags.register(a, cmd)
	cmd.Flags().BoolVar(&flags.lines, "lines", false, "run the program once, with JSON lines for all questions")
	return cmd
}

// agentAndProgram splits the arguments of "playctl agent run" at their --. A name that
// begins with a dash has one before it too.
func agentAndProgram(cmd *cobra.Command, args []string) (agents, program []string) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash < 0:
		return args, nil
	case dash == 0 && len(args) > 1 && args[1] == "--":
		return args[:1], args[2:]
	}
	return args[:dash], args[dash:]
}

// runAgent creates the account and the agent if they are missing, and answers for the
// agent until ctx ends.
func runAgent(ctx context.Context, a *command.App, name string, flags *execFlags) error {
	program, err := flags.check(a, []string{name})
	if err != nil {
		return err
	}
	caller, err := a.CallerWithAccount(ctx)
	if err != nil {
		return err
	}
	if err := flags.findParent(ctx, a, caller); err != nil {
		return err
	}
	ref, caller, err := a.OwnAgent(ctx, caller, name)
	if err != nil {
		return err
	}
	return answerFor(ctx, a, caller, []command.AgentRef{ref}, program, flags)
}
