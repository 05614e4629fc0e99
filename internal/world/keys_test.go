package world

import (
	"strconv"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func TestAnAccountHasAsManyAPIKeysAsTheOperatorSets(t *testing.T) {
	const limit = 3
	f := open(t, func(o *Options) { o.Limits.APIKeys = limit })
	owner := f.main("owner")
	create := func(n int) error {
		_, err := f.try(owner, CreateKey{
			CreateKeyRequest: protocol.CreateKeyRequest{Name: strconv.Itoa(n)}, Digest: [32]byte{byte(n)}, APIKey: "key",
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
		t.Errorf("a key in the place of one that was revoked: %v", err)
	}
}
