package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"sync"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/sdk"
)

// lastPlacement is the name of the last change's row.
const lastPlacement = "the end of the soak"

// findings are what a subscriber must never find.
type findings struct {
	gaps, repeats, mismatches uint64
	// unproven are copies that were shown and not verified.
	unproven uint64
}

// watcher is one subscriber of the soak and what it saw. Its functions are
// called one after the other; the fields may be read when the subscription was
// closed.
type watcher struct {
	findings

	sub    *sdk.Subscription
	ready  chan struct{} // closed at the first verified copy
	ended  chan struct{} // closed when the last change is in a verified copy
	gotAll sync.Once

	start, last uint64
	events      uint64
	seen        hash.Hash
}

func newWatcher() *watcher {
	return &watcher{ready: make(chan struct{}), ended: make(chan struct{}), seen: sha256.New()}
}

func (w *watcher) options() sdk.SubscribeOptions {
	return sdk.SubscribeOptions{OnEvent: w.check, OnSnapshot: w.checkCopy, OnError: w.fail}
}

// check looks at an event's place in the log, where no number may be missing.
func (w *watcher) check(e sdk.Event) {
	switch {
	case !e.HasSeq, e.Seq > w.last+1:
		w.gaps++
	case e.Seq <= w.last:
		w.repeats++
	}
	w.addToDigest(e)
}

// addToDigest adds an event to the digest of all.
func (w *watcher) addToDigest(e sdk.Event) {
	w.events++
	w.last = e.Seq
	_, _ = fmt.Fprintf(w.seen, "%d %s %s\n", e.Seq, e.Kind, e.Data)
}

func (w *watcher) digest() string { return hex.EncodeToString(w.seen.Sum(nil)) }

// checkCopy checks a copy.
func (w *watcher) checkCopy(u sdk.Update) {
	if u.Verification != sdk.Verified {
		w.unproven++
		return
	}
	select {
	case <-w.ready:
	default:
		w.start = *u.Snapshot.Head().Seq
		w.last = w.start
		close(w.ready)
	}
	if u.Event == nil || bytes.Contains(u.Event.Data, []byte(lastPlacement)) {
		for _, placed := range u.Snapshot.MCPServers() {
			if placed.Name == lastPlacement {
				w.gotAll.Do(func() { close(w.ended) })
			}
		}
	}
}

// fail counts copies that were not the host's. That a killed host cannot be
// reached is no finding.
func (w *watcher) fail(err error) {
	if _, differs := errors.AsType[*chain.MismatchError](err); differs {
		w.mismatches++
	}
}

// tally adds up what all subscribers did and found.
type tally struct {
	sdk.Stats
	findings
}

func (t *tally) add(w *watcher, s sdk.Stats) {
	t.gaps, t.repeats = t.gaps+w.gaps, t.repeats+w.repeats
	t.mismatches, t.unproven = t.mismatches+w.mismatches, t.unproven+w.unproven
	t.Events, t.Merges, t.Verifications = t.Events+s.Events, t.Merges+s.Merges, t.Verifications+s.Verifications
	t.FullReads, t.Heals, t.Reconnects = t.FullReads+s.FullReads, t.Heals+s.Heals, t.Reconnects+s.Reconnects
}
