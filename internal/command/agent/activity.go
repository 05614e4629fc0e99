package agent

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// usageFlags are the numbers of a usage, by their flags.
type usageFlags map[string]*float64

func newRecordActivityCommand(a *command.App) *cobra.Command {
	var tool string
	numbers := usageFlags{}
	cmd := &cobra.Command{
		Use:     "record-activity <agent> <state> [text]",
		GroupID: command.GroupWorld,
		Short:   "Record what an agent does now",
		Long: fmt.Sprintf(`Record what an agent on the map does now: working, waiting (for a person), idle, done (it finished
what it was asked) or failed. The text is one line, cut at %d characters. Everybody in the world can
read it, so it should hold no prompt, command line or output.

It replaces the whole activity of the agent, with its tool and its usage, and ends when the agent
leaves the map.`, protocol.MaxActivityTextChars),
		Example: command.Example(
			"playctl record-activity Ada working \"Editing commit.go\" --tool edit",
			"playctl record-activity Ada waiting \"Approve the commit\"",
			"playctl record-activity Ada done --input-tokens 5200 --output-tokens 310 --cost-usd 0.04"),
		Args: command.Takes("agent", "state", "text?"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return protocol.ActivityStates(), cobra.ShellCompDirectiveNoFileComp
			}
			return a.CompletesAgent(command.SeekOwn)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			request := protocol.RecordActivityRequest{State: args[1], ToolName: protocol.OneLine(tool, protocol.MaxToolNameChars)}
			if states := protocol.ActivityStates(); !slices.Contains(states, request.State) {
				last := len(states) - 1
				return command.Usagef("the state is %q: it must be %s or %s", request.State, strings.Join(states[:last], ", "), states[last])
			}
			if cmd.Flags().Changed("tool") && request.ToolName == "" {
				return command.Usagef("--tool is blank")
			}
			if len(args) > 2 {
				request.Text = args[2]
			}
			var err error
			if request.Usage, err = numbers.usage(cmd); err != nil {
				return err
			}
			return a.AsAgent(cmd.Context(), args[0], command.SeekOwn, "Recording", func(ctx context.Context, caller *command.Caller, ref command.AgentRef, c *client.Client) (*render.Document, error) {
				request.PlayerID = ref.ID
				reply, err := c.RecordActivity(ctx, request)
				if err != nil {
					return nil, err
				}
				result := recordedResult{Context: caller.ContextName(), PlayerID: ref.ID, Rev: reply.Rev}
				return command.SentenceDocument(result, "%s is %s.", ref.Name(), nowDoing[request.State]), nil
			})
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "the `tool` in use")
	numbers.register(cmd)
	return cmd
}

// nowDoing are the states in a sentence about the agent.
var nowDoing = map[string]string{
	protocol.ActivityWorking: "working", protocol.ActivityWaiting: "waiting for a person", protocol.ActivityIdle: "idle",
	protocol.ActivityDone: "done", protocol.ActivityFailed: "marked as failed",
}

// register adds the flags.
func (f usageFlags) register(cmd *cobra.Command) {
	for name, help := range map[string]string{
		"input-tokens":  "how many tokens models have read in this run",
		"output-tokens": "how many tokens models have written in this run",
		"cost-usd":      "what this run has cost, in US dollars",
		"tool-calls":    "how many times this run has called tools",
		"errors":        "how many of these calls have failed",
	} {
		f[name] = cmd.Flags().Float64(name, 0, help)
	}
}

// usage returns the numbers on the command line, nil if there are none.
func (f usageFlags) usage(cmd *cobra.Command) (*protocol.Usage, error) {
	var usage protocol.Usage
	for name, field := range map[string]**float64{
		"input-tokens": &usage.InputTokens, "output-tokens": &usage.OutputTokens, "cost-usd": &usage.CostUSD,
		"tool-calls": &usage.ToolCalls, "errors": &usage.Errors,
	} {
		if !cmd.Flags().Changed(name) {
			continue
		}
		if *field = f[name]; math.IsNaN(**field) || math.IsInf(**field, 0) || **field < 0 {
			return nil, command.Usagef("--%s must be a number from 0", name)
		}
	}
	if usage == (protocol.Usage{}) {
		return nil, nil
	}
	return &usage, nil
}
