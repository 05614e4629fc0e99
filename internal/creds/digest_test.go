package creds

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func TestAuthenticate(t *testing.T) {
	hash, other := HashPhrase("amber"), HashPhrase("angle")
	stored := StoredDigest(hash)
	if want := sha256.Sum256([]byte(hash.Reveal())); stored != want {
		t.Error("the stored digest is not SHA-256 of the hex text")
	}
	for _, c := range []struct {
		name   string
		stored Digest
		known  bool
		shown  PasswHash
		want   bool
	}{
		{"right", stored, true, hash, true},
		{"wrong", stored, true, other, false},
		{"nothing shown", stored, true, PasswHash{}, false},
		{"unknown node, dummy digest", Digest{}, false, hash, false},
		// A stale digest passed for an unknown node authenticates nobody.
		{"unknown node, right digest", stored, false, hash, false},
		{"known node without a digest", Digest{}, true, hash, false},
	} {
		if got := Authenticate(c.stored, c.known, c.shown); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestGeneratedSecrets(t *testing.T) {
	for prefix, generate := range map[string]func() protocol.Secret{"pk_": GenerateAPIKey, "pt_": GenerateToken} {
		seen := map[string]bool{}
		for range 100 {
			s := generate()
			body, ok := strings.CutPrefix(s.Reveal(), prefix)
			raw, err := base64.RawURLEncoding.DecodeString(body)
			if !ok || err != nil || len(raw) != tokenBytes || seen[body] {
				t.Fatalf("%s: a bad secret: %v", prefix, err)
			}
			seen[body] = true
			if !AuthenticateSecret(SecretDigest(s), true, s) || AuthenticateSecret(SecretDigest(s), true, generate()) {
				t.Fatalf("%s: two secrets have the same digest", prefix)
			}
		}
	}
}

// BenchmarkAuthenticate is the cost of credentials on every request, right or
// wrong, known or not; compare with BenchmarkDeriveNodeID.
func BenchmarkAuthenticate(b *testing.B) {
	right, wrong := HashPhrase("amber"), HashPhrase("angle")
	stored := StoredDigest(right)
	for _, c := range []struct {
		name  string
		known bool
		shown PasswHash
	}{{"right", true, right}, {"wrong", true, wrong}, {"unknown", false, right}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Authenticate(stored, c.known, c.shown)
			}
		})
	}
}
