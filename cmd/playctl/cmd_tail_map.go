package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/render"
)

// Times of the map.
const (
	// leastFrameTime bounds how often it is drawn, however much happens.
	leastFrameTime = 50 * time.Millisecond
	// fadeTime is how often it is drawn while something on it fades.
	fadeTime = time.Second
)

// mapDisplay shows the world as a map that fills the terminal.
type mapDisplay struct {
	*app
	picture render.Map
	// before is what the terminal shows, nil if that is not known.
	before *render.Screen
	drawn  time.Time
	timer  *time.Timer
}

func (t *tailer) newMapDisplay() (display, error) {
	d := &mapDisplay{app: t.app}
	d.picture.Title = t.who.server
	if name := t.who.contextName(); name != "" {
		d.picture.Title = name + "  " + d.picture.Title
	}
	err := d.write(render.ScreenEnter)
	return d, err
}

func (d *mapDisplay) event(_ eventResult, line render.Event, names *render.Names, status render.Status) error {
	d.picture.Take(d.look(d.Stdout), names, line)
	return d.draw(status)
}

func (d *mapDisplay) world(snapshot *chain.Snapshot) {
	d.picture.Show(render.World{Bounds: snapshot.Bounds(), Occupants: slices.Collect(snapshot.Occupants())})
}

func (d *mapDisplay) problem(err error, status render.Status) error {
	d.picture.Note(d.look(d.Stdout), err.Error())
	return d.draw(status)
}

// draw draws the map, unless it was drawn just now: then a little later.
func (d *mapDisplay) draw(status render.Status) error {
	now := d.Now()
	if rest := leastFrameTime - now.Sub(d.drawn); rest > 0 && rest <= leastFrameTime {
		d.dueIn(rest)
		return nil
	}
	d.drawn = now
	fades := d.picture.Fades(now)
	look := d.look(d.Stdout)
	next := d.picture.Frame(look, heightOf(d.Stdout), status)
	if err := d.write(next.Update(look, d.before)); err != nil {
		return err
	}
	d.before = next
	if fades {
		d.dueIn(fadeTime)
	} else {
		d.stop()
	}
	return nil
}

func (d *mapDisplay) dueIn(rest time.Duration) {
	d.stop()
	d.timer = time.NewTimer(rest)
}

func (d *mapDisplay) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

func (d *mapDisplay) due() <-chan time.Time {
	if d.timer == nil {
		return nil
	}
	return d.timer.C
}

func (d *mapDisplay) away() error { return d.write(render.ScreenLeave) }

func (d *mapDisplay) back() error {
	d.before, d.drawn = nil, time.Time{}
	return d.write(render.ScreenEnter)
}

func (d *mapDisplay) close() error {
	d.stop()
	return d.write(render.ScreenLeave)
}

func (d *mapDisplay) write(text string) error {
	if _, err := io.WriteString(d.Stdout, text); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

// heightOf returns the rows of a terminal, 0 for anything else.
func heightOf(stream any) int {
	file, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	_, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return height
}
