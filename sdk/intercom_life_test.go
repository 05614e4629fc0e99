package sdk_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// A command that was sent while the stream was broken is carried out after the
// stream resumes.
func TestCommandsResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		transport := &breakable{switchable: &switchable{target: host.Transport()}}
		w := openWorld(t, host, func(o *sdk.Options) { o.Transport = transport })
		addAgent(t, w, "ada", nil)
		e := newExecutor()
		_, errs := serveIntercom(t, w, e, nil)
		synctest.Wait() // the stream's position has arrived, so it can be resumed
		transport.breakStream()
		transport.set(roundTrip(unreachable))
		asker := openWorld(t, host, nil)
		if _, err := asker.RegisterMCP(t.Context(), sdk.MCP{Name: "an event, at which the stream breaks"}); err != nil {
			t.Fatal(err)
		}
		answers := make(chan string, 1)
		go func() {
			answer, err := asker.Ask(context.Background(), sdk.IntercomQuestion{To: "ada", Text: "hello"})
			if err != nil {
				answers <- err.Error()
				return
			}
			answers <- answer.Message
		}()
		wait(t, time.Second)
		transport.set(host.Transport())
		if got := <-answers; got != "ada got hello" {
			t.Errorf("the answer is %q; errors %v", got, errs())
		}
		if len(errs()) == 0 {
			t.Error("the broken stream was not reported")
		}
	})
}

// After a reset the agent is on the map again, and answers.
func TestCommandsContinueAfterReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		e := newExecutor()
		_, errs := serveIntercom(t, w, e, nil)
		reset(t, host)
		wait(t, 10*time.Second)
		if agentsOn(t, host)["ada"] == nil {
			t.Fatal("the agent did not register again")
		}
		if got, err := ask(t, openWorld(t, host, nil), "ada", "hello"); err != nil || got != "ada got hello" {
			t.Errorf("%q, %v; errors %v", got, err, errs())
		}
	})
}

// Closing cancels the running commands and reports it to their askers.
func TestCloseCancelsCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		e := newExecutor()
		s, _ := serveIntercom(t, w, e, nil)
		asker := openWorld(t, host, nil)
		failed := make(chan error, 1)
		go func() {
			_, err := asker.Ask(context.Background(), sdk.IntercomQuestion{To: "ada", Text: "wait"})
			failed <- err
		}()
		wait(t, time.Second)
		s.Close()
		s.Close()
		if err := <-failed; err == nil || err.Error() != "the agent failed: the agent is leaving" {
			t.Errorf("the asker got %v", err)
		}
		if len(e.causes) != 1 || !errors.Is(e.causes[0], sdk.ErrClosed) {
			t.Errorf("the executor got %v", e.causes)
		}
		if _, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{}); err == nil || !strings.Contains(err.Error(), "Execute is nil") {
			t.Errorf("options without an executor give %v", err)
		}
		many := sdk.IntercomOptions{Execute: e.execute, Concurrency: math.MaxInt}
		if _, err := w.SubscribeIntercomCommands(t.Context(), many); err == nil || !strings.Contains(err.Error(), "Concurrency is more than") {
			t.Errorf("too many at the same time: %v", err)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{Execute: e.execute}); !errors.Is(err, sdk.ErrClosed) {
			t.Errorf("a closed world gives %v", err)
		}
	})
}

// The host gives up after 120 s: the executor's context ends, and no answer is
// sent.
func TestCommandTimedOutByHostIsCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		e := newExecutor()
		_, errs := serveIntercom(t, w, e, func(o *sdk.IntercomOptions) { o.Timeout = time.Hour })
		_, err := ask(t, openWorld(t, host, nil), "ada", "wait")
		if err == nil || err.Error() != "the agent failed: the agent did not answer within 120 seconds" {
			t.Errorf("the asker got %v", err)
		}
		synctest.Wait()
		if len(e.causes) != 1 || !errors.Is(e.causes[0], sdk.ErrAnswered) || len(errs()) > 0 {
			t.Errorf("the executor got %v; errors %v", e.causes, errs())
		}
	})
}

// Commands beyond the concurrency limit wait for their turn.
func TestCommandsBeyondLimitWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		e := newExecutor()
		serveIntercom(t, w, e, func(o *sdk.IntercomOptions) { o.Concurrency = 2 })
		asker := openWorld(t, host, nil)
		answers := make(chan error, 5)
		for range cap(answers) {
			go func() {
				_, err := asker.Ask(context.Background(), sdk.IntercomQuestion{To: "ada", Text: "wait"})
				answers <- err
			}()
		}
		wait(t, time.Second)
		if e.now != 2 {
			t.Errorf("%d commands run at once", e.now)
		}
		close(e.gate)
		for range cap(answers) {
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
		if len(e.calls) != cap(answers) || e.most != 2 {
			t.Errorf("%d commands ran, %d at once", len(e.calls), e.most)
		}
	})
}

// olderProgram reads a host's events without naming the agents for which it
// answers.
func olderProgram(t *testing.T, host *playworld.PlayWorld) {
	t.Helper()
	c, err := client.New(client.Options{BaseURL: host.BaseURL(), Transport: host.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	stream := c.Events(context.Background(), client.StreamOptions{})
	t.Cleanup(stream.Close)
	for {
		signal, err := stream.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if signal.Type == client.SignalOpen {
			break
		}
	}
	go func() {
		for range stream.All() {
		}
	}()
}

// If the host knows that no program answers, a question ends immediately; a program
// counts as answering for the agents that its world holds, whenever it subscribed.
func TestAskWithoutAnsweringProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		question := sdk.IntercomQuestion{To: "ada", Text: "is nobody there?"}
		start := time.Now()
		if _, err := w.Ask(t.Context(), question); !protocol.HasCode(err, protocol.CodeAgentNotAnswering) || time.Since(start) > time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		commands, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{Execute: noAnswer})
		if err != nil {
			t.Fatal(err)
		}
		<-commands.Ready()
		if _, err := w.Ask(t.Context(), question); err != nil {
			t.Errorf("with a program: %v", err)
		}
		addAgent(t, w, "bob", nil)
		if _, err := w.Ask(t.Context(), sdk.IntercomQuestion{To: "bob", Text: "and you?"}); err != nil {
			t.Errorf("an agent that came after the stream: %v", err)
		}
		commands.Close()
	})
}

// The stream of a question may open long after the question was sent, and after it
// was answered.
func TestAskWithLateStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		answers := openWorld(t, host, nil)
		addAgent(t, answers, "ada", nil)
		serveIntercom(t, answers, newExecutor(), nil)
		opening := make(chan struct{})
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == protocol.ServicePlay.Events() {
					<-opening
				}
				return host.Transport().RoundTrip(r)
			})
		})
		answered := make(chan error, 1)
		go func() {
			_, err := w.Ask(t.Context(), sdk.IntercomQuestion{To: "ada", Text: "are you quick?"})
			answered <- err
		}()
		wait(t, time.Minute)
		close(opening)
		if err := <-answered; err != nil {
			t.Errorf("the asker got %v", err)
		}
	})
}

// A host that refuses the stream for good ends the question: no answer can arrive.
func TestAskWithRefusedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		answers := openWorld(t, host, nil)
		addAgent(t, answers, "ada", nil)
		serveIntercom(t, answers, newExecutor(), nil)
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == protocol.ServicePlay.Events() {
					return answer(http.StatusUnauthorized, `{"error":"no such node","code":"credentials_invalid","requestId":"r"}`), nil
				}
				return host.Transport().RoundTrip(r)
			})
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := w.Ask(ctx, sdk.IntercomQuestion{To: "ada", Text: "are you there?"}); !protocol.HasCode(err, protocol.CodeCredentialsInvalid) || ctx.Err() != nil {
			t.Errorf("the asker got %v", err)
		}
	})
}

// Questions that cannot be answered are refused immediately, as far as the host
// knows.
func TestAskRefusesInvalidQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		olderProgram(t, host)
		for want, q := range map[string]sdk.IntercomQuestion{
			"set Text or Tool":                  {To: "ada"},
			"sdk.IntercomQuestion.To is empty":  {To: " ", Text: "hello"},
			"the agent bob is not on the map":   {To: "bob", Text: "hello"},
			"the agent did not register this":   {To: "ada", Tool: "assist_fly"},
			"must be an object, not":            {To: "ada", Tool: "assist_greet", Args: []byte(`[]`)},
			"IntercomQuestion.Args is not JSON": {To: "ada", Tool: "assist_greet", Args: []byte(`{name: "Bob"}`)},
			"the agent failed: the agent did n": {To: "ada", Text: "is nobody there?"},
		} {
			if _, err := w.Ask(t.Context(), q); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v gives %v, want %s", q, err, want)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Ask(ctx, sdk.IntercomQuestion{To: "ada", Text: "quickly"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after the deadline: %v", err)
		}
	})
}

// A question ends with its session.
func TestResetEndsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		olderProgram(t, host)
		failed := make(chan error, 1)
		go func() {
			_, err := w.Ask(context.Background(), sdk.IntercomQuestion{To: "ada", Text: "hello"})
			failed <- err
		}()
		wait(t, time.Second)
		reset(t, host)
		if err := <-failed; err == nil || !strings.Contains(err.Error(), "new session") {
			t.Errorf("the asker got %v", err)
		}
	})
}

// If a host does not number its events, those sent while the stream was broken are
// lost, and one of them may have been the answer.
func TestGapEndsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		asked := openWorld(t, host, nil)
		addAgent(t, asked, "ada", nil)
		serveIntercom(t, asked, newExecutor(), nil)
		transport := &breakable{switchable: &switchable{target: host.Transport()}}
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = &rewriter{t: t, next: transport, line: func(line string) string {
				if strings.HasPrefix(line, "id:") {
					return ""
				}
				return line
			}, rpc: func(_ protocol.Op, reply map[string]any) {
				if snapshot, is := reply["snapshot"].(map[string]any); is {
					delete(snapshot, "seq")
				}
			}}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		failed := make(chan error, 1)
		go func() {
			_, err := w.Ask(ctx, sdk.IntercomQuestion{To: "ada", Text: "wait"})
			failed <- err
		}()
		wait(t, time.Second)
		transport.breakStream()
		if _, err := asked.RegisterMCP(t.Context(), sdk.MCP{Name: "an event, at which the stream breaks"}); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; !errors.Is(err, sdk.ErrGap) || !strings.Contains(err.Error(), "the answer may be among them") {
			t.Errorf("the asker got %v", err)
		}
	})
}
