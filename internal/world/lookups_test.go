package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

func (c *cluster) keyed(i int, nodeID string, key string, command Command) (Reply, error) {
	return c.worlds[i].Do(context.Background(), Request{Caller: Caller{NodeID: nodeID}, Idempotency: keyOf(key)}, command)
}

func keyOf(name string) *Idempotency {
	k := &Idempotency{Fingerprint: [32]byte{1}}
	copy(k.Key[:], name)
	return k
}

// A request sent to every host at the same time is carried out once; all callers
// get the same reply.
func TestRequestSentToSeveralHostsRunsOnce(t *testing.T) {
	for name, open := range map[string]func(testing.TB, int) *cluster{"memory": openCluster, "redis": openOnRedis} {
		t.Run(name, func(t *testing.T) {
			c := open(t, 3)
			defer c.close()
			a := c.agent(0, 45)
			c.agree()
			for n := range 20 {
				text := fmt.Sprint("line ", n)
				replies := make([]string, len(c.worlds))
				var racing sync.WaitGroup
				for i := range c.worlds {
					racing.Go(func() {
						reply, err := c.keyed(i, a, text, line(a, text))
						if err != nil {
							t.Errorf("%s at host %d: %v", text, i, err)
							return
						}
						body, err := reply.JSON()
						if err != nil {
							t.Error(err)
						}
						replies[i] = string(body)
					})
				}
				racing.Wait()
				if replies[0] != replies[1] || replies[0] != replies[2] {
					t.Errorf("the replies are %q", replies)
				}
			}
			c.agree()
			for text, times := range c.texts(1) {
				if times != 1 {
					t.Errorf("%q is stored %d times", text, times)
				}
			}
			if got := c.worlds[2].View().Seq; got != 21 {
				t.Errorf("the log ends at %d, want 21", got)
			}
		})
	}
}

// A repeat at a host that has not received the first request's entry is answered
// from a view that includes it.
func TestRepeatAtAnotherHostReturnsItsRev(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 45)
	c.agree()
	c.hosts[1].NoFollow.Store(true)
	if _, err := c.keyed(0, a, "k", leasedRegistration(a, "another", 20)); err != nil {
		t.Fatal(err)
	}
	first := c.must(0, a, journey(a, "tool"))
	key := &Idempotency{Fingerprint: [32]byte{1}}
	copy(key.Key[:], "k")
	again, found, err := c.worlds[1].Repeated(t.Context(), key)
	if err != nil || !found || again.Rev < first.Rev || c.worlds[1].View().Rev < first.Rev {
		t.Errorf("the repeat is of rev %d (%v, %v), the view of %d, and the write of %d", again.Rev, found, err, c.worlds[1].View().Rev, first.Rev)
	}
}

// readCounter counts how often a host reads records of the store.
type readCounter struct {
	*sharedstore.Host
	one, many atomic.Int64
	// gate blocks commits until it is closed; nil for none.
	gate atomic.Pointer[chan struct{}]
}

func (r *readCounter) Commit(ctx context.Context, b *store.Batch) (store.Tip, error) {
	if gate := r.gate.Load(); gate != nil {
		<-*gate
	}
	return r.Host.Commit(ctx, b)
}

func (r *readCounter) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	r.one.Add(1)
	return r.Host.Get(ctx, table, key)
}

func (r *readCounter) GetAll(ctx context.Context, list []store.Lookup) ([][]byte, error) {
	r.many.Add(1)
	return r.Host.GetAll(ctx, list)
}

func TestBatchReadsStoreOnce(t *testing.T) {
	c := &cluster{t: t, clock: newClock()}
	c.server = sharedstore.NewServer(store.DefaultRetention(), c.clock.Now)
	journal := &readCounter{Host: c.server.Host()}
	w, err := Open(context.Background(), Options{
		Journal: journal, RootKey: testRootKey, Now: c.clock.Now, Random: rand.NewChaCha8([32]byte{1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	c.worlds = append(c.worlds, w)
	defer c.close()
	a, owner := c.agent(0, 45), id("owner")
	c.must(0, a, line(a, "the history is known from here on"))
	journal.one.Store(0)
	journal.many.Store(0)
	batch := []*job{}
	for n := range 20 {
		k := &Idempotency{Key: [32]byte{byte(n)}}
		batch = append(batch,
			&job{command: line(a, "text"), req: Request{Caller: Caller{NodeID: a}, Idempotency: k}},
			&job{command: ask(fmt.Sprint(n), owner, a), req: Request{Caller: Caller{NodeID: owner}}},
			&job{command: AssistTool{protocol.AssistToolRequest{TargetPlayerID: a, ToolName: "assist_find"}}, req: Request{Caller: Caller{NodeID: owner}}})
	}
	// The first commit is in progress while the others are batched.
	gate := make(chan struct{})
	journal.gate.Store(&gate)
	for _, j := range batch {
		j.ctx, j.done = t.Context(), make(chan struct{})
		if err := w.queue.send(w.registry.queueAccount(&j.req.Caller), j); err != nil {
			t.Fatal(err)
		}
	}
	close(gate)
	for _, j := range batch {
		<-j.done
		if j.err != nil {
			t.Fatalf("%T: %v", j.command, j.err)
		}
	}
	if one, many := journal.one.Load(), journal.many.Load(); one != 0 || many == 0 || many > 2 {
		t.Errorf("%d commands read the store %d times one by one and %d times at once", len(batch), one, many)
	}
}
