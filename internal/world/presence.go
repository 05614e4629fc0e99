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
	// presenceTerm is for how long a host counts as one that serves after it
	// registered at the store last. Each sweep registers it.
	presenceTerm = 5 * time.Second
	// quietTerm is after what time since it registered last a host reads what it missed
	// before it answers: its process may have been stopped for so long that others deleted
	// something without waiting for it.
	quietTerm = 2500 * time.Millisecond
	// awaitTerm bounds how long AwaitHosts waits, and askEvery how long until it asks
	// again: a message may be lost.
	awaitTerm = 3 * time.Second
	askEvery  = 250 * time.Millisecond
	// maxQuestions bounds those that wait to be answered; the other host repeats one
	// that is dropped.
	maxQuestions = 16
)

// The kinds of messages besides secretMessage: has a host applied a position, and it has.
const (
	questionMessage = 2
	appliedMessage  = 3
)

// progress is what a message says of a host: that it asks for a position, or that it
// has applied one.
type progress struct {
	kind     byte
	position store.Position
	host     string
}

func (p progress) encode() []byte {
	return append(binary.BigEndian.AppendUint64([]byte{p.kind}, uint64(p.position)), p.host...)
}

// parseProgress reports whether a message is one that encode made.
func parseProgress(b []byte) (p progress, ok bool) {
	if len(b) < 9 || b[0] != questionMessage && b[0] != appliedMessage {
		return p, false
	}
	return progress{b[0], store.Position(binary.BigEndian.Uint64(b[1:])), string(b[9:])}, true
}

// waits are those for other hosts.
type waits struct {
	mu   sync.Mutex
	open map[*wait]struct{}
	// questions are other hosts'.
	questions chan progress
}

// wait is one for hosts to apply a position; missing are the names of those that have
// not yet, by id.
type wait struct {
	position store.Position
	missing  map[string]string
	done     context.CancelFunc
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
		if _, counts := one.missing[p.host]; counts && p.position >= one.position {
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
// applied what this one has, and returns the names of those that have not said so.
// An error means that the store does not say which hosts there are.
func (w *World) AwaitHosts(ctx context.Context) (late []string, err error) {
	if w.SoleHost() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, awaitTerm)
	defer cancel()
	position := w.View().Position
	hosts, err := w.present(ctx, presenceTerm)
	if err != nil {
		return nil, fmt.Errorf("look which other hosts serve: %w", err)
	}
	delete(hosts, w.replica.holder)
	if len(hosts) == 0 {
		return nil, nil
	}
	one := &wait{position, hosts, cancel}
	w.replica.waits.begin(one)
	question := progress{questionMessage, position, w.replica.holder}.encode()
	for asking := true; asking; asking = pause.For(ctx, askEvery) {
		// If it cannot be sent, it is sent again.
		_ = w.options.Journal.Send(ctx, question)
	}
	return w.replica.waits.end(one), nil
}

// present lets the store know that this host serves, and returns the names of the
// hosts that do by id.
func (w *World) present(ctx context.Context, term time.Duration) (map[string]string, error) {
	hosts, err := w.options.Journal.Present(ctx, w.replica.holder, w.options.Name, term)
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

// leave ends this host's registration at the store: nobody waits for it.
func (w *World) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// If that fails, the term ends.
	_, _ = w.present(ctx, 0)
}

// answerHosts is the goroutine that answers other hosts that ask what this one has applied.
func (w *World) answerHosts(ctx context.Context) {
	defer w.writer.Done()
	for {
		select {
		case q := <-w.replica.waits.questions:
			w.answerHost(ctx, q)
		case <-ctx.Done():
			return
		}
	}
}

// answerHost waits for no longer than the question stands: it is repeated.
func (w *World) answerHost(ctx context.Context, q progress) {
	if q.host == w.replica.holder {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askEvery)
	defer cancel()
	if w.waitFor(ctx, func(v *View) bool { return v.Position >= q.position }) == nil {
		_ = w.options.Journal.Send(ctx, progress{appliedMessage, q.position, w.replica.holder}.encode())
	}
}
