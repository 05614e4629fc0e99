package sdk_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// executor carries out the commands of these tests' agents and counts them.
type executor struct {
	mu    sync.Mutex
	calls map[string]int
	// gate blocks commands with the text "wait" until it is closed.
	gate chan struct{}
	// causes are the causes of the ended contexts of blocked commands.
	causes []error
	most   int
	now    int
}

func newExecutor() *executor {
	return &executor{calls: map[string]int{}, gate: make(chan struct{})}
}

func (e *executor) begin(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls[id]++
	e.now++
	e.most = max(e.most, e.now)
}

func (e *executor) execute(ctx context.Context, callTool *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
	e.begin(callTool.Command.RequestID)
	defer func() { e.mu.Lock(); e.now--; e.mu.Unlock() }()
	if callTool.Command.Kind == protocol.IntercomAssist {
		var args struct {
			Name string `json:"name"`
		}
		if err := callTool.DecodeArgs(&args); err != nil {
			return sdk.IntercomAnswer{}, err
		}
		return sdk.IntercomAnswer{Message: "greeted " + args.Name, Result: []byte(`{"ok":true}`)}, nil
	}
	switch callTool.Command.Text {
	case "fail":
		return sdk.IntercomAnswer{}, errors.New("no idea")
	case "fail silently":
		return sdk.IntercomAnswer{}, errors.New(" ")
	case "panic":
		panic("the key is 1234")
	case "list":
		return sdk.IntercomAnswer{Result: []byte(`[1]`)}, nil
	case "too much":
		return sdk.IntercomAnswer{Result: []byte(`{"a":"` + strings.Repeat("a", protocol.MaxIntercomResultBytes) + `"}`)}, nil
	case "in parts":
		for _, part := range []string{"one", "two"} {
			if err := callTool.Stream(ctx, sdk.IntercomAnswer{Message: part}); err != nil {
				return sdk.IntercomAnswer{}, err
			}
		}
	case "wait":
		select {
		case <-e.gate:
		case <-ctx.Done():
			e.mu.Lock()
			e.causes = append(e.causes, context.Cause(ctx))
			e.mu.Unlock()
			return sdk.IntercomAnswer{}, ctx.Err()
		}
	case "stuck":
		<-e.gate
	}
	return sdk.IntercomAnswer{Message: callTool.Agent.PlayerID() + " got " + callTool.Command.Text}, nil
}

// serveIntercom subscribes; errs contains the reported errors.
func serveIntercom(t *testing.T, w *sdk.RemotePlayWorld, e *executor, change func(*sdk.IntercomOptions)) (s *sdk.IntercomSubscription, errs func() []error) {
	t.Helper()
	var mu sync.Mutex
	var list []error
	options := sdk.IntercomOptions{Execute: e.execute, OnError: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, err)
	}}
	if change != nil {
		change(&options)
	}
	s, err := w.SubscribeIntercomCommands(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	<-s.Ready()
	return s, func() []error { mu.Lock(); defer mu.Unlock(); return list }
}

func ask(t *testing.T, w *sdk.RemotePlayWorld, agent, text string) (string, error) {
	t.Helper()
	answer, err := w.Ask(t.Context(), sdk.IntercomQuestion{To: agent, Text: text})
	if err != nil {
		return "", err
	}
	return answer.Message, nil
}

// One stream serves all agents, chat and tools; a person and an agent can ask.
func TestOneStreamServesManyAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		streams := 0
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = &breakable{switchable: &switchable{target: host.Transport()}, ask: func(*http.Request) { streams++ }}
		})
		asker := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		e := newExecutor()
		_, errs := serveIntercom(t, w, e, nil)
		addAgent(t, w, "bob", nil) // an agent added later is served too
		addAgent(t, asker, "cyd", nil)
		for _, agent := range []string{"ada", "bob"} {
			if got, err := ask(t, asker, agent, "hello"); err != nil || got != agent+" got hello" {
				t.Errorf("%q, %v", got, err)
			}
		}
		answer, err := asker.Ask(t.Context(), sdk.IntercomQuestion{
			From: "cyd", To: "ada", Tool: "assist_greet", Args: []byte(`{"name":"Cyd"}`),
		})
		if err != nil || answer.Message != "greeted Cyd" || string(answer.Result) != `{"ok":true,"messageKind":"text","message":"greeted Cyd"}` {
			t.Errorf("the answer is %+v, %v", answer, err)
		}
		if streams != 1 || len(errs()) > 0 {
			t.Errorf("%d streams; errors %v", streams, errs())
		}
	})
}

// The reply to a question has the error of its executor and nothing more.
func TestFailuresAreReported(t *testing.T) {
	for text, want := range map[string]string{
		"fail":          "no idea",
		"fail silently": "the agent failed and gave no reason",
		"panic":         "the agent's program crashed while it ran the command",
		"wait":          "the agent did not finish within 5s",
		"stuck":         "the agent did not finish within 5s",
		"list":          "the agent's answer has a result that is not a JSON object",
		"too much":      "the agent's answer was not accepted: the field payload.result has 65544 bytes of JSON, at most 65536 are allowed",
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				w := openWorld(t, host, nil)
				addAgent(t, w, "ada", nil)
				e := newExecutor()
				_, errs := serveIntercom(t, w, e, func(o *sdk.IntercomOptions) { o.Timeout = 5 * time.Second })
				_, err := ask(t, openWorld(t, host, nil), "ada", text)
				if !errors.Is(err, sdk.ErrAgentFailed) || err.Error() != "the agent failed: "+want {
					t.Errorf("the asker got: %v", err)
				}
				synctest.Wait()
				if text == "panic" && (len(errs()) != 1 || !strings.Contains(errs()[0].Error(), "the key is 1234")) {
					t.Errorf("the program got %v", errs())
				}
				close(e.gate)
			})
		})
	}
}

// An answer in parts arrives in order; after its end there are no more parts.
func TestAnswerInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		e := newExecutor()
		var kept *sdk.IntercomCall
		serveIntercom(t, w, e, func(o *sdk.IntercomOptions) {
			o.Execute = func(ctx context.Context, callTool *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
				kept = callTool
				return e.execute(ctx, callTool)
			}
		})
		var parts []string
		answer, err := openWorld(t, host, nil).Ask(t.Context(), sdk.IntercomQuestion{
			To: "ada", Text: "in parts", OnPartial: func(part *protocol.IntercomEvent) { parts = append(parts, part.Message) },
		})
		if err != nil || answer.Message != "ada got in parts" || strings.Join(parts, " ") != "one two" {
			t.Errorf("%v, then %+v, %v", parts, answer, err)
		}
		if err := kept.Stream(t.Context(), sdk.IntercomAnswer{Message: "three"}); !errors.Is(err, sdk.ErrAnswered) {
			t.Errorf("a part after the end gives %v", err)
		}
	})
}

// The ids of agents whose commands are carried out can have any form that is valid
// for an agent's id.
func TestAgentIDsInAnotherForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		id := strings.Repeat("ab", 32)
		written := []string{" " + strings.ToUpper(id)}
		addAgent(t, w, written[0], nil)
		serveIntercom(t, w, newExecutor(), func(o *sdk.IntercomOptions) { o.AgentIDs = written })
		if got, err := ask(t, openWorld(t, host, nil), id, "hello"); err != nil || got != id+" got hello" {
			t.Errorf("%q, %v", got, err)
		}
		if written[0] == id {
			t.Error("the program's own list was changed")
		}
	})
}

// A command that a host sends twice, as a host without event numbers may, is
// carried out once.
func TestCommandsAreCarriedOutOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = &rewriter{t: t, next: host.Transport(), session: without(), line: func(line string) string {
				switch {
				case strings.HasPrefix(line, "id:"):
					return ""
				case strings.HasPrefix(line, "data:") && strings.Contains(line, `"forwarded"`):
					return line + "\nevent: world:intercom\n" + line
				}
				return line
			}}
		})
		addAgent(t, w, "ada", nil)
		e := newExecutor()
		_, errs := serveIntercom(t, w, e, nil)
		if got, err := ask(t, openWorld(t, host, nil), "ada", "hello"); err != nil || got != "ada got hello" {
			t.Errorf("%q, %v", got, err)
		}
		synctest.Wait()
		e.mu.Lock()
		defer e.mu.Unlock()
		for id, times := range e.calls {
			if times != 1 {
				t.Errorf("%s was carried out %d times", id, times)
			}
		}
		if len(e.calls) != 1 || len(errs()) > 0 {
			t.Errorf("%d commands; errors %v", len(e.calls), errs())
		}
	})
}

// Other clients see an agent on the map, and ask it, before its own program has
// read that it is registered.
func TestCommandWaitsForItsAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		asker := openWorld(t, host, nil)
		var asking sync.WaitGroup
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				response, err := host.Transport().RoundTrip(r)
				if r.URL.Path == protocol.ServicePlay.Players() {
					asking.Go(func() {
						if got, err := ask(t, asker, "ada", "hello"); err != nil || got != "ada got hello" {
							t.Errorf("%q, %v", got, err)
						}
					})
					synctest.Wait()
				}
				return response, err
			})
		})
		_, errs := serveIntercom(t, w, newExecutor(), func(o *sdk.IntercomOptions) { o.AgentIDs = []string{"ada"} })
		addAgent(t, w, "ada", nil)
		asking.Wait()
		if found := errs(); len(found) > 0 {
			t.Error(found)
		}
	})
}
