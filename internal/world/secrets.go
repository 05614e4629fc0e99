package world

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// The bounds of the number, size and age of other hosts' secrets that a host
// keeps: an entry follows its secrets at once or never.
const (
	maxSecrets     = 256
	maxSecretBytes = 4 << 20
	secretTerm     = 10 * time.Second
	// sendTerm bounds how long the secrets of a batch may delay it.
	sendTerm = 50 * time.Millisecond
	// headStart is the time between sending the secrets and the commit.
	headStart = 2 * time.Millisecond
)

// secretKey names the event that a secret belongs to: one that no journal has
// yet, so by the commit that would write it.
type secretKey struct {
	commit store.CommitID
	seq    uint64
}

// secrets are the parts of events that hosts send each other outside the journal,
// kept until the entry that they belong to comes. Each is returned once.
type secrets struct {
	mu sync.Mutex
	// kept are in the order in which they came.
	kept  []keptSecret
	bytes int
	// came is closed when the next one comes; nil if no goroutine waits.
	came chan struct{}
}

type keptSecret struct {
	secretKey
	part  privatePart
	until time.Time
}

// add keeps a secret, and drops the oldest if there are too many.
func (s *secrets) add(key secretKey, part privatePart, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, keptSecret{key, part, now.Add(secretTerm)})
	for s.bytes += len(part.secret); len(s.kept) > maxSecrets || s.bytes > maxSecretBytes; {
		s.remove(0)
	}
	if s.came != nil {
		close(s.came)
		s.came = nil
	}
}

// await waits for a secret to come.
func (s *secrets) await(ctx context.Context, key secretKey) {
	for {
		s.mu.Lock()
		if slices.ContainsFunc(s.kept, func(k keptSecret) bool { return k.secretKey == key }) {
			s.mu.Unlock()
			return
		}
		if s.came == nil {
			s.came = make(chan struct{})
		}
		came := s.came
		s.mu.Unlock()
		select {
		case <-came:
		case <-ctx.Done():
			return
		}
	}
}

// remove is called with the lock held.
func (s *secrets) remove(i int) {
	s.bytes -= len(s.kept[i].part.secret)
	s.kept = slices.Delete(s.kept, i, i+1)
}

// take returns the secrets of an entry's events.
func (s *secrets) take(e *store.Entry) []privatePart {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []privatePart
	for i := 0; i < len(s.kept); {
		k := &s.kept[i]
		if k.commit != e.Commit || k.seq < e.FirstSeq() || k.seq > e.Seq {
			i++
			continue
		}
		k.part.event = int(k.seq - e.FirstSeq())
		parts = append(parts, k.part)
		s.remove(i)
	}
	return parts
}

// expire drops the secrets whose entries did not come.
func (s *secrets) expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.kept) > 0 && !now.Before(s.kept[0].until) {
		s.remove(0)
	}
}

// secretMessage is the kind of message that carries a secret.
const secretMessage = 1

// encodeSecret encodes a secret for other hosts: format, commit, seq, the
// asker's length and text, and the rest is the secret.
func encodeSecret(key secretKey, part *privatePart) []byte {
	b := append(make([]byte, 0, 64+len(part.secret)), secretMessage)
	b = append(b, key.commit[:]...)
	b = binary.BigEndian.AppendUint64(b, key.seq)
	b = binary.AppendUvarint(b, uint64(len(part.asker)))
	b = append(b, part.asker...)
	return append(b, part.secret...)
}

var errNoSecret = errors.New("unknown message format")

// parseSecret is the reverse of encodeSecret.
func parseSecret(b []byte) (key secretKey, part privatePart, err error) {
	const fixed = 1 + len(key.commit) + 8
	if len(b) < fixed || b[0] != secretMessage {
		return key, part, errNoSecret
	}
	copy(key.commit[:], b[1:])
	key.seq = binary.BigEndian.Uint64(b[fixed-8:])
	length, n := binary.Uvarint(b[fixed:])
	if n <= 0 || length > uint64(len(b)-fixed-n) {
		return key, part, errNoSecret
	}
	rest := b[fixed+n:]
	part.asker, part.secret = string(rest[:length]), bytes.Clone(rest[length:])
	return key, part, nil
}

// sendSecrets sends the other hosts the parts of an attempt's events that are for
// their askers alone, and waits until this host has received them too, and a moment
// more: the commit, which takes another path, would otherwise often overtake them. If
// it fails, the asker sends its request again.
func (w *World) sendSecrets(ctx context.Context, t *attempt) {
	if len(t.private) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sendTerm)
	defer cancel()
	for seq, part := range t.private {
		if w.options.Journal.Send(ctx, encodeSecret(secretKey{t.commit, seq}, &part)) != nil {
			return
		}
	}
	for seq := range t.private {
		w.replica.secrets.await(ctx, secretKey{t.commit, seq})
	}
	pause.For(ctx, headStart)
}

// listen is the goroutine that receives messages of other hosts outside the journal.
func (w *World) listen(ctx context.Context) {
	for failures := 1; ctx.Err() == nil; failures++ {
		for message, err := range w.options.Journal.Listen(ctx) {
			if err != nil {
				break
			}
			failures = 1
			if key, part, err := parseSecret(message); err == nil {
				w.replica.secrets.add(key, part, w.options.Now())
			} else if p, ok := parseProgress(message); ok {
				w.replica.waits.receive(p)
			} else if !w.receiveWeight(message) && len(message) > 0 {
				w.receiveAnswering(ctx, message)
			}
		}
		followAgain.Wait(ctx, failures)
	}
}

// secretsOf returns the parts of an entry's events that are for their askers
// alone: this host's own attempt has them, or the host that committed the entry
// sent them ahead.
func (w *World) secretsOf(e *store.Entry, l *commitLoop) []privatePart {
	if len(e.Events) == 0 {
		return nil
	}
	sent := w.replica.secrets.take(e)
	if l == nil {
		return sent
	}
	for _, t := range l.attempts {
		if t.commit == e.Commit {
			return t.secrets(e)
		}
	}
	return sent
}

// secrets returns the secrets of one entry's events.
func (t *attempt) secrets(e *store.Entry) []privatePart {
	var parts []privatePart
	for i := range e.Events {
		if part, has := t.private[e.FirstSeq()+uint64(i)]; has {
			part.event = i
			parts = append(parts, part)
		}
	}
	return parts
}

// privatePart is a secret that one event of a command has for its asker's live
// stream alone. It is never stored.
type privatePart struct {
	event  int
	asker  string
	secret json.RawMessage
}

// privateFrame is an event's frame with the secret in it.
type privateFrame struct {
	asker string
	frame []byte
}

// attach puts the secrets of a command onto its published events.
func attach(events []*Event, parts []privatePart) {
	for _, part := range parts {
		e := events[part.event]
		var all map[string]json.RawMessage
		if json.Unmarshal(e.Data, &all) != nil {
			continue
		}
		all["result"] = protocol.WithRealtimeWebRTC(all["result"], part.secret)
		full, err := json.Marshal(all)
		if err != nil {
			continue
		}
		e.private = &privateFrame{asker: part.asker, frame: append(append(frameHead(e.Seq, e.Kind, len(full)), full...), "\n\n"...)}
	}
}

// FrameFor returns the frame for one subscriber, in parts. live reports whether its
// stream was open before the event happened: only then may it get the part for the asker
// alone.
func (e *Event) FrameFor(c Caller, inline, live bool) [3][]byte {
	if e.private != nil && live && e.private.asker == c.identity() {
		return [3][]byte{e.private.frame}
	}
	if inline {
		return e.inlineFrame()
	}
	return [3][]byte{e.frame}
}
