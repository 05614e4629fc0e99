package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// blockingChat is a chat that waits for the end of its context, and then for release.
type blockingChat struct{ started, release chan struct{} }

func newBlockingChat() *blockingChat { return &blockingChat{make(chan struct{}), make(chan struct{})} }

func (h *blockingChat) chat(ctx context.Context, _ string) (string, error) {
	h.started <- struct{}{}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-h.release:
		return "released", nil
	}
}

// However an agent leaves the map, its open question is answered and the map is as
// before.
func TestAgentLeavesMap(t *testing.T) {
	for name, leave := range map[string]func(*testing.T, *sdk.RemotePlayWorld, *sdk.Agent, context.CancelFunc){
		"context": func(_ *testing.T, _ *sdk.RemotePlayWorld, _ *sdk.Agent, cancel context.CancelFunc) { cancel() },
		"disconnect": func(t *testing.T, _ *sdk.RemotePlayWorld, a *sdk.Agent, _ context.CancelFunc) {
			if err := a.Disconnect(t.Context()); err != nil {
				t.Error(err)
			}
		},
		"close": func(t *testing.T, w *sdk.RemotePlayWorld, _ *sdk.Agent, _ context.CancelFunc) {
			if err := w.Close(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				w := openWorld(t, host, nil)
				bob := addProgram(t, openWorld(t, host, nil), "Bob", sdk.Chat(echo))
				h := newBlockingChat()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ada, err := w.Agent(ctx, "Ada", sdk.Chat(h.chat))
				if err != nil {
					t.Fatal(err)
				}
				answered := make(chan error)
				go func() {
					_, err := openWorld(t, host, nil).Ask(t.Context(), sdk.IntercomQuestion{To: ada.PlayerID(), Text: "hello"})
					answered <- err
				}()
				<-h.started
				leave(t, w, ada, cancel)
				if err := <-answered; err == nil || err.Error() != "the agent failed: the agent is leaving" {
					t.Errorf("the asker got %v", err)
				}
				synctest.Wait()
				if left := agentsOn(t, host); len(left) != 1 || left[bob.PlayerID()] == nil {
					t.Errorf("on the map are %v", left)
				}
			})
		})
	}
}

// One stream serves all agents of a world, beside an executor for the others.
func TestProgramsShareOneStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		streams := 0
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = &breakable{switchable: &switchable{target: host.Transport()}, ask: func(*http.Request) { streams++ }}
		})
		asker := openWorld(t, host, nil)
		ada := addProgram(t, w, "Ada", sdk.Chat(echo))
		bob := addProgram(t, w, "Bob", sdk.Chat(func(context.Context, string) (string, error) { return "Bob here", nil }))
		if streams != 1 {
			t.Errorf("%d streams", streams)
		}
		e := newExecutor()
		serveIntercom(t, w, e, nil)
		addAgent(t, w, "cyd", nil)
		for id, want := range map[string]string{ada.PlayerID(): "You said: hello", bob.PlayerID(): "Bob here", "cyd": "cyd got hello"} {
			if got, err := ask(t, asker, id, "hello"); err != nil || got != want {
				t.Errorf("%s: %q, %v", id, got, err)
			}
		}
		if len(e.calls) != 1 {
			t.Errorf("the executor got %d", len(e.calls))
		}
	})
}

// Each answer is recorded as a journey, after the redaction function; a failure is
// recorded without its reason.
func TestAnswersAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openWorld(t, openHost(t), nil)
		redact := func(step protocol.JourneyStep) (protocol.JourneyStep, bool) {
			if step.Type == protocol.StepOrigin && step.Content == "secret" {
				step.Content = "a question"
			}
			return step, step.Content != "drop"
		}
		ada := addProgram(t, w, "Ada", sdk.Record(redact), sdk.Func("book", "", book), sdk.OnError(func(error) {}),
			sdk.Chat(func(_ context.Context, text string) (string, error) {
				if text == "fail" {
					return "", errors.New("the key is 1234")
				}
				return strings.Repeat("é", 4000), nil
			}))
		silent := addProgram(t, w, "Bob", sdk.Chat(echo))
		var got []string
		events, err := w.SubscribeEvents(t.Context(), sdk.EventOptions{
			Kinds: []protocol.EventKind{protocol.EventJourney}, FromSeq: true,
			OnEvent: func(e sdk.Event) {
				var event struct {
					PlayerID string           `json:"playerId"`
					Journey  protocol.Journey `json:"journey"`
				}
				if err := e.Decode(&event); err != nil || event.PlayerID != ada.PlayerID() {
					t.Errorf("%s: %v", e.Data, err)
				}
				var steps []string
				for _, s := range event.Journey.Steps {
					steps = append(steps, fmt.Sprintf("%s%s%s %d", s.ToolName, s.Args, s.Result, len(s.Content)))
				}
				got = append(got, strings.Join(steps, ", "))
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"secret", "fail", "drop"} {
			_, _ = ask(t, w, ada.PlayerID(), text)
		}
		_, _ = ask(t, w, silent.PlayerID(), "hush")
		for _, args := range []string{`{"day":"","people":3}`, `{"day":"","people":10}`, `{"day":"` + strings.Repeat("x", 5000) + `","people":3}`} {
			callTool(t, w, ada, "assist_book", args)
		}
		synctest.Wait()
		events.Close()
		want := []string{
			" 10,  3999", " 4,  6", " 3999",
			` 0, assist_book{"day":"","people":3}{"table":6} 0,  11`,
			` 0, assist_book{"day":"","people":10}{"error":"no table is free for 10"} 0,  23`,
			` 0, assist_book{"args":"[too long to be recorded]"}{"table":6} 0,  11`,
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// An answer that is not valid text is recorded as far as possible, and its delivery
// is not blocked.
func TestInvalidTextAnswerIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openWorld(t, openHost(t), nil)
		ada := addProgram(t, w, "Ada", sdk.Record(nil), sdk.OnError(func(err error) { t.Error(err) }),
			sdk.Chat(func(context.Context, string) (string, error) { return strings.Repeat("\x80", 5000), nil }))
		if got, err := ask(t, w, ada.PlayerID(), "hello"); err != nil || got != strings.Repeat("\uFFFD", 5000) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
}

// An agent without a lease answers too.
func TestPermanentAgentAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		ada := addProgram(t, openWorld(t, host, nil), "Ada", sdk.Chat(echo), sdk.With(sdk.AgentOptions{AgentID: "ada", Permanent: true, Type: "own"}))
		if got, err := ask(t, openWorld(t, host, nil), "ada", "hello"); err != nil || got != "You said: hello" {
			t.Errorf("%q, %v", got, err)
		}
		if row := agentsOn(t, host)["ada"]; row == nil || row.Platform != "own" || ada.PlayerID() != "ada" {
			t.Errorf("the row is %+v", row)
		}
	})
}

// A program with only the credentials of an agent puts that agent on the map.
func TestAgentWithoutMainNodeCredentials(t *testing.T) {
	a := newAccount(t, 1)
	options := a.options()
	options.MainNodeCredentials = nil
	w, err := sdk.New(options)
	if err != nil {
		t.Fatal(err)
	}
	ada := addProgram(t, w, "Ada", sdk.Chat(echo), sdk.With(sdk.AgentOptions{Credentials: a.agents[0]}))
	full, err := sdk.New(a.options())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ask(t, full, ada.PlayerID(), "hello"); err != nil || got != "You said: hello" {
		t.Errorf("%q, %v", got, err)
	}
	if err := errors.Join(full.Close(t.Context()), w.Close(t.Context())); err != nil {
		t.Error(err)
	}
}

// A host that refuses the credentials ends the call that adds an agent, before the
// agent is on the map.
func TestAddAgentFailsWhenStreamIsRefused(t *testing.T) {
	a := newAccount(t, 0)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	anonymous := openWorld(t, a.host, func(o *sdk.Options) { o.APIKey, o.NoAPIKey = protocol.Secret{}, true })
	if _, err := anonymous.Agent(ctx, "Ada"); !protocol.HasCode(err, protocol.CodeCredentialsMissing) {
		t.Errorf("without credentials: %v", err)
	}
	if _, err := anonymous.Connect(ctx); err == nil || !strings.Contains(err.Error(), "set sdk.Options.MainNodeCredentials") {
		t.Errorf("connecting without credentials: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		refusal := answer(http.StatusForbidden, `{"error":"not you","code":"forbidden","requestId":"r"}`)
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = &rewriter{t: t, next: host.Transport(), stream: func(*http.Request) (refused *http.Response) {
				refused, refusal = refusal, nil
				return refused
			}}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := w.Agent(ctx, "Ada"); !protocol.HasCode(err, "forbidden") {
			t.Errorf("a refused stream: %v", err)
		}
		if left := agentsOn(t, host); len(left) > 0 {
			t.Errorf("on the map are %v", left)
		}
		ada := addProgram(t, w, "Ada", sdk.Chat(echo))
		if got, err := ask(t, w, ada.PlayerID(), "hello"); err != nil || got != "You said: hello" {
			t.Errorf("after the refusal: %q, %v", got, err)
		}
	})
}

// Invalid options of an agent are refused before anything is put on the map.
func TestAgentRefusesInvalidOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		none := func(context.Context, struct{}) (string, error) { return "", nil }
		for want, options := range map[string][]sdk.AgentOption{
			"int is not a struct": {sdk.Func("x", "", func(context.Context, int) (string, error) { return "", nil })},
			"its arguments: ":     {sdk.Func("x", "", func(context.Context, struct{ F func() }) (string, error) { return "", nil })},
			"the field N: the tag enum is for a text": {sdk.Func("x", "", func(context.Context, struct {
				N int `enum:"1"`
			}) (string, error) {
				return "", nil
			})},
			`the field S: the format "day" is unknown: it must be date or date-time`: {sdk.Func("x", "", func(context.Context, struct {
				S string `format:"day"`
			}) (string, error) {
				return "", nil
			})},
			"the field T: the tag format is for a text": {sdk.Func("x", "", func(context.Context, struct {
				T time.Time `format:"date"`
			}) (string, error) {
				return "", nil
			})},
			"two tools have the name":        {sdk.Func("x", "", none), sdk.Func("assist_x", "", none)},
			"sdk.With: Name":                 {sdk.With(sdk.AgentOptions{Name: "Bob"})},
			"sdk.Chat has no function":       {sdk.Chat(nil)},
			"option 2 is nil":                {sdk.Func("x", "", none), nil},
			`"assist_x": it has no function`: {sdk.Func[struct{}, string]("x", "", nil)},
		} {
			if _, err := w.Agent(t.Context(), "Ada", options...); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		// Before a node is created for it.
		for _, name := range []string{"", strings.Repeat("x", protocol.MaxNameChars+1)} {
			if _, err := w.Agent(t.Context(), name); err == nil || !strings.HasPrefix(err.Error(), "the agent's name") {
				t.Errorf("a name of %d characters: %v", len(name), err)
			}
		}
		if left := agentsOn(t, host); len(left) > 0 {
			t.Errorf("on the map are %v", left)
		}
	})
}
