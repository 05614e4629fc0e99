package sdk_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func noAnswer(context.Context, *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
	return sdk.IntercomAnswer{}, nil
}

// A host of the agent-play service sends no headers before the first event.
func TestCommandsAreReadyWithDelayedHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := sdk.New(sdk.Options{
			BaseURL: "http://host", Service: "agent-play", NoAPIKey: true,
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == protocol.Service("agent-play").Events() {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"sid":"s"}`)), Request: r}, nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = w.Close(context.Background()) }()
		start := time.Now()
		commands, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{Execute: noAnswer})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-commands.Ready():
		case <-time.After(time.Minute):
			t.Fatal("the subscription is not ready after a minute")
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("the subscription was ready after %v", took)
		}
	})
}

func TestLostConnectionIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		transport := &switchable{target: host.Transport()}
		w := openWorld(t, host, func(o *sdk.Options) { o.Transport = transport })
		var reported []bool
		commands, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{
			Execute: noAnswer, OnConnection: func(open bool) { reported = append(reported, open) },
		})
		if err != nil {
			t.Fatal(err)
		}
		<-commands.Ready()
		transport.set(roundTrip(unreachable))
		wait(t, 2*time.Hour) // the host ends every stream within an hour
		transport.set(host.Transport())
		wait(t, time.Minute)
		commands.Close()
		if !slices.Equal(reported, []bool{false, true}) {
			t.Errorf("reported %v, want one loss and one reconnection", reported)
		}
	})
}

// Two programs that keep the same agent on the map are warned of each other.
func TestAgentHeldByAnotherProgramCausesWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var mu sync.Mutex
		var warnings []string
		first := openWorld(t, host, func(o *sdk.Options) {
			o.OnWarning = func(text string) { mu.Lock(); defer mu.Unlock(); warnings = append(warnings, text) }
		})
		addAgent(t, first, "ada", nil)
		mu.Lock()
		warnings = nil
		mu.Unlock()
		addAgent(t, openWorld(t, host, nil), "ada", nil)
		wait(t, 5*time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if len(warnings) != 1 || !strings.Contains(warnings[0], "another program") {
			t.Errorf("warnings %q, want one about another program", warnings)
		}
	})
}
