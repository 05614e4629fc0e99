package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

// queued enqueues a command of an account with a request body of the given size.
func queued(t *testing.T, q *queue, account string, body int) *job {
	t.Helper()
	return queuedBy(t.Context(), t, q, account, body)
}

// queuedBy is queued with a context that the caller can cancel.
func queuedBy(ctx context.Context, t *testing.T, q *queue, account string, body int) *job {
	t.Helper()
	j := &job{ctx: ctx, req: Request{Caller: Caller{NodeID: account}, BodyBytes: body}}
	if err := q.send(account, j); err != nil {
		t.Fatal(err)
	}
	return j
}

// batchOf takes a batch and lists the accounts of its commands.
func batchOf(q *queue) string {
	batch, _ := q.take(nil)
	who := make([]string, len(batch))
	for i, j := range batch {
		who[i] = j.req.Caller.NodeID
	}
	return strings.Join(who, " ")
}

func TestAccountsTakeTurns(t *testing.T) {
	q := newQueue()
	for account := range strings.FieldsSeq("a a a a b c c") {
		queued(t, q, account, 10)
	}
	if got := batchOf(q); got != "a b c a c a a" {
		t.Errorf("the batch has the commands of %s", got)
	}
}

func TestShortCommandWaitsForOneLongBatch(t *testing.T) {
	q := newQueue()
	for range 5 {
		queued(t, q, "long", maxBatchBodies-100)
	}
	for range 3 {
		queued(t, q, "short", 40)
	}
	// An account whose command is too long for the batch comes first in the next
	// batch.
	for _, want := range []string{"long short short", "long short", "long", "long", "long", ""} {
		if got := batchOf(q); got != want {
			t.Errorf("the batch has the commands of %q, want %q", got, want)
		}
	}
	queued(t, q, "longest", protocol.MaxBodyBytes)
	if got := batchOf(q); got != "longest" {
		t.Errorf("the batch with the longest body has the commands of %q", got)
	}
}

// In any sequence, each command is taken once, and those of an account in their
// order; a batch is within its bounds and begins with the account whose turn it is.
func TestTurnsOfTheQueue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q, sent, taken := newQueue(), map[string][]*job{}, map[string][]*job{}
		for range rapid.IntRange(1, 30).Draw(rt, "batches") {
			for range rapid.IntRange(0, 30).Draw(rt, "commands") {
				account := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "account")
				sent[account] = append(sent[account], queued(t, q, account, rapid.IntRange(0, maxBatchBodies).Draw(rt, "bytes")))
			}
			first := ""
			if len(q.turns) > 0 {
				first = q.turns[0]
			}
			batch, _ := q.take(nil)
			if len(batch) > maxBatch || first != "" && batch[0].req.Caller.NodeID != first {
				rt.Fatalf("a batch of %d commands does not start with %s, whose turn it is", len(batch), first)
			}
			bytes := 0
			for _, j := range batch {
				bytes += j.req.BodyBytes
				taken[j.req.Caller.NodeID] = append(taken[j.req.Caller.NodeID], j)
			}
			if len(batch) > 1 && bytes > maxBatchBodies {
				rt.Fatalf("a batch of %d commands has %d bytes", len(batch), bytes)
			}
		}
		for batch, _ := q.take(nil); len(batch) > 0; batch, _ = q.take(nil) {
			for _, j := range batch {
				taken[j.req.Caller.NodeID] = append(taken[j.req.Caller.NodeID], j)
			}
		}
		for account, commands := range sent {
			if !slices.Equal(commands, taken[account]) {
				rt.Fatalf("the commands of %s are incomplete or out of order", account)
			}
		}
		if len(q.places) != 0 || len(q.waiting) != 0 {
			rt.Fatalf("an empty queue has %d places taken and %d accounts", len(q.places), len(q.waiting))
		}
	})
}

// Long commands whose callers are gone do not delay others.
func TestCanceledCommandsUseNoRoom(t *testing.T) {
	q := newQueue()
	gone, leave := context.WithCancel(t.Context())
	for range 5 {
		queuedBy(gone, t, q, "gone", maxBatchBodies)
	}
	queued(t, q, "here", maxBatchBodies)
	leave()
	if got := batchOf(q); got != "gone here gone gone gone gone" {
		t.Errorf("the batch has the commands of %s", got)
	}
}

func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for range queueLength {
			queued(t, q, "a", 0)
		}
		ctx, cancel := context.WithCancel(t.Context())
		gone, waits := make(chan error), make(chan error)
		go func() { gone <- q.send("b", &job{ctx: ctx}) }()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled caller gets %v", err)
		}
		go func() { waits <- q.send("b", &job{ctx: t.Context()}) }()
		synctest.Wait()
		if batch, _ := q.take(nil); len(batch) != maxBatch {
			t.Errorf("a batch has %d commands, want %d", len(batch), maxBatch)
		}
		if err := <-waits; err != nil {
			t.Errorf("a waiting caller gets %v", err)
		}
	})
}

func TestClosedQueue(t *testing.T) {
	q := newQueue()
	queued(t, q, "a", 0)
	q.close()
	if err := q.send("a", &job{ctx: t.Context()}); protocol.CodeOf(err) != protocol.CodeShuttingDown {
		t.Errorf("a command after the close gets %v", err)
	}
	<-q.ready
	if batch, open := q.take(nil); len(batch) != 1 || !open {
		t.Errorf("the last batch has %d commands, open: %t", len(batch), open)
	}
	<-q.ready
	if batch, open := q.take(nil); len(batch) != 0 || open {
		t.Errorf("after the last batch %d commands follow, open: %t", len(batch), open)
	}
	if len(q.places) != 0 {
		t.Error("a refused command keeps its place")
	}
}

// An agent's commands share the queue of its main node; those of viewers and of the
// world itself share one queue.
func TestQueueAccountOfCaller(t *testing.T) {
	c := openCluster(t, 1)
	defer c.close()
	agent := c.agent(0, 45)
	r := c.worlds[0].Registry()
	for caller, want := range map[Caller]string{
		{NodeID: agent}:                        id("owner"),
		{NodeID: id("owner")}:                  id("owner"),
		{NodeID: "unknown"}:                    "unknown",
		{Viewer: "one"}:                        "",
		{Admin: true}:                          "",
		{}:                                     "",
		{NodeID: "unchecked", Unchecked: true}: "unchecked",
	} {
		if got := r.queueAccount(&caller); got != want {
			t.Errorf("%s waits with %q, want %q", fmt.Sprintf("%+v", caller), got, want)
		}
	}
}

func TestAccountDoesNotDelayAnother(t *testing.T) {
	c, way, a := openSlow(t)
	w, other := c.worlds[0], id("agent of another account")
	c.must(0, "", CreateMainNode{NodeID: id("other")})
	c.must(0, id("other"), CreateAgentNode{AgentNodeID: other})
	c.must(0, other, leasedRegistration(other, "c", 45))
	gate := make(chan struct{})
	way.gate.Store(&gate)
	var jobs []*job
	send := func(agent string, body int) {
		j := &job{ctx: t.Context(), command: line(agent, "text"), done: make(chan struct{})}
		j.req = Request{Caller: Caller{NodeID: agent}, BodyBytes: body}
		if err := w.queue.send(w.registry.queueAccount(&j.req.Caller), j); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	for range 50 {
		send(a, maxBatchBodies/2)
	}
	send(other, 100)
	close(gate)
	for _, j := range jobs {
		<-j.done
		if j.err != nil {
			t.Fatal(j.err)
		}
	}
	// The writer may have taken a batch of two commands before the others arrived.
	if other, fourth := jobs[50].reply.Seq, jobs[3].reply.Seq; other > fourth {
		t.Errorf("the other account's command caused event %d, after event %d, the fourth of 50 commands", other, fourth)
	}
}
