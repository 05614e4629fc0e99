package world

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

func TestAPIKeyLimitOfAccount(t *testing.T) {
	const limit = 3
	f := open(t, func(o *Options) { o.Limits.APIKeys = limit })
	owner := f.main("owner")
	create := func(n int) error {
		_, err := f.try(owner, CreateKey{
			CreateKeyRequest: protocol.CreateKeyRequest{Name: strconv.Itoa(n)}, Digest: [32]byte{byte(n)}, APIKey: protocol.NewSecret("key"),
		})
		return err
	}
	for n := range limit {
		if err := create(n); err != nil {
			t.Fatalf("key %d of %d: %v", n+1, limit, err)
		}
	}
	wantCode(t, create(limit), protocol.CodeAPIKeyLimit)
	f.as(owner, RevokeKey{Name: "1"})
	if err := create(limit); err != nil {
		t.Errorf("a key after a revocation: %v", err)
	}
}

// The same uses create the same entry each time.
func TestKeyUsesAreWrittenInKeyOrder(t *testing.T) {
	f := open(t)
	uses := writeKeyUses{map[keyUse]int64{}}
	for n := range 20 {
		account := f.main(strconv.Itoa(n))
		f.as(account, CreateKey{CreateKeyRequest: protocol.CreateKeyRequest{Name: "key"}, Digest: [32]byte{byte(n)}, APIKey: protocol.NewSecret("key")})
		uses.last[keyUse{account, "key"}] = f.clock.Now().UnixMilli()
	}
	f.stop()
	p := &planner{st: f.state, options: &f.options, ctx: context.Background(), loop: &commitLoop{}}
	if _, err := uses.plan(p); err != nil {
		t.Fatal(err)
	}
	records := p.entry.Records
	if len(records) != 20 || !slices.IsSortedFunc(records, func(a, b store.Record) int { return bytes.Compare(a.Key, b.Key) }) {
		t.Errorf("%d records, want 20 in the order of their keys", len(records))
	}
	f.start()
}
