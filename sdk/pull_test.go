package sdk_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// The loop receives every event once, in order, also over a lost connection, and
// after the loop ends nothing keeps running.
func TestPullEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		ada := addAgent(t, w, "ada", nil)
		transport := &breakable{switchable: &switchable{target: host.Transport()}}
		reader := openWorld(t, host, func(o *sdk.Options) { o.Transport = transport })
		texts, lost := []string{}, 0
		for event, err := range reader.Events(t.Context(), sdk.EventOptions{
			Kinds: []protocol.EventKind{protocol.EventPlayerAdded, protocol.EventInteraction}, FromSeq: true,
		}) {
			if err != nil {
				if !errors.Is(err, sdk.ErrLost) {
					t.Errorf("got %v", err)
				}
				lost++
				continue
			}
			var line protocol.Interaction
			if err := event.Decode(&line); err != nil {
				t.Error(err)
			}
			if texts = append(texts, line.Text); len(texts) == 4 {
				break
			}
			// Only this loop body runs in the meantime.
			if _, err := ada.Say(t.Context(), strings.Repeat("x", len(texts))); err != nil {
				t.Fatal(err)
			}
			if len(texts) == 2 {
				transport.breakStream()
			}
		}
		if got := strings.Join(texts, " "); got != " x xx xxx" || lost != 1 {
			t.Errorf("got %q, lost %d times", got, lost)
		}
	})
}

func TestPullEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		for event, err := range w.Events(ctx, sdk.EventOptions{}) {
			t.Errorf("got %v, %v", event, err)
		}
		closing := time.AfterFunc(time.Minute, func() { _ = w.Close(context.Background()) })
		defer closing.Stop()
		var ends []error
		for _, err := range w.Events(t.Context(), sdk.EventOptions{}) {
			ends = append(ends, err)
		}
		for range 2 {
			for _, err := range w.Follow(t.Context(), sdk.SubscribeOptions{}) {
				ends = append(ends, err)
			}
		}
		for _, err := range ends {
			if !errors.Is(err, sdk.ErrClosed) {
				t.Errorf("the loop ended with %v", err)
			}
		}
		if len(ends) != 3 {
			t.Errorf("ends %v", ends)
		}
	})
}

// Each event is reported, then the copy that includes it, then the result of its
// check.
func TestPullFollowedWorld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		var types []string
		for report, err := range w.Follow(t.Context(), sdk.SubscribeOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			types = append(types, report.Type.String())
			switch {
			case report.Type == sdk.ReportUpdate && report.Event == nil:
				addAgent(t, openWorld(t, host, nil), "ada", nil)
			case report.Type == sdk.ReportUpdate && report.State.Verification != sdk.Verified, report.Type == sdk.ReportChecked && report.Checked != sdk.Verified:
				t.Errorf("%v: %v", report.Type, report.State.Verification)
			}
			if report.Type == sdk.ReportChecked {
				want, err := host.Snapshot()
				if err != nil || report.State.Snapshot.Root() != want.Root() || report.State.Stats.Merges != 1 {
					t.Errorf("state %+v, %v", report.State, err)
				}
				break
			}
		}
		if got := strings.Join(types, " "); got != "state state update event update checked" {
			t.Errorf("reports %s", got)
		}
	})
}
