package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// recorder is a transport that notes each recordActivity with its time, but for those that are
// repeated because the session is over; answer may reply instead of the host.
type recorder struct {
	next   http.RoundTripper
	answer func() (*http.Response, error)

	mu   sync.Mutex
	sent []sentActivity
}

type sentActivity struct {
	at time.Time
	protocol.RecordActivityRequest
}

func (r *recorder) RoundTrip(request *http.Request) (response *http.Response, err error) {
	if operation(request) != protocol.OpRecordActivity {
		return r.next.RoundTrip(request)
	}
	body, _ := request.GetBody()
	one := sentActivity{at: time.Now()}
	text, _ := io.ReadAll(body)
	if err := json.Unmarshal(text, &struct {
		Payload *protocol.RecordActivityRequest
	}{&one.RecordActivityRequest}); err != nil {
		return nil, err
	}
	if r.answer != nil {
		response, err = r.answer()
	}
	if response == nil && err == nil {
		response, err = r.next.RoundTrip(request)
	}
	if err != nil || response.StatusCode != http.StatusForbidden {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent = append(r.sent, one)
	}
	return response, err
}

// texts are the states and texts that were sent, with the seconds since a time.
func (r *recorder) texts(since time.Time) (texts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.sent {
		texts = append(texts, strings.TrimSpace(fmt.Sprintf("%v %s %s", one.at.Sub(since).Seconds(), one.State, one.Text)))
	}
	return texts
}

// reporting puts an agent on the map of a host, whose activities a recorder sees.
func reporting(t *testing.T, host *playworld.PlayWorld, change func(*sdk.AgentOptions)) (*sdk.Agent, *recorder) {
	t.Helper()
	r := &recorder{next: host.Transport()}
	w := openWorld(t, host, func(o *sdk.Options) { o.Transport = r })
	return addAgent(t, w, "ada", change), r
}

// activityOf returns what an agent's row says it does; nil for nothing.
func activityOf(t *testing.T, host *playworld.PlayWorld, id string) *protocol.Activity {
	t.Helper()
	row := agentsOn(t, host)[id]
	if row == nil {
		t.Fatalf("%s is not on the map", id)
	}
	return row.Activity
}

func checkState(t *testing.T, host *playworld.PlayWorld, state, text string) {
	t.Helper()
	if got := activityOf(t, host, "ada"); got == nil || got.State != state || got.Text != text {
		t.Errorf("the row has %+v, want %q %q", got, state, text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func tokens(input float64) protocol.Usage { return protocol.Usage{InputTokens: &input} }

func TestActivityIsInRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		f := follow(t, host, nil, nil)
		a, _ := reporting(t, host, nil)
		must(t, a.Working(t.Context(), "  Editing\n\tcommit.go ", sdk.UsingTool("edit"), sdk.WithUsage(tokens(12))))
		synctest.Wait()
		got := activityOf(t, host, "ada")
		want := &protocol.Activity{State: protocol.ActivityWorking, Text: "Editing commit.go", ToolName: "edit", Since: got.Since, Usage: new(tokens(12))}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the row has %+v, want %+v", got, want)
		}
		f.checkEqual()
		events := f.events()
		last := events[len(events)-1]
		var data protocol.ActivityData
		if err := last.Decode(&data); err != nil || last.Kind != protocol.EventActivity || !reflect.DeepEqual(&data.Activity, want) {
			t.Errorf("the event is %s %+v (%v), want %+v", last.Kind, data, err, want)
		}
		updates := f.updates()
		for o := range updates[len(updates)-1].Snapshot.Occupants() {
			if row, ok := o.(*protocol.Agent); !ok || !reflect.DeepEqual(row.Activity, want) {
				t.Errorf("the subscriber's row is %+v", o)
			}
		}
	})
}

// The newest activity replaces those that were not sent yet, tool and text are not kept, and the
// usage is.
func TestActivitiesAreCombined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		a, r := reporting(t, host, nil)
		start := time.Now()
		must(t, a.Usage(t.Context(), tokens(1))) // waits for a state
		synctest.Wait()
		must(t, a.Working(t.Context(), "one", sdk.UsingTool("edit")))
		synctest.Wait()
		must(t, a.Working(t.Context(), "two"))
		must(t, a.Idle(t.Context(), ""))
		must(t, a.Working(t.Context(), "three"))
		wait(t, 500*time.Millisecond)
		must(t, a.Waiting(t.Context(), "Approve"))
		synctest.Wait()
		must(t, a.Working(t.Context(), "four"))
		synctest.Wait()
		must(t, a.Done(t.Context(), ""))
		wait(t, 2*time.Second)
		must(t, a.Usage(t.Context(), tokens(2)))
		must(t, a.Usage(t.Context(), tokens(3)))
		wait(t, time.Minute)
		must(t, a.Usage(t.Context(), tokens(3)))
		wait(t, time.Minute)
		want := []string{"0 working one", "0.5 waiting Approve", "0.5 done", "10.5 done"}
		if got := r.texts(start); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if got := activityOf(t, host, "ada"); got.ToolName != "" || *got.Usage.InputTokens != 3 || *r.sent[1].Usage.InputTokens != 1 {
			t.Errorf("the row has %+v", got)
		}
	})
}

// After a 429 the agent waits as the host requested, and sends the newest.
func TestActivityWaitsForRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		a, r := reporting(t, host, nil)
		r.answer = func() (*http.Response, error) {
			r.answer = nil
			response := answer(http.StatusTooManyRequests, `{"error":"slow down","code":"rate_limited","requestId":"r"}`)
			response.Header.Set("Retry-After", "7")
			return response, nil
		}
		start := time.Now()
		must(t, a.Working(t.Context(), "one"))
		wait(t, 3*time.Second)
		must(t, a.Failed(t.Context(), "two"))
		wait(t, time.Minute)
		if got, want := r.texts(start), []string{"0 working one", "7 failed two"}; !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		checkState(t, host, protocol.ActivityFailed, "two")
	})
}

// The host cannot be reached for a while, or gives no answer: the newest activity arrives
// afterward.
func TestActivityArrivesAfterOutage(t *testing.T) {
	for name, fault := range map[string]func(*http.Request) (*http.Response, error){
		"unreachable": unreachable,
		"unavailable": func(*http.Request) (*http.Response, error) {
			return answer(http.StatusServiceUnavailable, `{"error":"busy","code":"unavailable","requestId":"r"}`), nil
		},
		"silent": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				transport := &switchable{target: host.Transport()}
				a := addAgent(t, openWorld(t, host, func(o *sdk.Options) { o.Transport = transport }), "ada", nil)
				transport.set(roundTrip(fault))
				must(t, a.Working(t.Context(), "one"))
				wait(t, 3*time.Minute) // longer than the lease
				must(t, a.Working(t.Context(), "two"))
				wait(t, time.Second)
				transport.set(host.Transport())
				wait(t, time.Minute)
				checkState(t, host, protocol.ActivityWorking, "two")
			})
		})
	}
}

// The activity is sent again when the agent has a new row: after a reset, a lapsed lease, and
// another program's registration.
func TestActivityIsSentAfterRegisteringAgain(t *testing.T) {
	for name, lose := range map[string]func(*testing.T, *playworld.PlayWorld){
		"reset": reset,
		"another program": func(t *testing.T, host *playworld.PlayWorld) {
			t.Helper()
			w := openWorld(t, host, nil)
			must(t, addAgent(t, w, "ada", nil).Disconnect(t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				a, r := reporting(t, host, nil)
				must(t, a.Waiting(t.Context(), "Approve"))
				wait(t, time.Second)
				lose(t, host)
				wait(t, time.Minute)
				checkState(t, host, protocol.ActivityWaiting, "Approve")
				if n := len(r.sent); n < 2 || n > 3 { // after a reset it may register twice
					t.Errorf("sent %d times", n)
				}
				must(t, a.Done(t.Context(), ""))
				synctest.Wait()
				checkState(t, host, protocol.ActivityDone, "")
			})
		})
	}
}

// While another program holds the agent, its row does not show what this one does.
func TestActivityOfOlderRegistrationIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		older, r := reporting(t, host, func(o *sdk.AgentOptions) { o.LeaseTTL = 300 * time.Second })
		newer, _ := reporting(t, host, nil)
		must(t, newer.Idle(t.Context(), ""))
		must(t, older.Working(t.Context(), "old"))
		wait(t, 5*time.Second)
		checkState(t, host, protocol.ActivityIdle, "")
		if n := len(r.sent); n != 1 {
			t.Errorf("the older program sent %d times, want once", n)
		}
	})
}

// What is still to be sent arrives before the agent leaves: subscribers see it.
func TestActivityIsSentBeforeLeaving(t *testing.T) {
	for name, leave := range map[string]func(*sdk.RemotePlayWorld, *sdk.Agent) error{
		"disconnect": func(_ *sdk.RemotePlayWorld, a *sdk.Agent) error { return a.Disconnect(context.Background()) },
		"close":      func(w *sdk.RemotePlayWorld, _ *sdk.Agent) error { return w.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				f := follow(t, host, nil, nil)
				w := openWorld(t, host, nil)
				a := addAgent(t, w, "ada", nil)
				must(t, a.Working(t.Context(), "one"))
				synctest.Wait()
				must(t, a.Working(t.Context(), "two"))
				must(t, a.Usage(t.Context(), tokens(9)))
				start := time.Now()
				must(t, leave(w, a))
				if took := time.Since(start); took > 0 {
					t.Errorf("it took %v", took)
				}
				synctest.Wait()
				kinds := []string{}
				for _, e := range f.events() {
					kinds = append(kinds, string(e.Kind))
				}
				if want := []string{"world:player_added", "world:activity", "world:activity", "world:player_removed"}; !slices.Equal(kinds, want) {
					t.Errorf("events %q, want %q", kinds, want)
				}
				for _, err := range []error{a.Idle(t.Context(), ""), a.Usage(t.Context(), tokens(1))} {
					if !errors.Is(err, sdk.ErrAgentEnded) && !errors.Is(err, sdk.ErrClosed) {
						t.Errorf("after it: %v", err)
					}
				}
			})
		})
	}
}

// A host that does not answer cannot hold up an agent that leaves.
func TestLastActivityIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		r := &recorder{next: host.Transport()}
		w := openWorld(t, host, func(o *sdk.Options) { o.Transport = r })
		a := addAgent(t, w, "ada", nil)
		r.answer = func() (*http.Response, error) { return nil, errUnreachable }
		must(t, a.Working(t.Context(), "one"))
		start := time.Now()
		if err := w.Close(context.Background()); err != nil || time.Since(start) > 2*time.Second {
			t.Errorf("Close took %v: %v", time.Since(start), err)
		}
		if on := agentsOn(t, host); len(on) != 0 {
			t.Errorf("on the map: %v", on)
		}
	})
}

func TestHostWithoutActivityGetsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		r := &recorder{next: &rewriter{t: t, next: host.Transport(), session: without(protocol.CapActivity)}}
		w := openWorld(t, host, func(o *sdk.Options) { o.Transport = r })
		a := addAgent(t, w, "ada", nil)
		must(t, a.Waiting(t.Context(), "one"))
		wait(t, time.Minute)
		must(t, a.Disconnect(t.Context()))
		if len(r.sent) != 0 {
			t.Errorf("sent %q", r.texts(time.Now()))
		}
	})
}

// A host that refuses an activity gets the next one, and is reported once.
func TestRefusedActivityIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var warnings []string
		r := &recorder{next: host.Transport(), answer: func() (*http.Response, error) {
			return answer(http.StatusBadRequest, `{"error":"no","code":"map_full","requestId":"r"}`), nil
		}}
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport, o.OnWarning = r, func(text string) { warnings = append(warnings, text) }
		})
		a := addAgent(t, w, "ada", nil)
		for _, text := range []string{"one", "two"} {
			must(t, a.Working(t.Context(), text))
			wait(t, time.Minute)
		}
		if len(r.sent) != 2 || len(warnings) != 1 {
			t.Errorf("sent %q, warnings %q", r.texts(time.Now()), warnings)
		}
	})
}

// A new run starts without the usage of the last one.
func TestEmptyUsageRemovesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		a, _ := reporting(t, host, nil)
		must(t, a.Done(t.Context(), "", sdk.WithUsage(tokens(12))))
		synctest.Wait()
		must(t, a.Failed(t.Context(), "", sdk.WithUsage(protocol.Usage{})))
		synctest.Wait()
		if got := activityOf(t, host, "ada"); got.State != protocol.ActivityFailed || got.Usage != nil {
			t.Errorf("the row has %+v", got)
		}
	})
}
