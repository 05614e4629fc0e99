package sdk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// ErrAgentEnded is matched by errors about an agent that was disconnected, replaced by a newer
// registration, or could not be kept on the map.
var ErrAgentEnded = errors.New("the agent is no longer kept on the map")

// ActivityOption adds to what an agent does now.
type ActivityOption func(*activityDetails) error

// activityDetails are what options add to an activity.
type activityDetails struct {
	toolName string
	usage    *protocol.Usage
}

// UsingTool names the tool in use; a name of more than [protocol.MaxToolNameChars] characters is cut.
func UsingTool(name string) ActivityOption {
	return func(d *activityDetails) error {
		d.toolName = protocol.OneLine(name, protocol.MaxToolNameChars)
		return nil
	}
}

// WithUsage sets what the agent's present run has used so far, as [Agent.Usage] does.
func WithUsage(usage protocol.Usage) ActivityOption {
	return func(d *activityDetails) (err error) {
		d.usage, err = checkedUsage(&usage)
		return err
	}
}

// Working shows everybody that the agent is at work. The text is one line, such as "Editing
// commit.go", and may be empty: white space is collapsed, and what exceeds
// [protocol.MaxActivityTextChars] characters is cut. It is as public as the map, so it should hold
// no prompt, command line or output.
//
// Working, [Agent.Waiting], [Agent.Idle], [Agent.Done], [Agent.Failed] and [Agent.Usage] do not wait
// for the host, and the end of ctx has no effect on them. The agent sends the newest activity, at
// most one a second (a change of the usage alone every 10 s; waiting, done and failed immediately),
// repeats it while the host cannot be reached and after the agent was registered again, and sends
// it before the agent leaves. A host without the capability `activity` gets nothing. Text and tool
// are those of the newest call; the usage stays until another one is set, and an empty one removes it.
//
// An agent whose questions this program answers is idle, working while it answers, and done or failed
// afterward. That ends with the first call of these methods but Usage, or with
// [AgentOptions.OwnActivity].
//
// The error is about wrong arguments, or matches [ErrAgentEnded] or [ErrClosed].
func (a *Agent) Working(_ context.Context, text string, options ...ActivityOption) error {
	return a.report(protocol.ActivityWorking, text, options)
}

// SetActivity does what Working does, with one of [protocol.ActivityStates], for programs that get
// the state from elsewhere.
func (a *Agent) SetActivity(_ context.Context, state, text string, options ...ActivityOption) error {
	if states := protocol.ActivityStates(); !slices.Contains(states, state) {
		return fmt.Errorf("the state is %q: it must be %s", state, strings.Join(states, ", "))
	}
	return a.report(state, text, options)
}

// Waiting shows that the agent waits for a person; see [Agent.Working].
func (a *Agent) Waiting(_ context.Context, text string, options ...ActivityOption) error {
	return a.report(protocol.ActivityWaiting, text, options)
}

// Idle shows that the agent has nothing to do; see [Agent.Working].
func (a *Agent) Idle(_ context.Context, text string, options ...ActivityOption) error {
	return a.report(protocol.ActivityIdle, text, options)
}

// Done shows that the agent finished what it was asked; see [Agent.Working].
func (a *Agent) Done(_ context.Context, text string, options ...ActivityOption) error {
	return a.report(protocol.ActivityDone, text, options)
}

// Failed shows that the agent could not do what it was asked; see [Agent.Working].
func (a *Agent) Failed(_ context.Context, text string, options ...ActivityOption) error {
	return a.report(protocol.ActivityFailed, text, options)
}

// Usage sets what the agent's present run has used so far, in totals that replace the previous
// ones, without changing what the agent does. Before the first activity it is stored until there is
// one. A number that is not finite or below 0 is an error. See [Agent.Working].
func (a *Agent) Usage(_ context.Context, usage protocol.Usage) error {
	own, err := checkedUsage(&usage)
	if err != nil {
		return err
	}
	return a.activity.change(func(r *protocol.RecordActivityRequest) { r.Usage = unlessEmpty(own) })
}

// report changes what the agent does.
func (a *Agent) report(state, text string, options []ActivityOption) error {
	var details activityDetails
	for i, option := range options {
		if option == nil {
			return fmt.Errorf("activity option %d is nil", i+1)
		}
		if err := option(&details); err != nil {
			return err
		}
	}
	return a.activity.change(func(r *protocol.RecordActivityRequest) {
		a.activity.answering.own = true
		r.State, r.Text, r.ToolName = state, protocol.OneLine(text, protocol.MaxActivityTextChars), details.toolName
		if details.usage != nil {
			r.Usage = unlessEmpty(details.usage)
		}
	})
}

// unlessEmpty returns nil for a usage in which nothing is known.
func unlessEmpty(u *protocol.Usage) *protocol.Usage {
	if *u == (protocol.Usage{}) {
		return nil
	}
	return u
}

// checkedUsage returns a copy that shares nothing with the caller's.
func checkedUsage(u *protocol.Usage) (*protocol.Usage, error) {
	var own protocol.Usage
	for _, number := range []struct {
		name    string
		from    *float64
		checked **float64
	}{
		{"inputTokens", u.InputTokens, &own.InputTokens},
		{"outputTokens", u.OutputTokens, &own.OutputTokens},
		{"costUsd", u.CostUSD, &own.CostUSD},
		{"toolCalls", u.ToolCalls, &own.ToolCalls},
		{"errors", u.Errors, &own.Errors},
	} {
		if number.from == nil {
			continue
		}
		value := *number.from
		if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
			return nil, fmt.Errorf("the usage has %s %v: it must be a finite number from 0", number.name, value)
		}
		*number.checked = &value
	}
	return &own, nil
}

// RecordActivity replaces what a player's row says it does now, once and immediately. Agents of
// this world send theirs with [Agent.Working] and the methods like it, which combine many calls.
func (w *RemotePlayWorld) RecordActivity(
	ctx context.Context, r protocol.RecordActivityRequest,
) (*protocol.RecordActivityReply, error) {
	return duringWith(ctx, w, w.callerFor(r.PlayerID).RecordActivity, r)
}
