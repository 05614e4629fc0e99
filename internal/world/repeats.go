package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// repeat is the record of a command that came with an idempotency key.
type repeat struct {
	Fingerprint []byte `json:"fingerprint"`
	Reply       []byte `json:"reply"`
	Sealed      bool   `json:"sealed,omitempty"`
	// At is in milliseconds since the Unix epoch.
	At int64 `json:"at"`
}

// Repeated looks a command up by its idempotency key. It returns the first
// reply and true for a repeat, and idempotency_conflict where the key was used
// for another command.
func (w *World) Repeated(ctx context.Context, key *Idempotency) (Reply, bool, error) {
	if key == nil {
		return Reply{}, false, nil
	}
	b, err := w.get(ctx, store.Idempotency, key.Key[:])
	if err != nil {
		if ctx.Err() == nil && !store.IsDamaged(err) {
			w.failed(err)
		}
		return Reply{}, false, unavailable(err)
	}
	found, err := readRepeat(b, key, w.options.Now())
	if err != nil || found == nil {
		return Reply{}, false, err
	}
	// Another host may have carried out the command first, and its effect must be visible
	// here.
	if err := w.Refresh(ctx); err != nil {
		return Reply{}, false, err
	}
	return Reply{Rev: w.View().Rev, Stored: found.Reply, Sealed: found.Sealed}, true, nil
}

// repeated is Repeated inside the writer, which also knows the keys of the batch
// in progress.
func (p *planner) repeated() (*repeat, error) {
	key := p.req.Idempotency
	if key == nil {
		return nil, nil //nolint:nilnil // No key, no repeat.
	}
	if r := p.st.repeats[key.Key]; r != nil {
		err := r.check(key)
		return r, err
	}
	b, err := p.get(store.Idempotency, key.Key[:])
	if err != nil {
		return nil, err
	}
	return readRepeat(b, key, p.now)
}

// readRepeat reads the record of a key, which is nil if there is none.
func readRepeat(b []byte, key *Idempotency, now time.Time) (*repeat, error) {
	if b == nil {
		return nil, nil //nolint:nilnil // A key that was never used.
	}
	var r repeat
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, unavailable(fmt.Errorf("idempotency record: %w: %w", store.ErrCorrupt, err))
	}
	if now.UnixMilli()-r.At >= repeatTerm.Milliseconds() {
		return nil, nil //nolint:nilnil // The key has expired; the sweep has not removed it yet.
	}
	return &r, r.check(key)
}

func (r *repeat) check(key *Idempotency) error {
	if !bytes.Equal(r.Fingerprint, key.Fingerprint[:]) {
		return protocol.Errorf(protocol.CodeIdempotencyConflict,
			"this idempotency key was used for another request: use a new one for every request")
	}
	return nil
}

// recordRepeat stages the reply under the command's key, within the command's own
// commit.
func (p *planner) recordRepeat(reply any) error {
	key := p.req.Idempotency
	if key == nil {
		return nil
	}
	body, err := json.Marshal(reply)
	if err != nil {
		return fmt.Errorf("encode a reply: %w", err)
	}
	r := &repeat{Fingerprint: key.Fingerprint[:], Reply: body, At: p.now.UnixMilli()}
	if key.Seal != nil {
		if r.Reply, err = key.Seal(body); err != nil {
			return fmt.Errorf("seal a reply: %w", err)
		}
		r.Sealed = true
	}
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode an idempotency record: %w", err)
	}
	p.putBytes(store.Idempotency, key.Key[:], b)
	p.staged = r
	return p.rememberID(idempotencyKeys, key.Caller, r.At, key.Key[:], replay.Weight(b))
}

// unavailable returns the error that a caller gets when the store does not answer, or
// what is needed from it is damaged.
func unavailable(cause error) error {
	if store.IsDamaged(cause) {
		return damagedReply(cause)
	}
	return protocol.WrapError(protocol.CodeStoreUnavailable, cause,
		"%s, so the outcome is unknown: repeat the request with the same idempotency key", failure(cause))
}

// unreadable is the same for a read, which may simply be sent again.
func unreadable(cause error) error {
	if errors.Is(cause, store.ErrCorrupt) {
		return damagedReply(cause)
	}
	return protocol.WrapError(protocol.CodeStoreUnavailable, cause, "%s; retry", failure(cause))
}

// failure describes a store's error for any caller.
func failure(err error) string {
	if why := store.Reason(err); why != "" {
		return "the store cannot be used (" + why + ")"
	}
	return "the store is not responding"
}
