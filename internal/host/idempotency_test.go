package host

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

func keyed(key string) func(*http.Request) { return with(protocol.HeaderIdempotencyKey, key) }

func TestIdempotencyKeyMustBeVisible(t *testing.T) {
	f := newFixture(t)
	agent := f.player(f.main())
	for _, key := range []string{"", " ", "two words", strings.Repeat("k", 129), "k\u00e9y"} {
		before := f.stateSummary()
		e := f.post(f.play("/players/disconnect"), map[string]any{"playerId": agent.id}, as(agent), keyed(key)).
			refused(protocol.CodeBodyInvalid)
		if !strings.Contains(e.Error, protocol.HeaderIdempotencyKey) {
			t.Errorf("%q does not name the header", e.Error)
		}
		if after := f.stateSummary(); after != before {
			t.Errorf("key %q: %s, before %s", key, after, before)
		}
	}
	// Heartbeats and reads ignore a key.
	f.get("/api/play/session", as(agent), keyed("two words")).ok()
}

// A caller that repeats a registration gets the same API key; a reader of the
// store gets none.
func TestSecretRepliesAreStoredSealed(t *testing.T) {
	f := newFixture(t)
	n := f.newIdentity()
	body := map[string]any{"nodeId": n.id, "passwHash": n.hash}
	first := f.post(protocol.PathNodes, body, keyed("secret-key-1")).ok()
	var reply protocol.CreateNodeReply
	first.into(&reply)
	again := f.post(protocol.PathNodes, body, keyed("secret-key-1")).ok()
	if !bytes.Equal(first.body, again.body) {
		t.Errorf("the repeat got %s, the first %s", again.body, first.body)
	}
	// The id alone is not enough, and neither is another key.
	f.post(protocol.PathNodes, map[string]any{"nodeId": n.id, "passwHash": f.newIdentity().hash}, keyed("secret-key-1")).
		refused(protocol.CodeNodeExists)
	f.post(protocol.PathNodes, body, keyed("secret-key-2")).refused(protocol.CodeNodeExists)
	n.apiKey = reply.APIKey.Reveal()
	replaced := f.post(protocol.PathNodeAPIKey, map[string]any{}, as(n), keyed("secret-key-3")).ok()
	if again := f.post(protocol.PathNodeAPIKey, map[string]any{}, as(n), keyed("secret-key-3")); !bytes.Equal(again.body, replaced.body) {
		t.Errorf("the repeat of a new key got %s, the first %s", again.body, replaced.body)
	}
	var next protocol.APIKeyReply
	replaced.into(&next)
	for _, table := range store.Tables() {
		for pair, err := range f.journal.Scan(context.Background(), table, store.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			stored := string(pair.Key) + string(pair.Value)
			for _, secret := range []string{n.hash, reply.APIKey.Reveal(), next.APIKey.Reveal(), "secret-key"} {
				if strings.Contains(stored, secret) {
					t.Errorf("the table %s contains a secret", table)
				}
			}
		}
	}
}

// A reply sealed under one key opens with no other.
func TestSealOpensOnlyWithItsOwnKey(t *testing.T) {
	mine, other := &idempotency{secret: "mine"}, &idempotency{secret: "other"}
	sealed, err := mine.seal([]byte("reply"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := mine.open(sealed); err != nil || string(got) != "reply" {
		t.Errorf("opened as %q, %v", got, err)
	}
	if got, err := other.open(sealed); err == nil {
		t.Errorf("another key opened it: %q", got)
	}
	moved := &idempotency{secret: "mine", key: [32]byte{1}}
	if got, err := moved.open(sealed); err == nil {
		t.Errorf("the reply opened as another record: %q", got)
	}
	sealed[len(sealed)-1] ^= 1
	if got, err := mine.open(sealed); err == nil {
		t.Errorf("a changed reply opened: %q", got)
	}
}

func TestIdempotencyKeyCoversQuery(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	one, two := f.agent(main), f.agent(main)
	f.do(http.MethodDelete, protocol.PathAgents+"?id="+one.id, nil, as(main), keyed("k")).ok()
	f.do(http.MethodDelete, protocol.PathAgents+"?sid=whatever&id="+one.id, nil, as(main), keyed("k")).ok()
	f.do(http.MethodDelete, protocol.PathAgents+"?id="+two.id, nil, as(main), keyed("k")).refused(protocol.CodeIdempotencyConflict)
}
