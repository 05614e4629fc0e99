package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// tailFlags say which events are printed.
type tailFlags struct {
	since     uint64
	hasSince  bool
	fromStart bool
	follow    bool
}

func newTailCommand(a *app) *cobra.Command {
	var flags tailFlags
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print everything that happens, live",
		Long: `Print everything that happens in the world, live, until Ctrl-C. It reconnects by itself and
goes on after the last event it printed; events that the host no longer has are told as a
gap, never left out in silence.

At a terminal an event is a readable line. In a pipe, unless --output says otherwise, it is
one JSON object a line: context, seq, event and data.`,
		Example: example(
			"playctl tail",
			"playctl tail --from-start --follow=false",
			"playctl tail --since 1200 --output ndjson | jq .event"),
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.hasSince = cmd.Flags().Changed("since")
			if flags.hasSince && flags.fromStart {
				return usagef("--since and --from-start exclude each other")
			}
			if !cmd.Flags().Changed("output") && a.layers.origins["output"] == "" && !isTerminal(a.Stdout) {
				a.printer.Format = render.FormatNDJSON
			}
			return a.tail(cmd.Context(), &flags)
		},
	}
	cmd.Flags().Uint64Var(&flags.since, "since", 0, "begin after the event with this `seq`")
	cmd.Flags().BoolVar(&flags.fromStart, "from-start", false, "begin with the oldest event that the host still has")
	cmd.Flags().BoolVar(&flags.follow, "follow", true, "go on with new events; --follow=false ends at the present")
	return cmd
}

// eventResult is one event as "playctl tail" prints it.
type eventResult struct {
	Context string             `json:"context,omitempty"`
	Seq     *uint64            `json:"seq,omitempty"`
	Event   protocol.EventKind `json:"event"`
	Data    json.RawMessage    `json:"data"`
}

func (a *app) tail(ctx context.Context, flags *tailFlags) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	c, err := a.client(who, who.main)
	if err != nil {
		return err
	}
	defer c.Close()
	reader := &tailer{app: a, who: who, client: c, flags: flags}
	if err := a.waiting("Connecting", func() error { return reader.prepare(ctx) }); err != nil {
		return err
	}
	return reader.run(ctx)
}

// tailer prints a stream of events.
type tailer struct {
	*app
	who    *caller
	client *client.Client
	flags  *tailFlags
	names  render.Names
	// present is the position of the newest event when the stream began.
	present uint64
	// numbered is false on hosts that give no positions.
	numbered bool
}

// prepare checks that the host is there, and learns names and where the present
// is. From then on a lost connection is made again.
func (t *tailer) prepare(ctx context.Context) error {
	ctx, cancel := t.limited(ctx)
	defer cancel()
	session, err := t.client.Session(ctx)
	if err != nil {
		return err
	}
	if session.Seq != nil {
		t.present, t.numbered = *session.Seq, true
	}
	if !t.flags.follow && !t.numbered {
		return errors.New("this host does not number its events, so there is no present to end at: leave out --follow=false")
	}
	rows, err := readRows(ctx, t.client)
	if err != nil {
		return err
	}
	for _, row := range rows {
		t.names.LearnRow(row)
	}
	return nil
}

func (t *tailer) run(ctx context.Context) error {
	options := client.StreamOptions{After: t.flags.since, HasAfter: t.flags.hasSince || t.flags.fromStart}
	if !t.flags.follow && options.After >= t.present {
		return nil
	}
	if !t.flags.follow && !options.HasAfter {
		// The present begins and ends at the same place.
		return nil
	}
	stream := t.client.Events(ctx, options)
	defer stream.Close()
	for {
		signal, err := stream.Next()
		if err != nil {
			return err
		}
		done, err := t.take(signal)
		if done || err != nil {
			return err
		}
	}
}

// take deals with one signal and reports whether it was the last.
func (t *tailer) take(signal client.Signal) (done bool, err error) {
	switch signal.Type {
	case client.SignalEvent:
		if err := t.print(signal.Event); err != nil {
			return false, err
		}
		return !t.flags.follow && signal.Event.Seq >= t.present, nil
	case client.SignalLost:
		return false, t.lost(signal)
	case client.SignalConnecting, client.SignalOpen, client.SignalCursor:
	}
	return false, nil
}

// lost tells that the connection is made again, and gives up where that is of
// no use.
func (t *tailer) lost(signal client.Signal) error {
	var refused *protocol.Error
	if errors.As(signal.Err, &refused) && exitCode(refused) == exitUnauthorised {
		return refused
	}
	if signal.Err != nil {
		t.note("%s", t.errorLook().Faint(fmt.Sprintf("The connection was lost (%s); trying again in %s.", render.Clean(signal.Err.Error()), render.Span(signal.Wait))))
	}
	return nil
}

func (t *tailer) print(event client.Event) error {
	result := eventResult{Context: t.who.contextName(), Event: event.Kind, Data: event.Data}
	if event.HasSeq {
		result.Seq = &event.Seq
	}
	shown := render.Event{Kind: event.Kind, Data: event.Data}
	if !event.HasSeq || event.Seq > t.present {
		shown.Seen = t.Now()
	}
	line := ""
	if t.printer.Format == render.FormatTable {
		line = render.EventLine(t.look(t.Stdout), &t.names, shown)
	}
	return t.printer.Item(render.Document{Data: result, Views: []render.View{render.Text(line)}})
}
