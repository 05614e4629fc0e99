package world

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

const (
	// presenceTerm is for how long a host counts as present after its last
	// registration at the store. Each sweep renews the registration.
	presenceTerm = 5 * time.Second
	// quietTerm is the time since its last registration after which a host reads the
	// entries that it missed before it answers: its process may have been stopped for so
	// long that other hosts deleted something without waiting for it.
	quietTerm = 2500 * time.Millisecond
	// awaitTerm bounds how long AwaitHosts waits, and askEvery is the time until it
	// asks again: a message may be lost.
	awaitTerm = 3 * time.Second
	askEvery  = 250 * time.Millisecond
	// maxQuestions bounds the unanswered questions of other hosts; a host repeats one
	// that is dropped.
	maxQuestions = 16
)

// The kinds of messages besides secretMessage: the question whether a host has applied a
// position, and its positive answer.
const (
	questionMessage = 2
	appliedMessage  = 3
)

// progress is a message of a host: it asks for a position, or has applied one.
type progress struct {
	kind byte
	reached
	host string
}

// reached is a place in the journal. A host that has not noticed that the store lost
// entries may be past the position and have none of the entries that replaced them; the
// seq jumped there, past all lost ones.
type reached struct {
	position store.Position
	seq      uint64
}

// passed reports whether a host that has reached r has the entry of another place.
func (r reached) passed(other reached) bool {
	return r.position >= other.position && r.seq >= other.seq
}

// reached is the place of the view's last entry.
func (v *View) reached() reached { return reached{v.Position, v.Seq} }

func (p progress) encode() []byte {
	b := binary.BigEndian.AppendUint64([]byte{p.kind}, uint64(p.position))
	return append(binary.BigEndian.AppendUint64(b, p.seq), p.host...)
}

// parseProgress parses a message, and reports whether encode created it.
func parseProgress(b []byte) (p progress, ok bool) {
	if len(b) < 17 || b[0] != questionMessage && b[0] != appliedMessage {
		return p, false
	}
	at := reached{store.Position(binary.BigEndian.Uint64(b[1:])), binary.BigEndian.Uint64(b[9:])}
	return progress{b[0], at, string(b[17:])}, true
}

// waits are the waits for other hosts.
type waits struct {
	mu   sync.Mutex
	open map[*wait]struct{}
	// questions are the questions of other hosts.
	questions chan progress
}

// wait is a wait for hosts to apply the entry of a place; missing has the names of the
// hosts that have not applied it yet, by id.
type wait struct {
	reached
	missing map[string]string
	done    context.CancelFunc
}

// receive applies a message.
func (w *waits) receive(p progress) {
	if p.kind == questionMessage {
		select {
		case w.questions <- p:
		default:
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.open {
		if _, counts := one.missing[p.host]; counts && p.passed(one.reached) {
			delete(one.missing, p.host)
			if len(one.missing) == 0 {
				one.done()
			}
		}
	}
}

func (w *waits) begin(one *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[one] = struct{}{}
}

// end returns the names of the hosts that did not answer in time.
func (w *waits) end(one *wait) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, one)
	return slices.Sorted(maps.Values(one.missing))
}

// AwaitHosts waits, 3 s at most, until every other host that is registered at the store has
// applied the entries that this one has, and returns the names of the hosts that did not
// confirm it. An error means that the store does not list its hosts.
func (w *World) AwaitHosts(ctx context.Context) (late []string, err error) {
	if w.SoleHost() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, awaitTerm)
	defer cancel()
	place := w.View().reached()
	hosts, err := w.present(ctx, presenceTerm)
	if err != nil {
		return nil, fmt.Errorf("list the other hosts: %w", err)
	}
	delete(hosts, w.replica.holder)
	if len(hosts) == 0 {
		return nil, nil
	}
	one := &wait{place, hosts, cancel}
	w.replica.waits.begin(one)
	question := progress{questionMessage, place, w.replica.holder}.encode()
	for asking := true; asking; asking = pause.For(ctx, askEvery) {
		// If it cannot be sent, it is sent again.
		_ = w.options.Journal.Send(ctx, question)
	}
	return w.replica.waits.end(one), nil
}

// present registers this host at the store, and returns the names of the
// registered hosts by id.
func (w *World) present(ctx context.Context, term time.Duration) (map[string]string, error) {
	hosts, err := w.options.Journal.Heartbeat(ctx, w.replica.holder, w.options.Name, term)
	if err == nil {
		w.listeners.count(len(hosts))
	}
	return hosts, err
}

// register renews this host's registration at the store. After a quiet time, as at the start, others
// may have deleted something without waiting for it: the view is brought up to date.
func (w *World) register(ctx context.Context) error {
	if w.SoleHost() {
		return nil
	}
	since, registered := pause.Stopwatch(), w.replica.registered.Load()
	_, err := w.present(ctx, presenceTerm)
	if err == nil && (registered == nil || (*registered)() > quietTerm) {
		err = w.Refresh(ctx)
	}
	if err != nil {
		w.replica.registered.Store(nil)
		return err
	}
	w.replica.registered.Store(&since)
	return nil
}

// RefreshAfterPause brings the view up to date after a quiet time: the process may have
// been stopped while others deleted something and did not get its confirmation. If the
// store was found to be away, the view stays as it is.
func (w *World) RefreshAfterPause(ctx context.Context) {
	if registered := w.replica.registered.Load(); registered != nil && (*registered)() > quietTerm {
		_ = w.Refresh(ctx)
	}
}

// leave ends this host's registration at the store: no host waits for it any more.
func (w *World) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// If that fails, the registration expires.
	_, _ = w.present(ctx, 0)
}

// answerHosts is the goroutine that answers the questions of other hosts about the applied
// position.
func (w *World) answerHosts(ctx context.Context) {
	for {
		select {
		case q := <-w.replica.waits.questions:
			w.answerHost(ctx, q)
		case <-ctx.Done():
			return
		}
	}
}

// answerHost waits no longer than the question is valid: the other host repeats it.
func (w *World) answerHost(ctx context.Context, q progress) {
	if q.host == w.replica.holder {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askEvery)
	defer cancel()
	if w.waitFor(ctx, func(v *View) bool { return v.reached().passed(q.reached) }) == nil {
		_ = w.options.Journal.Send(ctx, progress{appliedMessage, q.reached, w.replica.holder}.encode())
	}
}
