package stream

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

// display shows a followed world. All of its methods but due write to the terminal or
// pipe, and return its errors.
type display interface {
	// event shows an event that the flags select.
	event(result eventResult, line render.Event, names *render.Names, status render.Status) error
	// world sets a new state of the copy, which the next draw shows.
	world(snapshot *chain.Snapshot)
	// problem shows an error after which tail continues.
	problem(err error, status render.Status) error
	// draw updates the output, or sets the time at which due requests the update.
	draw(status render.Status) error
	// due is ready when draw should be called without an event.
	due() <-chan time.Time
	// keys returns the pressed keys; nil if the display reads none.
	keys() <-chan byte
	// press handles any key but those that end or suspend.
	press(key byte, status render.Status) error
	// away restores the terminal for other programs, back takes it over again and assumes
	// that it is empty.
	away() error
	back() error
	// close restores the terminal.
	close() error
}

// newDisplay returns the display for the flags and the terminal.
func (t *tailer) newDisplay() (display, error) {
	plain := newEventLines(t.App)
	switch {
	case t.flags.view == viewMap:
		return t.newMapDisplay()
	case livelyTerminal(t.App) && !t.Settings.Quiet:
		return &statusDisplay{eventLines: plain}, nil
	case t.wait != nil:
		return silentDisplay{plain}, nil
	}
	return plain, nil
}

// eventLines prints one event after the other and nothing else, for pipes. Each line is
// written at once.
type eventLines struct {
	*command.App
	list render.List
}

func newEventLines(a *command.App) *eventLines {
	return &eventLines{App: a, list: render.List{Printer: a.Printer, Name: "events"}}
}

func (d *eventLines) event(result eventResult, line render.Event, names *render.Names, _ render.Status) error {
	text := ""
	if d.Printer.Format == render.FormatTable {
		text = render.EventLine(d.Look(d.Stdout), names, line)
	}
	return d.list.Add(render.Document{Data: result, Views: []render.View{render.Text(text)}})
}

func (d *eventLines) problem(err error, _ render.Status) error {
	d.Note("%s", d.ErrorLook().Faint(render.Clean(sentence(err))))
	return nil
}

func (*eventLines) world(*chain.Snapshot) {}

func (*eventLines) draw(render.Status) error { return nil }

func (*eventLines) due() <-chan time.Time { return nil }

func (*eventLines) keys() <-chan byte { return nil }

func (*eventLines) press(byte, render.Status) error { return nil }

func (*eventLines) away() error { return nil }

func (*eventLines) back() error { return nil }

func (d *eventLines) close() error { return d.list.Close() }

// sentence returns an error as a sentence, for a separate line.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// statusDisplay also prints lines, and below them a line with the state of the copy,
// which is overwritten.
type statusDisplay struct {
	*eventLines
	shown string
}

// wipe clears the line of the cursor.
const wipe = "\r\x1b[K"

func (d *statusDisplay) event(_ eventResult, line render.Event, names *render.Names, status render.Status) error {
	look := d.Look(d.Stdout)
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
	line := render.StatusLine(d.Look(d.Stdout), status)
	if line == d.shown {
		return nil
	}
	return d.write(wipe+line, status)
}

func (d *statusDisplay) write(text string, status render.Status) error {
	d.shown = render.StatusLine(d.Look(d.Stdout), status)
	return writeTerminal(d.Stdout, text)
}

func (d *statusDisplay) away() error { return d.close() }

func (d *statusDisplay) back() error {
	d.shown = ""
	return nil
}

func (d *statusDisplay) close() error { return writeTerminal(d.Stdout, wipe) }

func writeTerminal(terminal io.Writer, text string) error {
	if _, err := io.WriteString(terminal, text); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

// These are the intervals of the map.
const (
	// leastFrameTime is the least interval between two frames, however many events there
	// are.
	leastFrameTime = 50 * time.Millisecond
	// fadeTime is the interval between frames while something on the map fades.
	fadeTime = time.Second
)

// mapDisplay draws the world as a map that fills the terminal.
type mapDisplay struct {
	*command.App
	picture render.Map
	// before is the content of the terminal, nil if it is not known.
	before *render.Screen
	drawn  time.Time
	// timer fires when a frame is due without an event.
	timer *time.Timer
	*keyboard
}

func (t *tailer) newMapDisplay() (_ display, err error) {
	d := &mapDisplay{App: t.App, timer: stoppedTimer()}
	d.picture.Title = t.caller.Server
	if name := t.caller.ContextName(); name != "" {
		d.picture.Title = name + "  " + d.picture.Title
	}
	if d.keyboard, err = openKeyboard(t.App); err != nil {
		return nil, err
	}
	if err := d.write(render.ScreenEnter); err != nil {
		return nil, errors.Join(err, d.keyboard.close())
	}
	return d, nil
}

func (d *mapDisplay) event(_ eventResult, line render.Event, names *render.Names, status render.Status) error {
	d.picture.Take(d.Look(d.Stdout), names, line)
	return d.draw(status)
}

func (d *mapDisplay) world(snapshot *chain.Snapshot) {
	d.picture.Show(render.World{Bounds: snapshot.Bounds(), Occupants: slices.Collect(snapshot.Occupants())})
}

func (d *mapDisplay) problem(err error, status render.Status) error {
	d.picture.Note(d.Look(d.Stdout), err.Error())
	return d.draw(status)
}

// draw draws the map, unless the last frame is too recent: then a little later.
func (d *mapDisplay) draw(status render.Status) error {
	now := d.Now()
	if rest := leastFrameTime - now.Sub(d.drawn); rest > 0 && rest <= leastFrameTime {
		d.timer.Reset(rest)
		return nil
	}
	d.drawn = now
	fades := d.picture.Fades(now)
	look := d.Look(d.Stdout)
	_, height := command.SizeOf(d.Stdout)
	next := d.picture.Frame(look, height, status)
	if err := d.write(next.Update(look, d.before)); err != nil {
		return err
	}
	d.before = next
	if fades {
		d.timer.Reset(fadeTime)
	} else {
		d.timer.Stop()
	}
	return nil
}

func (d *mapDisplay) press(key byte, status render.Status) error {
	if !d.picture.Press(key) {
		return nil
	}
	return d.draw(status)
}

func (d *mapDisplay) due() <-chan time.Time { return d.timer.C }

func (d *mapDisplay) away() error { return errors.Join(d.write(render.ScreenLeave), d.leave()) }

func (d *mapDisplay) back() error {
	d.before, d.drawn = nil, time.Time{}
	return errors.Join(d.take(), d.write(render.ScreenEnter))
}

func (d *mapDisplay) close() error {
	d.timer.Stop()
	return errors.Join(d.write(render.ScreenLeave), d.keyboard.close())
}

func (d *mapDisplay) write(text string) error { return writeTerminal(d.Stdout, text) }
