package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// waitResult is what "playctl wait" prints.
type waitResult struct {
	Context  string  `json:"context,omitempty"`
	AgentID  string  `json:"agentId"`            // its node id
	Name     string  `json:"name"`               // its name on the map
	State    string  `json:"state"`              // the state that was waited for
	Text     string  `json:"text,omitempty"`     // what it does, in its own words
	ToolName string  `json:"toolName,omitempty"` // the tool in use
	Since    string  `json:"since"`              // when the state began, by the host's clock
	Seq      *uint64 `json:"seq,omitempty"`      // the position in the world's log, for --since; absent where the host numbers no events
}

func newWaitCommand(a *command.App) *cobra.Command {
	var states []string
	var next bool
	flags := tailFlags{follow: true, view: viewLines}
	cmd := &cobra.Command{
		Use:        "wait [agent]",
		SuggestFor: []string{"await", "notify"},
		GroupID:    command.GroupWorld,
		Short:      "Wait until an agent is in a state, such as waiting or done",
		Long: `Wait until an agent is in one of the states of --for, and print its name, state and text. Without an
argument it is any agent; an agent of yours is named by its label, others by name or id. A state
that an agent is in already counts, unless --next asks for one that begins from now on, or --since
for one that began after an event: the seq of the last result, so that a loop misses nothing in
between.

It ends with 0 once the state is there and the copy of the world is verified, with 5 if the
verification fails, and with 1 after --timeout or when the named agent leaves the map. It reconnects
automatically.`,
		Example: command.Example(
			"playctl wait --for waiting --timeout 0",
			"playctl wait Ada --for done,failed --timeout 10m",
			"playctl wait --for waiting --jq '.name, .text, .seq'"),
		Args:              command.Takes("agent?"),
		ValidArgsFunction: a.CompletesAgent(command.SeekAny),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.hasSince = cmd.Flags().Changed("since")
			if len(args) > 0 {
				if flags.player = args[0]; flags.player == "" {
					return command.Usagef("the agent's name is empty")
				}
			}
			w := &stateWait{states: states, agent: flags.player, next: next || flags.hasSince}
			switch {
			case len(states) == 0:
				return command.Usagef("--for needs a state, such as waiting or done")
			case next && flags.hasSince:
				return command.Usagef("--next and --since cannot be used together")
			}
			for _, state := range states {
				if !slices.Contains(protocol.ActivityStates(), state) {
					return command.Usagef("--for: %q is not a state: use %s", state, strings.Join(protocol.ActivityStates(), ", "))
				}
			}
			return w.run(cmd.Context(), a, &flags)
		},
	}
	cmd.Flags().StringSliceVar(&states, "for", nil, "the `states` to wait for, such as waiting,done")
	cmd.Flags().BoolVar(&next, "next", false, "only a state that begins from now on")
	cmd.Flags().Uint64Var(&flags.since, "since", 0, "only a state that began after the event with this `seq`")
	command.CompleteList(cmd, "for", protocol.ActivityStates()...)
	return cmd
}

// stateWait waits for the state of an agent in a followed world.
type stateWait struct {
	states []string
	// agent is the agent as it was named, "" for any.
	agent string
	// next is set if a state that was there before does not count.
	next bool
	// gap is set while events may have been missed: what the next read shows counts.
	gap bool
	// known is what the agents did as of the last read or event, by their ids, and readAt the
	// last event that the read includes, nil if the host numbers none.
	known  map[string]protocol.Activity
	readAt *uint64
	found  *waitResult
}

// errLeft is matched by the error of a wait whose agent left the map.
var errLeft = errors.New("the agent left the map")

func (w *stateWait) run(ctx context.Context, a *command.App, flags *tailFlags) error {
	t, err := newTailer(a, flags)
	if err != nil {
		return err
	}
	defer t.client.Close()
	if err := a.Waiting("Connecting", func() error { return t.prepare(ctx) }); err != nil {
		return err
	}
	if !t.client.Has(protocol.CapActivity) {
		return errors.New("this host does not know what agents do, so there is nothing to wait for")
	}
	t.wait = w
	// Anybody can choose any name; a label of the context is one agent.
	if known, is := t.caller.Known(flags.player); is {
		flags.player = known.NodeID
	}
	ctx, cancel := t.limitedUntil(ctx)
	defer cancel()
	if err = t.run(ctx); errors.Is(err, errTimedOut) {
		return t.tooLate()
	}
	if err != nil || w.found == nil {
		return err
	}
	line := w.found.Name + " (" + w.found.State + ")"
	if w.found.Text != "" {
		line += ": " + w.found.Text
	}
	return a.PrintSentence(w.found, "%s", line)
}

// read looks at the agents of a full read, and reports whether one meets the wait.
func (w *stateWait) read(t *tailer) bool {
	first := w.known == nil
	before := w.known
	w.known, w.readAt = map[string]protocol.Activity{}, t.state.Snapshot.Head().Seq
	var rows []*protocol.Agent
	for o := range t.state.Snapshot.Occupants() {
		row, isAgent := o.(*protocol.Agent)
		if !isAgent || row.Activity == nil {
			continue
		}
		w.known[row.AgentID] = *row.Activity
		old, was := before[row.AgentID]
		began := !was || old.State != row.Activity.State || old.Since != row.Activity.Since
		if counts := w.gap || !w.next || !first && began; counts && w.waitsFor(t, row.AgentID, row.Activity) {
			rows = append(rows, row)
		}
	}
	w.gap = false
	if len(rows) == 0 {
		return false
	}
	row := render.Arrange(rows)[0]
	w.find(t, row.AgentID, row.Activity, t.state.Snapshot.Head().Seq)
	return true
}

// event looks at an event. done is set if it ends the wait, with err as the result.
func (w *stateWait) event(t *tailer, fields *eventFields) (done bool, err error) {
	event := fields.event
	switch event.Kind {
	case protocol.EventSessionResync:
		w.gap = true
	case protocol.EventPlayerRemoved:
		if t.flags.player != "" && fields.isAbout(t.flags.player, t.pick.namesOf(&t.names)) {
			return true, fmt.Errorf("%w before it was %s", errLeft, w)
		}
	case protocol.EventActivity:
		var changed protocol.ActivityData
		if err := event.Decode(&changed); err == nil {
			return w.changed(t, fields, &changed), nil
		}
	}
	return false, nil
}

// changed looks at what an agent does as of an event, and reports whether it meets the
// wait.
func (w *stateWait) changed(t *tailer, fields *eventFields, data *protocol.ActivityData) bool {
	lasts := false
	// With --since, events come that the read includes already: what it shows is not older.
	if included := fields.event.HasSeq && w.readAt != nil && fields.event.Seq <= *w.readAt; !included && w.known != nil {
		old, was := w.known[data.PlayerID]
		lasts = was && old.State == data.Activity.State && old.Since == data.Activity.Since
		w.known[data.PlayerID] = data.Activity
	}
	if w.next && (lasts || !began(fields, &data.Activity)) || !w.waitsFor(t, data.PlayerID, &data.Activity) {
		return false
	}
	var seq *uint64
	if fields.event.HasSeq {
		seq = &fields.event.Seq
	}
	w.find(t, data.PlayerID, &data.Activity, seq)
	return true
}

// began reports whether a state began with its event, as far as the event shows.
func began(fields *eventFields, activity *protocol.Activity) bool {
	at := render.EventTime(fields.event.Data)
	return at == "" || at == activity.Since
}

// waitsFor reports whether the wait is for this agent and state.
func (w *stateWait) waitsFor(t *tailer, id string, activity *protocol.Activity) bool {
	if !slices.Contains(w.states, activity.State) {
		return false
	}
	return t.flags.player == "" || isID(id, t.flags.player) || slices.Contains(t.pick.namesOf(&t.names)(id), t.flags.player)
}

func (w *stateWait) find(t *tailer, id string, activity *protocol.Activity, seq *uint64) {
	w.found = &waitResult{
		Context: t.caller.ContextName(), AgentID: id, Name: t.names.Of(id),
		State: activity.State, Text: activity.Text, ToolName: activity.ToolName, Since: activity.Since, Seq: seq,
	}
}

// String returns the states in words: "waiting or done".
func (w *stateWait) String() string { return strings.Join(w.states, " or ") }

// unmet returns the error of a wait that ended before an agent was in a state.
func (w *stateWait) unmet(when string) error {
	switch {
	case w.next && w.agent != "":
		return fmt.Errorf("%s did not change to %s%s", w.agent, w, when)
	case w.next:
		return fmt.Errorf("no agent changed to %s%s", w, when)
	case w.agent != "":
		return fmt.Errorf("%s was not %s%s", w.agent, w, when)
	}
	return fmt.Errorf("no agent was %s%s", w, when)
}

// silentDisplay prints problems and no events.
type silentDisplay struct{ *eventLines }

func (silentDisplay) close() error { return nil }

// metAtOnce ends the wait with what a full read shows, once that is verified.
func (t *tailer) metAtOnce() (done bool, err error) {
	if t.wait == nil || t.ending != nil || !t.wait.read(t) {
		return false, nil
	}
	t.ending = &ending{event: &sdk.Event{Kind: protocol.EventActivity}, taken: true}
	return t.proved(t.state.Verification)
}
