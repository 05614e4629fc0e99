package world

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

func wantAnswering(t *testing.T, w *World, agent, want string) {
	t.Helper()
	if got := w.Answering(context.Background(), []string{agent})[agent]; got != want {
		t.Errorf("answering is %q, want %q", got, want)
	}
}

func TestAnsweringStates(t *testing.T) {
	f := open(t)
	owner, stranger := f.main("owner"), f.main("stranger")
	a, b := f.agent(owner, "a"), f.agent(owner, "b")
	f.as(a, registration(a))
	wantAnswering(t, f.World, a, protocol.AnsweringNo)
	wantAnswering(t, f.World, b, "") // it is not on the map

	for name, c := range map[string]struct {
		node    string
		answers protocol.Answers
		want    string
	}{
		"the agent's stream declares it":            {a, protocol.AnswersFor(a), protocol.AnsweringYes},
		"the owner's stream declares it":            {owner, protocol.ParseAnswers(b + "," + a), protocol.AnsweringYes},
		"the owner's stream is for another agent":   {owner, protocol.AnswersFor(b), protocol.AnsweringNo},
		"the owner's stream is for none":            {owner, protocol.ParseAnswers(""), protocol.AnsweringNo},
		"the owner's stream declares nothing":       {owner, protocol.Answers{}, protocol.AnsweringUnknown},
		"the agent's stream declares nothing":       {a, protocol.Answers{}, protocol.AnsweringUnknown},
		"a stranger's stream declares it":           {stranger, protocol.AnswersFor(a), protocol.AnsweringNo},
		"a stranger's stream declares nothing":      {stranger, protocol.Answers{}, protocol.AnsweringNo},
		"a program may keep agents without a lease": {owner, protocol.AnswersHeld("program"), protocol.AnsweringUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			leave := f.AddListener(c.node, c.answers)
			wantAnswering(t, f.World, a, c.want)
			leave()
			f.clock.Advance(answerGrace - time.Second)
			wantAnswering(t, f.World, a, c.want) // its reader may be reconnecting
			f.clock.Advance(time.Second)
			wantAnswering(t, f.World, a, protocol.AnsweringNo)
		})
	}
	if len(f.listeners.nodes)+len(f.listeners.ended) > 0 {
		t.Errorf("%d nodes and %d streams are never dropped", len(f.listeners.nodes), len(f.listeners.ended))
	}
}

func TestProgramAnswersForItsLeasedAgents(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a, b := f.agent(owner, "a"), f.agent(owner, "b")
	f.as(a, leasedRegistration(a, "program-1", 30))
	f.as(b, leasedRegistration(b, "other-1", 30))
	leave := f.AddListener(owner, protocol.AnswersHeld("program"))
	defer leave()
	wantAnswering(t, f.World, a, protocol.AnsweringYes)
	wantAnswering(t, f.World, b, protocol.AnsweringNo)
	if got := f.Registry().Lease(a); got != 30 {
		t.Errorf("the lease is %d s, want 30", got)
	}
	f.as(owner, ask("r1", owner, a))
	if got := f.Registry().Asked(a); !got.Equal(f.clock.Now()) {
		t.Errorf("the last question was at %v, want %v", got, f.clock.Now())
	}
}

// The programs of agents registered before this host started may be reconnecting.
func TestAnsweringIsUnknownAfterStart(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a, b := f.agent(owner, "a"), f.agent(owner, "b")
	f.as(a, registration(a))
	f.reopen()
	f.as(b, registration(b))
	wantAnswering(t, f.World, a, protocol.AnsweringUnknown)
	wantAnswering(t, f.World, b, protocol.AnsweringNo)
	f.clock.Advance(answerGrace)
	wantAnswering(t, f.World, a, protocol.AnsweringNo)
}

func TestTooManyDeclarationsOfNodeAreUnknown(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	for i := range 1000 {
		f.AddListener(owner, protocol.AnswersFor(id(string(rune(i)))))()
	}
	if n := len(f.listeners.nodes[owner]); n > maxDeclarations+1 {
		t.Errorf("%d declarations of a node are kept, want at most %d", n, maxDeclarations+1)
	}
	wantAnswering(t, f.World, a, protocol.AnsweringUnknown)
}

// In a world without nodes, each of many programs answers for its own agent.
func TestManyProgramsAnswerWithoutRepository(t *testing.T) {
	f := open(t, func(o *Options) { o.NoRepository = true })
	const programs = 50
	quiet := id("quiet")
	f.as("", registration(quiet))
	for n := range programs {
		a := id(fmt.Sprint(n))
		f.as("", registration(a))
		leave := f.AddListener("", protocol.AnswersFor(a))
		defer leave()
	}
	wantAnswering(t, f.World, quiet, protocol.AnsweringNo)
	for n := range programs {
		wantAnswering(t, f.World, id(fmt.Sprint(n)), protocol.AnsweringYes)
	}
	for n := range 2 * maxDeclarationsOfAll {
		f.AddListener("", protocol.AnswersFor(fmt.Sprint(n)))()
	}
	if n := len(f.listeners.nodes[""]); n > maxDeclarationsOfAll+1 {
		t.Errorf("%d declarations are kept, want at most %d", n, maxDeclarationsOfAll+1)
	}
}

func TestReconnectingStreamsAreKeptOnce(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	for range 1000 {
		f.AddListener(owner, protocol.AnswersFor(a))()
		f.clock.Advance(time.Millisecond)
	}
	if n := len(f.listeners.ended); n != 1 {
		t.Errorf("%d ended streams are kept, want 1", n)
	}
	f.clock.Advance(answerGrace - 2*time.Millisecond)
	wantAnswering(t, f.World, a, protocol.AnsweringYes)
	f.clock.Advance(2 * time.Millisecond)
	wantAnswering(t, f.World, a, protocol.AnsweringNo)
	if len(f.listeners.nodes)+len(f.listeners.ended) > 0 {
		t.Errorf("%d nodes and %d streams are never dropped", len(f.listeners.nodes), len(f.listeners.ended))
	}
}

// TestAnswersOfOtherHostsAreBounded sends a host answers to questions that it did
// not send, and more answers than there are hosts.
func TestAnswersOfOtherHostsAreBounded(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 300)
	c.agree()
	w := c.worlds[1]
	for i := range 1000 {
		w.receiveAnswering(t.Context(), append([]byte{answeringMessage}, fmt.Sprintf(`{"nonce":"%d","yes":[%q]}`, i, a)...))
	}
	waiting := make(chan peerAnswer, 1)
	w.listeners.mu.Lock()
	w.listeners.asked["known"] = waiting
	w.listeners.mu.Unlock()
	for range 1000 {
		w.receiveAnswering(t.Context(), append([]byte{answeringMessage}, `{"nonce":"known"}`...))
	}
	if len(waiting) != 1 || len(w.listeners.asked) != 1 {
		t.Errorf("%d answers to a question and %d questions are kept, want 1 each", len(waiting), len(w.listeners.asked))
	}
	delete(w.listeners.asked, "known")
	wantAnswering(t, w, a, protocol.AnsweringNo)
	if len(w.listeners.asked) != 0 {
		t.Errorf("%d answered questions are kept", len(w.listeners.asked))
	}
}

func TestHostsShareAnsweringStates(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 300)
	c.agree()
	c.clock.Advance(answerGrace) // no program from before reconnects
	for _, w := range c.worlds {
		if err := w.Sweep(context.Background()); err != nil { // tells the other host
			t.Fatal(err)
		}
	}
	eventually(t, "the hosts receive each other's messages", func() bool {
		return c.worlds[1].Answering(t.Context(), []string{a})[a] == protocol.AnsweringNo
	})
	leave := c.worlds[0].AddListener(id("owner"), protocol.AnswersFor(a))
	wantAnswering(t, c.worlds[1], a, protocol.AnsweringYes)
	leave()
	c.clock.Advance(answerGrace)
	leave = c.worlds[0].AddListener(id("owner"), protocol.Answers{})
	defer leave()
	wantAnswering(t, c.worlds[1], a, protocol.AnsweringUnknown)
}
