package main

import (
	"fmt"
	"io"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/render"
)

// display shows a world that is followed. All of its methods but due write to
// the terminal or pipe, and fail with it.
type display interface {
	// event shows an event that the flags select.
	event(result eventResult, line render.Event, names *render.Names, status render.Status) error
	// world takes a new state of the copy; it is shown with the next draw.
	world(snapshot *chain.Snapshot)
	// problem tells of something that is being dealt with.
	problem(err error, status render.Status) error
	// draw brings what is shown up to date, or sets the time at which due asks
	// for it.
	draw(status render.Status) error
	// due is ready when draw should be called although nothing happened.
	due() <-chan time.Time
	// away leaves the terminal to others, back takes it again as if nothing were
	// shown.
	away() error
	back() error
	// close leaves the terminal as it was.
	close() error
}

// newDisplay is the display that suits the flags and the surroundings.
func (t *tailer) newDisplay() (display, error) {
	plain := &eventLines{app: t.app, look: t.look}
	switch {
	case t.flags.view == viewMap:
		return t.newMapDisplay()
	case t.livelyTerminal() && !t.settings.quiet:
		return &statusDisplay{eventLines: plain}, nil
	}
	return plain, nil
}

// eventLines prints one event after the other and nothing else, as a pipe wants
// it. What is written is not held back.
type eventLines struct {
	*app
	look func(io.Writer) render.Look
}

func (d *eventLines) item(result eventResult, line render.Event, names *render.Names) render.Document {
	text := ""
	if d.printer.Format == render.FormatTable {
		text = render.EventLine(d.look(d.Stdout), names, line)
	}
	return render.Document{Data: result, Views: []render.View{render.Text(text)}}
}

func (d *eventLines) event(result eventResult, line render.Event, names *render.Names, _ render.Status) error {
	return d.printer.Item(d.item(result, line, names))
}

func (d *eventLines) problem(err error, _ render.Status) error {
	d.note("%s", d.errorLook().Faint(render.Clean(err.Error())+"; going on."))
	return nil
}

func (*eventLines) world(*chain.Snapshot)    {}
func (*eventLines) draw(render.Status) error { return nil }
func (*eventLines) due() <-chan time.Time    { return nil }
func (*eventLines) away() error              { return nil }
func (*eventLines) back() error              { return nil }
func (*eventLines) close() error             { return nil }

// statusDisplay prints lines as well, and below the last of them, on a line that
// is written over, where the copy stands.
type statusDisplay struct {
	*eventLines
	shown string
}

// wipe empties the line that the cursor is on.
const wipe = "\r\x1b[K"

func (d *statusDisplay) event(_ eventResult, line render.Event, names *render.Names, status render.Status) error {
	look := d.look(d.Stdout)
	return d.write(wipe+render.EventLine(look, names, line)+render.StatusLine(look, status), status)
}

func (d *statusDisplay) problem(err error, status render.Status) error {
	if err := d.write(wipe, status); err != nil {
		return err
	}
	d.shown = ""
	if err := d.eventLines.problem(err, status); err != nil {
		return err
	}
	return d.draw(status)
}

func (d *statusDisplay) draw(status render.Status) error {
	line := render.StatusLine(d.look(d.Stdout), status)
	if line == d.shown {
		return nil
	}
	return d.write(wipe+line, status)
}

func (d *statusDisplay) write(text string, status render.Status) error {
	d.shown = render.StatusLine(d.look(d.Stdout), status)
	if _, err := io.WriteString(d.Stdout, text); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

func (d *statusDisplay) away() error { return d.close() }

func (d *statusDisplay) back() error {
	d.shown = ""
	return nil
}

func (d *statusDisplay) close() error {
	if _, err := io.WriteString(d.Stdout, wipe); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}
