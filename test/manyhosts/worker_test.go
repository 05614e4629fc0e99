//go:build full

package manyhosts

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// worker sends commands, one after another, each to any host.
type worker struct {
	*site
	seed    uint64
	number  int
	random  *rand.Rand
	history *history
	client  *http.Client
	common  *common
	done    int
	// failure is a reply that must not occur.
	failure error
}

// common is the shared state of the workers.
type common struct {
	mu sync.Mutex
	// ids are the last ids of placements, by subject, and leases the connections of
	// the agents' last registrations.
	ids, leases map[string]string
	// open are requests that no worker has tried to answer yet.
	open []request
}

type request struct {
	id    string
	agent int
}

func newWorker(s *site, h *history, c *common, seed uint64, number int) *worker {
	return &worker{
		site: s, seed: seed, number: number, random: rand.New(rand.NewPCG(seed, uint64(number))), history: h, common: c,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}, Timeout: patience},
	}
}

// run works until it is stopped, and finishes its current op then.
func (w *worker) run(ctx context.Context, stop <-chan struct{}) {
	defer w.client.CloseIdleConnections()
	for w.failure == nil {
		o, r, n := w.draw()
		w.perform(ctx, o, r, n)
		w.history.add(o)
		wait := time.NewTimer(time.Duration(w.random.IntN(15)) * time.Millisecond)
		select {
		case <-stop:
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}

// perform sends an op until its outcome is known, or cannot be known. One with an
// idempotency key is repeated, at any host, until it is answered; one without is
// sent once.
func (w *worker) perform(ctx context.Context, o *op, r hostprocess.Request, n hostprocess.Node) {
	o.started = w.history.now()
	defer func() { o.ended = w.history.now() }()
	o.outcome = unsent
	for w.history.now()-o.started < patience {
		a, err := w.attempt(ctx, o, r, n)
		switch {
		case errors.Is(err, errNotSent), err == nil && a.Status == http.StatusTooManyRequests && o.verb != act:
		case err != nil, a.Status >= http.StatusInternalServerError:
			o.outcome = unknown
			if !o.keyed && o.verb != look {
				return
			}
		default:
			w.conclude(o, a)
			return
		}
		wait := time.NewTimer(time.Duration(5+w.random.IntN(20)) * time.Millisecond)
		select {
		case <-wait.C:
		case <-ctx.Done():
			return
		}
	}
	w.failure = fmt.Errorf("no reply within %v: %v", patience, o)
}

var errNotSent = errors.New("no host accepted the request")

// attempt sends an op to any host, once.
func (w *worker) attempt(ctx context.Context, o *op, r hostprocess.Request, n hostprocess.Node) (*hostprocess.Answer, error) {
	i := w.random.IntN(hosts)
	url := w.hosts[i].URL()
	if url == "" {
		return nil, errNotSent
	}
	start, still := time.Now(), w.history.still.Load()
	a, err := n.Do(ctx, w.client, url, r)
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return nil, errNotSent
	case err != nil:
		o.asked = append(o.asked, fmt.Sprint("host ", i, ": no reply"))
		return nil, err
	}
	o.asked = append(o.asked, fmt.Sprint("host ", i, ": ", a.Status, " ", a.Code))
	// Deriving the id of a new node takes as long as the machine needs, before the
	// store is called.
	if a.Code == protocol.CodeStoreUnavailable && o.verb != create {
		w.history.storeUnavailable(time.Since(start) - time.Duration(w.history.still.Load()-still))
	}
	w.history.recordRev(a.Rev)
	return a, nil
}

// conclude records the reply. A refusal does not tell the outcome of an earlier
// attempt without a reply, which may still be in progress.
func (w *worker) conclude(o *op, a *hostprocess.Answer) {
	if !a.OK() {
		o.result.code = a.Code
		if o.verb == look && a.Code == protocol.CodeSpaceUnknown {
			o.outcome = acked
			return
		}
		if o.outcome != unknown {
			o.outcome = refused
		}
		if !refusals[o.verb][a.Code] {
			w.failure = fmt.Errorf("an unexpected refusal: %v", o)
		}
		return
	}
	o.outcome = acked
	if err := w.read(o, a); err != nil {
		w.failure = fmt.Errorf("%w: %v: %s", err, o, a.Body)
	}
}

// refusals are the codes with which a command may be refused.
var refusals = map[verb]map[protocol.Code]bool{
	register:      gone,
	disconnect:    gone,
	heartbeat:     {protocol.CodeForbidden: true, protocol.CodeLeaseUnknown: true},
	say:           offMap,
	travel:        offMap,
	act:           {protocol.CodeForbidden: true, protocol.CodePlayerUnknown: true, protocol.CodeLeaseUnknown: true, protocol.CodeRateLimited: true},
	zone:          offMap,
	create:        {protocol.CodeNodeExists: true},
	ask:           offMap,
	answer:        {protocol.CodeForbidden: true, protocol.CodeRequestUnknown: true},
	createSpace:   {protocol.CodeSpaceExists: true},
	addAmenity:    {protocol.CodeSpaceUnknown: true, protocol.CodeAmenityExists: true},
	removeAmenity: {protocol.CodeSpaceUnknown: true, protocol.CodeNotFound: true, protocol.CodeAmenityLast: true},
	removeSpace:   {protocol.CodeSpaceUnknown: true},
}

var (
	gone   = map[protocol.Code]bool{protocol.CodeForbidden: true}
	offMap = map[protocol.Code]bool{protocol.CodeForbidden: true, protocol.CodePlayerUnknown: true}
)

// read parses a reply.
func (w *worker) read(o *op, a *hostprocess.Answer) error {
	var reply struct {
		OK  bool    `json:"ok"`
		ID  string  `json:"id"`
		Seq uint64  `json:"seq"`
		Rev *uint64 `json:"rev"`
		// Node is set when a look reads the chain, Space when it reads a space.
		Node struct {
			Occupant struct {
				Name      string `json:"name"`
				URL       string `json:"url"`
				ZoneCount int64  `json:"zoneCount"`
				Activity  struct {
					Text string `json:"text"`
				} `json:"activity"`
			} `json:"occupant"`
		} `json:"node"`
		Space struct {
			Amenities []string `json:"amenities"`
		} `json:"space"`
	}
	if err := a.Decode(&reply); err != nil {
		return err
	}
	o.result = result{ok: reply.OK, id: reply.ID, seq: reply.Seq, rev: a.Rev}
	w.common.mu.Lock()
	defer w.common.mu.Unlock()
	switch o.verb {
	case look:
		row := reply.Node.Occupant
		switch {
		case strings.HasPrefix(o.subject, spaceSubject):
			o.result.text = joined(reply.Space.Amenities)
		case strings.HasPrefix(o.subject, placementSubject):
			o.result.text = mark(row.URL)
		default:
			o.result.text, o.result.doing, o.result.zones = row.Name, row.Activity.Text, row.ZoneCount
		}
	case place:
		w.common.ids[o.subject] = reply.ID
	case register:
		w.common.leases[o.subject] = o.arg
	case ask:
		w.common.open = append(w.common.open, request{o.mark, int(o.subject[len(agentSubject)] - '0')})
	}
	return nil
}

// address returns a placement's URL with a mark; mark extracts it.
func address(mark string) string { return "https://" + mark + ".example.org" }

func mark(address string) string {
	return strings.TrimSuffix(strings.TrimPrefix(address, "https://"), ".example.org")
}
