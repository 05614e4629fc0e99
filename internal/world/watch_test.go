package world

import (
	"bytes"
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// watchToken creates a token of a main node and returns its digest.
func (f *fixture) watchToken(owner, token string) [32]byte {
	f.t.Helper()
	digest := sha256.Sum256([]byte(token))
	reply, err := f.Do(context.Background(), Request{Caller: Caller{NodeID: owner}}, CreateWatchToken{Digest: digest, Token: protocol.NewSecret(token), URL: "u"})
	if err != nil {
		f.t.Fatal(err)
	}
	if r, ok := reply.Value.(*protocol.WatchTokenReply); !ok || r.Token.Reveal() != token || r.URL != "u" ||
		r.ExpiresAt != protocol.FormatTime(f.clock.Now().Add(WatchTerm)) {
		f.t.Fatalf("the reply is %+v", reply.Value)
	}
	return digest
}

// isValidToken reports whether a token is valid.
func (f *fixture) isValidToken(digest [32]byte) bool {
	f.t.Helper()
	token, err := f.WatchToken(context.Background(), digest)
	if err != nil {
		f.t.Fatal(err)
	}
	if token == nil {
		return false
	}
	_, there := f.WatchOwner(token.Owner, token.OwnerSince)
	return there
}

// tokenRecords returns the number of records in the table.
func (f *fixture) tokenRecords() int {
	f.t.Helper()
	n := 0
	for _, err := range f.journal.Scan(context.Background(), store.WatchTokens, store.Range{}) {
		if err != nil {
			f.t.Fatal(err)
		}
		n++
	}
	return n
}

func TestWatchTokenExpires(t *testing.T) {
	f := open(t)
	digest := f.watchToken(f.main("owner"), "secret-token")
	f.reopen()
	f.clock.Advance(WatchTerm - time.Millisecond)
	if !f.isValidToken(digest) {
		t.Error("the token did not survive a restart, or ended early")
	}
	if err := f.Sweep(context.Background()); err != nil || f.tokenRecords() != 3 {
		t.Errorf("the sweep left %d records of a valid token (%v), want 3", f.tokenRecords(), err)
	}
	f.clock.Advance(time.Millisecond)
	if f.isValidToken(digest) {
		t.Error("the token is valid after its term")
	}
	if err := f.Sweep(context.Background()); err != nil || f.tokenRecords() != 0 {
		t.Errorf("the sweep left %d records (%v)", f.tokenRecords(), err)
	}
}

func TestWatchTokenEndsWithMainNode(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	digest := f.watchToken(owner, "a")
	other := f.watchToken(f.main("other"), "b")
	kept, err := f.WatchToken(context.Background(), digest)
	if err != nil || kept == nil {
		t.Fatalf("%v, %v", kept, err)
	}
	f.as(owner, DeleteNode{NodeID: owner})
	if f.isValidToken(digest) || f.tokenRecords() != 3 || !f.isValidToken(other) {
		t.Errorf("after the deletion the token is valid, or %d records remain, want 3 of the other node", f.tokenRecords())
	}
	// A node that is created again with the id is a different node.
	f.clock.Advance(time.Second)
	f.main("owner")
	if _, there := f.WatchOwner(kept.Owner, kept.OwnerSince); there {
		t.Error("a deleted node's token belongs to the next node with its id")
	}
}

func TestWatchTokensOfMainNodeAreBounded(t *testing.T) {
	const limit = 5
	f := open(t, func(o *Options) { o.Limits.WatchTokens = limit })
	owner := f.main("owner")
	first := f.watchToken(owner, "first")
	for i := range limit {
		f.clock.Advance(time.Second)
		f.watchToken(owner, string(rune('a'+i)))
	}
	if f.isValidToken(first) || f.tokenRecords() != 3*limit {
		t.Errorf("%d records are kept, want %d, without the oldest", f.tokenRecords(), 3*limit)
	}
}

// TestStoreDoesNotContainWatchToken searches the records for the token itself.
func TestStoreDoesNotContainWatchToken(t *testing.T) {
	f := open(t)
	f.watchToken(f.main("owner"), "secret-token")
	for pair, err := range f.journal.Scan(context.Background(), store.WatchTokens, store.Range{}) {
		if err != nil || bytes.Contains(pair.Value, []byte("secret-token")) || bytes.Contains(pair.Key, []byte("secret-token")) {
			t.Errorf("a record contains the token (%v)", err)
		}
	}
}

func TestOnlyMainNodeCreatesWatchTokens(t *testing.T) {
	f := open(t)
	agent := f.agent(f.main("owner"), "a")
	_, err := f.Do(context.Background(), Request{Caller: Caller{NodeID: agent}}, CreateWatchToken{})
	wantCode(t, err, protocol.CodeForbidden)
	_, err = f.Do(context.Background(), Request{Caller: Caller{Viewer: "viewer:x"}}, CreateWatchToken{})
	wantCode(t, err, protocol.CodeForbidden)
}

func TestWatchSecretIsCreatedOnce(t *testing.T) {
	f := open(t)
	secrets := make([]string, 32)
	runConcurrently(t, secrets, func(string) error {
		_, err := f.WatchSecret(context.Background())
		return err
	})
	first, err := f.WatchSecret(context.Background())
	if err != nil || len(first) != watchSecretBytes {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	f.reopen()
	again, err := f.WatchSecret(context.Background())
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("after a restart the secret differs (%v)", err)
	}
}

// Tokens that are created in one batch, before any of them is in the store, count as well:
// toward the limit, and for a deletion of their owner in the same batch.
func TestWatchTokensOfOneBatch(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits.WatchTokens = 2 })
	owner := f.main("owner")
	var create []Command
	var digests [5][32]byte
	for n := range digests {
		digests[n] = sha256.Sum256([]byte{byte(n)})
		create = append(create, CreateWatchToken{Digest: digests[n]})
	}
	f.together(owner, create...)
	if n := f.tokenRecords(); n != 2*3 {
		t.Errorf("there are %d records of tokens, want those of 2 tokens, 3 each", n)
	}
	revoked, last := sha256.Sum256([]byte("revoked")), sha256.Sum256([]byte("last"))
	f.together(owner, CreateWatchToken{Digest: revoked}, RevokeWatchToken{ID: WatchTokenID(revoked[:])})
	if f.isValidToken(revoked) {
		t.Error("a token is valid that was revoked in the batch that created it")
	}
	f.together(owner, CreateWatchToken{Digest: last}, DeleteNode{NodeID: owner})
	if n := f.tokenRecords(); n != 0 {
		t.Errorf("%d records of tokens are left of a deleted account", n)
	}
}
