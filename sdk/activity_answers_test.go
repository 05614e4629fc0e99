package sdk_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// slowProgram opens a world with the agent Ada, whose functions take two seconds, and a recorder of its
// activities.
func slowProgram(t *testing.T, options ...sdk.AgentOption) (*sdk.RemotePlayWorld, *sdk.Agent, *recorder) {
	t.Helper()
	host := openHost(t)
	r := &recorder{next: host.Transport()}
	w := openWorld(t, host, func(o *sdk.Options) { o.Transport = r })
	answer := func(ctx context.Context, text string) (string, error) {
		pause.For(ctx, 2*time.Second)
		switch text {
		case "fail":
			return "", errors.New("the key is 1234")
		case "panic":
			panic("the key is 1234")
		}
		return "yes", nil
	}
	options = append([]sdk.AgentOption{sdk.Chat(answer), sdk.OnError(func(error) {}), sdk.Func("wave", "Waves", func(ctx context.Context, _ struct{}) (string, error) {
		return answer(ctx, "")
	})}, options...)
	return w, addProgram(t, w, "Ada", options...), r
}

func TestAgentShowsThatItAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ada, r := slowProgram(t)
		start := time.Now()
		synctest.Wait()
		must(t, ada.Usage(t.Context(), tokens(7)))
		wait(t, time.Minute)
		for _, text := range []string{"a secret question", "fail", "panic"} {
			_, _ = ask(t, w, ada.PlayerID(), text)
			wait(t, time.Minute)
		}
		if _, _, failure := callTool(t, w, ada, "assist_wave", ""); failure != "" {
			t.Error(failure)
		}
		wait(t, time.Minute)
		want := []string{"0 idle", "10 idle", "60 working", "62 done", "122 working", "124 failed", "184 working", "186 failed", "246 working", "248 done"}
		if got := r.texts(start); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if of := r.sent[len(r.sent)-2:]; of[0].ToolName != "assist_wave" || of[1].ToolName != "" || of[0].Usage != nil {
			t.Errorf("the tool's call is %+v", of)
		}
	})
}

// An agent works until the last of its questions ended.
func TestAgentWorksUntilLastAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ada, r := slowProgram(t)
		start := time.Now()
		asking := make(chan error)
		go func() { _, err := ask(t, w, ada.PlayerID(), "one"); asking <- err }()
		wait(t, time.Second)
		if _, _, failure := callTool(t, w, ada, "assist_wave", ""); failure != "" {
			t.Error(failure)
		}
		must(t, <-asking)
		wait(t, time.Minute)
		if got, want := r.texts(start), []string{"0 idle", "1 working", "2 working", "3 done"}; !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if r.sent[1].ToolName != "" || r.sent[2].ToolName != "assist_wave" {
			t.Errorf("sent %+v", r.sent)
		}
	})
}

// What a program says itself is not replaced.
func TestProgramShowsItsOwnActivity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ada, r := slowProgram(t)
		start := time.Now()
		wait(t, 10*time.Second)
		must(t, ada.Working(t.Context(), "own"))
		wait(t, 10*time.Second)
		if _, err := ask(t, w, ada.PlayerID(), "one"); err != nil {
			t.Error(err)
		}
		wait(t, time.Minute)
		if got, want := r.texts(start), []string{"0 idle", "10 working own"}; !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w, ada, r := slowProgram(t, sdk.With(sdk.AgentOptions{OwnActivity: true}))
		if _, err := ask(t, w, ada.PlayerID(), "one"); err != nil {
			t.Error(err)
		}
		wait(t, time.Minute)
		if len(r.sent) > 0 {
			t.Errorf("sent %q", r.texts(time.Now()))
		}
	})
}

// An agent whose commands an executor carries out shows the same, whichever of both came first; an
// agent that nobody answers for shows nothing.
func TestAgentShowsThatExecutorAnswers(t *testing.T) {
	for name, early := range map[string]bool{"agent first": true, "subscription first": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				r := &recorder{next: host.Transport()}
				w := openWorld(t, host, func(o *sdk.Options) { o.Transport = r })
				var ada *sdk.Agent
				if early {
					ada = addAgent(t, w, "ada", nil)
				}
				wait(t, time.Second)
				e := newExecutor()
				execute := func(ctx context.Context, call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
					pause.For(ctx, time.Second)
					return e.execute(ctx, call)
				}
				if _, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{AgentIDs: []string{"ada"}, Execute: execute, OnError: func(error) {}}); err != nil {
					t.Fatal(err)
				}
				wait(t, time.Second)
				if !early {
					ada = addAgent(t, w, "ada", nil)
				}
				addAgent(t, w, "bob", nil)
				for _, text := range []string{"hello", "fail", "too much"} {
					wait(t, 10*time.Second)
					_, _ = ask(t, w, ada.PlayerID(), text)
				}
				wait(t, 10*time.Second)
				var states []string
				for _, one := range r.sent {
					states = append(states, one.PlayerID+" "+one.State)
				}
				want := []string{"ada idle", "ada working", "ada done", "ada working", "ada failed", "ada working", "ada failed"}
				if !slices.Equal(states, want) {
					t.Errorf("sent %q, want %q", states, want)
				}
				checkState(t, host, protocol.ActivityFailed, "")
			})
		})
	}
}
