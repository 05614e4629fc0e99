package stream

import (
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/sdk"
)

// problems is a display that counts reported problems.
type problems struct {
	display
	reported int
}

func (d *problems) problem(error, render.Status) error { d.reported++; return nil }

func (*problems) draw(render.Status) error { return nil }

// A lost connection is reported once, and not by each attempt to reconnect.
func TestLostConnectionIsReportedOnce(t *testing.T) {
	t.Parallel()
	shown := &problems{}
	tail := &tailer{shown: shown, reads: 1, quiet: stoppedTimer()}
	refused := errors.New("connection refused")
	take := func(connected bool, err error) {
		t.Helper()
		if _, err := tail.take(&report{Report: sdk.Report{State: sdk.State{Connected: connected}}, err: err}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		take(false, refused)
	}
	if shown.reported != 1 {
		t.Errorf("the loss was reported %d times, want once", shown.reported)
	}
	take(true, errors.New("something else"))
	for range 3 {
		take(false, refused)
	}
	if shown.reported != 3 {
		t.Errorf("after the reconnection %d problems were reported, want 3", shown.reported)
	}
}
