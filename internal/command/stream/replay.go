package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// replayFlags select the output of "playctl replay".
type replayFlags struct {
	kinds  []string
	player string
	check  bool
	open   bool
}

// validate refuses flags that exclude each other.
func (f *replayFlags) validate() error {
	switch {
	case f.open && f.check:
		return command.Usagef("--open and --check cannot be used together")
	case (f.open || f.check) && (len(f.kinds) > 0 || f.player != ""):
		return command.Usagef("--open and --check are for a whole recording: omit --kinds and --player")
	}
	return nil
}

func newReplayCommand(a *command.App) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:     "replay <file>",
		GroupID: command.GroupWorld,
		Short:   "Print a recording and verify every event of it again",
		Long: `Print the events of a recording that "playctl tail --record" created, - for standard input, as tail
would print them. It contacts no host: it creates the world from the recording's snapshot, merges the
rows of each event into it, and compares root and leaf count with those that the host stated.

What is verified is the map after each event. The texts of chat lines are not in the map, so nothing
proves that they are the host's. The lines of a recording are numbered, and its last line states their
number and SHA-256, which finds a damaged or edited file.

It ends with exit code 5 at the first event that does not verify, and at a line that is missing or
changed. A recording without its last line, as after a crash, ends early, which it says.
--check prints what was verified instead of the events.

--open shows the recording in the watch page, which plays and verifies it, at an address of this
machine until Ctrl-C.`,
		Example: command.Example(
			"playctl replay monday.ndjson",
			"playctl replay monday.ndjson --open",
			"playctl replay monday.ndjson --check --output json",
			"gunzip < monday.ndjson.gz | playctl replay - --kinds interaction"),
		Args: command.Takes("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.validate(); err != nil {
				return err
			}
			if flags.open {
				return showRecording(cmd.Context(), a, args[0])
			}
			if !flags.check {
				pipeIsNDJSON(a)
			}
			return replay(cmd.Context(), a, args[0], &flags)
		},
	}
	registerSelection(a, cmd, &flags.kinds, &flags.player)
	cmd.Flags().BoolVar(&flags.check, "check", false, "print what was verified instead of the events")
	cmd.Flags().BoolVar(&flags.open, "open", false, "show the recording in the watch page, until Ctrl-C")
	return cmd
}

// replayResult is what "playctl replay --check" prints.
type replayResult struct {
	File      string  `json:"file"`          // the recording
	OK        bool    `json:"ok"`            // whether no line is missing or changed, and the map was equal at every event that states a root
	Complete  bool    `json:"complete"`      // whether it has its last line; otherwise it ends early
	Lines     int     `json:"lines"`         // lines that were read
	Events    int     `json:"events"`        // events in it
	Proved    int     `json:"proved"`        // events at which the map was verified; the others are from before the first snapshot, or state no root
	Gaps      uint64  `json:"gaps"`          // positions between its events that were for other subscribers only
	Snapshots int     `json:"snapshots"`     // snapshots in it
	Rev       *uint64 `json:"rev,omitempty"` // the rev at its end
	Root      string  `json:"merkleRootHex,omitempty"`
	Leaves    int     `json:"merkleLeafCount,omitempty"`
}

func replay(ctx context.Context, a *command.App, name string, flags *replayFlags) error {
	pick, err := newSelection(flags.kinds, flags.player, nil)
	if err != nil {
		return err
	}
	source, err := a.OpenInput(name)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	var p command.Progress
	r := &replayer{App: a, pick: pick, check: flags.check, lines: newRecordedLines(p.Input(source))}
	r.result.File = name
	verify := func() error { return r.run(ctx) }
	var failed error
	if flags.check || !command.IsTerminal(a.Stdout) {
		failed = a.Watching(p.Bytes("Verifying the recording"), verify)
	} else {
		failed = verify() // The events themselves show the progress.
	}
	r.result.OK = failed == nil
	r.result.Complete, r.result.Lines, r.result.Gaps = r.lines.complete, r.lines.number, r.proof.gaps
	if ctx.Err() != nil || failed != nil && !errors.Is(failed, command.ErrUnverified) {
		return failed
	}
	if flags.check {
		return errors.Join(a.Printer.Print(r.document()), failed)
	}
	if failed == nil {
		a.Note("%s", a.ErrorLook().Faint(r.summary()))
	}
	return failed
}

// replayer verifies a recording and prints it.
type replayer struct {
	*command.App
	pick   *selection
	check  bool
	lines  *recordedLines
	proof  recordedWorld
	names  render.Names
	result replayResult
}

// run replays the recording until its end or the first failed verification.
func (r *replayer) run(ctx context.Context) (err error) {
	out := newEventLines(r.App)
	if !r.check {
		defer func() { err = errors.Join(err, out.close()) }()
	}
	for ctx.Err() == nil {
		line, err := r.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return r.ended()
		case err != nil:
			return fmt.Errorf("%s: %w", command.InputName(r.result.File), err)
		}
		if err := r.take(line, out); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

func (r *replayer) take(line *recordedLine, out *eventLines) error {
	proved, err := r.proof.take(line)
	if err != nil {
		return fmt.Errorf("%w: %s, line %d: %w", command.ErrUnverified, line.name(), r.lines.number, err)
	}
	if line.Snapshot != nil {
		r.result.Snapshots++
		for o := range r.proof.copy.Snapshot().Occupants() {
			r.names.Learn(occupantName(o))
		}
		return nil
	}
	r.result.Events++
	if proved {
		r.result.Proved++
	}
	shown := render.Event{Kind: line.Event, Data: line.Data}
	r.names.LearnFrom(shown)
	fields := &eventFields{event: &sdk.Event{Kind: line.Event, Data: line.Data}}
	if r.check || !r.pick.takes(fields, &r.names) {
		return nil
	}
	result := eventResult{Context: line.Context, Seq: line.Seq, Event: line.Event, Data: line.Data}
	return out.event(result, shown, &r.names, render.Status{})
}

// ended stores the state at the end of the recording.
func (r *replayer) ended() error {
	if r.result.Snapshots == 0 {
		return command.Hintf(errors.New("the recording has no snapshot, so none of it can be verified"),
			"create recordings with \"playctl tail --record\"")
	}
	end := r.proof.copy.Snapshot()
	r.result.Rev, r.result.Root, r.result.Leaves = end.Head().Rev, end.Root().Hex(), end.LeafCount()
	return nil
}

// summary returns the result as sentences.
func (r *replayer) summary() string {
	verdict := r.verdict()
	text := strings.ToUpper(verdict[:1]) + verdict[1:] + "."
	if !r.result.Complete {
		text += " The recording " + r.end() + "."
	}
	return text
}

// verdict states what was verified, and what was not.
func (r *replayer) verdict() string {
	if !r.result.OK {
		return "not verified"
	}
	text := fmt.Sprintf("map verified at %d of %s; chat texts are not covered", r.result.Proved, command.Plural(r.result.Events, "event", "events"))
	if r.result.Proved < r.result.Events {
		text += "; the other events are from before the first snapshot, or state no root"
	}
	return text
}

// end states whether the recording has its last line.
func (r *replayer) end() string {
	switch {
	case !r.result.OK:
		return fmt.Sprintf("was read up to line %d", r.result.Lines)
	case r.result.Complete:
		return fmt.Sprintf("is complete: %s, with the SHA-256 that its end states", command.Plural(r.result.Lines, "line", "lines"))
	case r.proof.last != nil:
		return fmt.Sprintf("ends early at line %d, event %d: what came after it is missing", r.result.Lines, *r.proof.last)
	}
	return fmt.Sprintf("ends early at line %d: what came after it is missing", r.result.Lines)
}

func (r *replayer) document() render.Document {
	return render.Document{Data: r.result, Views: []render.View{render.Fields{
		{Name: "file", Value: r.result.File},
		{Name: "verdict", Value: r.verdict()},
		{Name: "recording", Value: r.end()},
		{Name: "events", Value: command.Decimal(int64(r.result.Events))},
		{Name: "verified", Value: command.Decimal(int64(r.result.Proved))},
		{Name: "gaps", Value: command.Number(&r.result.Gaps)},
		{Name: "snapshots", Value: command.Decimal(int64(r.result.Snapshots))},
		{Name: "rev", Value: command.Number(r.result.Rev)},
		{Name: "root", Value: r.result.Root},
	}}}
}

// siteResult is what "playctl replay --open" prints.
type siteResult struct {
	File string `json:"file"` // the recording
	URL  string `json:"url"`  // the page that shows it while the command runs
}

// showRecording serves the watch page with a recording until the command ends.
func showRecording(ctx context.Context, a *command.App, name string) error {
	info, err := os.Stat(a.Absolute(name))
	switch {
	case name == "-", err == nil && !info.Mode().IsRegular():
		return command.Usagef("--open needs a file: the page reads it more than once")
	case err != nil:
		return fmt.Errorf("read the recording: %w", err)
	}
	site, err := host.RecordingSite(a.Absolute(name))
	if err != nil {
		return fmt.Errorf("show the recording: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("show the recording: %w", err)
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	url := "http://" + listener.Addr().String() + protocol.ServicePlay.Watch()
	err = a.PrintSentence(siteResult{File: name, URL: url}, "%s", url)
	if err == nil && command.HasBrowser(a) {
		if failed := command.OpenBrowser(ctx, url); failed != nil {
			a.Note("Open the address yourself: %v", failed)
		}
	}
	if err == nil {
		select {
		case err = <-served:
			return fmt.Errorf("show the recording: %w", err)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	closed := server.Close()
	stopped := <-served
	if errors.Is(stopped, http.ErrServerClosed) {
		stopped = nil
	}
	return errors.Join(err, closed, stopped)
}
