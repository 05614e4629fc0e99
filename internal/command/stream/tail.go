// Package stream has the commands that read a world's events: "playctl tail" follows
// them live, "playctl replay" reads a recording of them.
package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		newTailCommand(a), newWaitCommand(a), newReplayCommand(a),
	}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"tail, replay": eventResult{},
		"tail --output json, replay --output json": eventsResult{},
		"wait":           waitResult{},
		"replay --open":  siteResult{},
		"tail --record":  recordedLine{},
		"replay --check": replayResult{},
	}
}

// eventsResult is what render.List writes of events.
type eventsResult struct {
	Events []eventResult `json:"events"` // the events, in order
}

// tailFlags select the world, the printed events and the end of tail.
type tailFlags struct {
	since     uint64
	hasSince  bool
	fromStart bool
	follow    bool
	kinds     []string
	player    string
	until     string
	limit     uint64
	short     bool
	view      string
	record    string
	noVerify  bool
}

// These are the values of --view.
const (
	viewLines = "lines"
	viewMap   = "map"
)

func newTailCommand(a *command.App) *cobra.Command {
	var flags tailFlags
	cmd := &cobra.Command{
		Use:        "tail",
		SuggestFor: []string{"events", "follow", "feed"},
		GroupID:    command.GroupWorld,
		Short:      "Print everything that happens, live",
		Long: `Print everything that happens in the world, live, until Ctrl-C. It reconnects automatically and
continues after the last event it printed; events that the host no longer has are shown
as a gap.

Besides the events it keeps a copy of the world, which it verifies against the host's after
every event. A copy that differs is read again; if it still differs, tail ends with exit
code 5. --no-verify trusts the host.

At a terminal an event is a readable line, above a line with the state of the copy; --view map
shows the world as a live map, with a list of what the agents do. In a pipe, unless --output says
otherwise, an event is one JSON object a line: context, seq, event and data. With --output json or
yaml all of them are one document, {"events": [...]}, which Ctrl-C ends as well.

--short leaves out of the data what an event repeats, which is verified all the same: the root and
the number of leaves, the refs of the changed rows (playerChainNotify) and the changed rows that the
data has already; at is the host's time of the event. --limit ends with 0 after that many events.

--until ends it with 0 once an event meets a condition and is verified, with 5 if the verification
fails, and with 1 after --timeout. A condition is a kind of event, or terms that must all hold, such
as player=Ada,text~=hello or kind=journey,player=Ada; docs/tail.md has the rest.`,
		Example: command.Example(
			"playctl tail",
			"playctl tail --view map",
			"playctl tail --from-start --follow=false",
			"playctl tail --since 1200 --kinds interaction --player Ada --output ndjson | jq .data.text",
			"playctl tail --from-start --until 'interaction,player=Ada,text~=done' --timeout 60s",
			"playctl tail --from-start --limit 3 --short --output ndjson",
			"playctl tail --record monday.ndjson"),
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.hasSince = cmd.Flags().Changed("since")
			if cmd.Flags().Changed("until") && flags.until == "" {
				return command.Usagef("--until needs a condition, such as interaction or player=Ada; omit it if you want none")
			}
			if cmd.Flags().Changed("limit") && flags.limit == 0 {
				return command.Usagef("--limit must be at least 1; omit it if you want none")
			}
			pipeIsNDJSON(a)
			return tail(cmd.Context(), a, &flags)
		},
	}
	flags.register(a, cmd)
	return cmd
}

// register adds the flags of tail.
func (f *tailFlags) register(a *command.App, cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&f.since, "since", 0, "begin after the event with this `seq`")
	cmd.Flags().BoolVar(&f.fromStart, "from-start", false, "begin with the oldest event that the host still has")
	cmd.Flags().BoolVar(&f.follow, "follow", true, "continue with new events; --follow=false ends at the present")
	registerSelection(a, cmd, &f.kinds, &f.player)
	cmd.Flags().StringVar(&f.until, "until", "", "end with 0 once an event meets this `condition`, with 1 after --timeout")
	cmd.Flags().Uint64Var(&f.limit, "limit", 0, "end with 0 after this `number` of printed events")
	cmd.Flags().BoolVar(&f.short, "short", false, "omit from JSON and YAML what an event repeats")
	cmd.Flags().StringVar(&f.view, "view", viewLines, "what a terminal shows: lines or map")
	cmd.Flags().StringVar(&f.record, "record", "", "write the world and every event to a new `file`, for \"playctl replay\"")
	cmd.Flags().BoolVar(&f.noVerify, "no-verify", false, "do not verify the copy of the world")
	command.Choices(cmd, "view", viewLines, viewMap)
	a.CompleteFlag(cmd, "until", offerClauses)
}

// registerSelection adds the flags that select events.
func registerSelection(a *command.App, cmd *cobra.Command, kinds *[]string, player *string) {
	cmd.Flags().StringSliceVar(kinds, "kinds", nil, "print only events of these `kinds`, such as interaction,journey")
	cmd.Flags().StringVar(player, "player", "", "print only events of this player (`agent`: label, name, id or the id's beginning)")
	command.CompleteList(cmd, "kinds", shortKinds()...)
	a.CompleteFlag(cmd, "player", command.Players)
}

// pipeIsNDJSON makes NDJSON the format if no setting selects one, and the output is
// filtered or is not a terminal.
func pipeIsNDJSON(a *command.App) {
	if !a.Sources.Made("output") && (!command.IsTerminal(a.Stdout) || a.Printer.Filter != nil) {
		a.Printer.Format = render.FormatNDJSON
	}
}

// eventResult is one event as "playctl tail" prints it.
type eventResult struct {
	Context string             `json:"context,omitempty"`
	Seq     *uint64            `json:"seq,omitempty"` // the number of the event; absent where the host numbers none
	At      string             `json:"at,omitempty"`  // the host's time of the event; with --short only, and absent where it states none
	Event   protocol.EventKind `json:"event"`         // the kind of the event
	Data    json.RawMessage    `json:"data"`          // what the event says, by its kind: see the events of the protocol
}

// tail follows the world with the flags.
func tail(ctx context.Context, a *command.App, flags *tailFlags) (err error) {
	reader, err := newTailer(a, flags)
	if err != nil {
		return err
	}
	defer reader.client.Close()
	if err := a.Waiting("Connecting", func() error { return reader.prepare(ctx) }); err != nil {
		return err
	}
	if !flags.follow && !reader.past() {
		// There are no events to read.
		return errors.Join(newEventLines(a).close(), reader.recordPresent(ctx), reader.unseen(""))
	}
	ctx, cancel := reader.limitedUntil(ctx)
	defer cancel()
	ctx, stop := a.WhileRead(ctx)
	defer stop()
	err = reader.run(ctx)
	if errors.Is(err, errTimedOut) {
		return reader.tooLate()
	}
	return err
}

// newTailer validates the flags.
func newTailer(a *command.App, flags *tailFlags) (*tailer, error) {
	switch {
	case flags.hasSince && flags.fromStart:
		return nil, command.Usagef("--since and --from-start cannot be used together")
	case flags.record != "" && flags.noVerify:
		return nil, command.Usagef("--record and --no-verify cannot be used together: a recording is for verifying")
	}
	if err := checkView(a, flags); err != nil {
		return nil, err
	}
	if err := command.CheckNumber("since", flags.since); err != nil {
		return nil, err
	}
	caller, err := a.Caller()
	if err != nil {
		return nil, err
	}
	pick, err := newSelection(flags.kinds, flags.player, caller)
	if err != nil {
		return nil, err
	}
	until, err := parseCondition(flags.until)
	if err != nil {
		return nil, err
	}
	c, err := a.Client(caller, caller.Reader())
	if err != nil {
		return nil, err
	}
	return &tailer{App: a, caller: caller, client: c, flags: flags, pick: pick, until: until, quiet: stoppedTimer()}, nil
}

// checkView refuses a map where it cannot be drawn.
func checkView(a *command.App, flags *tailFlags) error {
	switch {
	case flags.view != viewMap:
		return nil
	case command.IsTerminal(a.Stdout) && a.Printer.Format != render.FormatTable:
		return command.Usagef("--view map draws on the terminal and cannot be used with --output %s", a.Printer.Format)
	case !flags.follow:
		return command.Usagef("--view map shows the present and needs --follow")
	}
	return a.CheckScreen("use --view lines")
}

// livelyTerminal reports whether standard output is a terminal on which lines can be
// overwritten.
func livelyTerminal(a *command.App) bool {
	return command.IsTerminal(a.Stdout) && a.Env("TERM") != "dumb" && a.Printer.Format == render.FormatTable
}

// past reports whether there are past events to read first.
func (t *tailer) past() bool {
	return (t.flags.hasSince || t.flags.fromStart) && t.flags.since < t.present
}

// prepare connects to the host and reads the position of the newest event. From then on,
// tail reconnects after a lost connection.
func (t *tailer) prepare(ctx context.Context) (err error) {
	if t.flags.record != "" {
		if t.recording, err = newRecorder(t.Absolute(t.flags.record), t.caller.ContextName()); err != nil {
			return err
		}
	}
	ctx, cancel := t.Limited(ctx)
	defer cancel()
	session, err := t.client.Session(ctx)
	if err != nil {
		return err
	}
	switch {
	case session.Seq != nil:
		t.present = *session.Seq
	case !t.flags.follow:
		return errors.New("this host does not number its events, so there is no present to end at: omit --follow=false")
	}
	if t.recording != nil && !t.client.Has(protocol.CapChainInline) {
		return errors.New("this host does not put the changed rows into its events, so a recording could not be verified: omit --record")
	}
	if session.Seq != nil && t.flags.since == 0 && (t.flags.hasSince || t.flags.fromStart) {
		return t.beginWithOldest(ctx)
	}
	return nil
}

// beginWithOldest begins with the oldest event of the session that the host still has.
// After an older position, such as 0 after a reset, a stream would continue with new
// events only.
func (t *tailer) beginWithOldest(ctx context.Context) error {
	page, err := t.client.ListEvents(ctx, &protocol.ListEventsRequest{Limit: 1, Brief: true})
	if protocol.HasCode(err, protocol.CodeOpUnknown) {
		return nil // A host without lists of events counts as having all of them, after 0.
	}
	if err != nil {
		return fmt.Errorf("find the oldest event: %w", err)
	}
	t.flags.since = page.AfterSeq
	return nil
}
