package creds

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// Digest is the SHA-256 of a secret's text, the only form in which a host keeps
// one. It may be stored; it prints as a placeholder because nobody needs to
// read it.
type Digest [sha256.Size]byte

// StoredDigest returns what a host stores for a node: SHA-256 of the 64 hex
// digits of its PasswHash.
func StoredDigest(hash PasswHash) Digest { return sha256.Sum256([]byte(hash.Reveal())) }

// SecretDigest returns what a host stores for an API key or a token.
func SecretDigest(s Secret) Digest { return sha256.Sum256([]byte(s.Reveal())) }

// Equal reports whether both digests are the same, in constant time.
func (d Digest) Equal(other Digest) bool {
	return subtle.ConstantTimeCompare(d[:], other[:]) == 1
}

// String returns a fixed placeholder.
func (d Digest) String() string { return redacted }

// Format writes a fixed placeholder for every verb.
func (d Digest) Format(state fmt.State, _ rune) {
	// A fmt.State has nowhere to report a failed write to.
	_, _ = io.WriteString(state, redacted)
}

// LogValue returns a fixed placeholder.
func (d Digest) LogValue() slog.Value { return slog.StringValue(redacted) }

// Authenticate reports whether shown is the hash whose digest is stored. Where
// the node is not known it does the same work against a dummy and reports
// false, so that time does not tell who exists. It derives nothing.
func Authenticate(stored Digest, known bool, shown PasswHash) bool {
	return matches(stored, known, StoredDigest(shown))
}

// AuthenticateSecret is Authenticate for an API key or a token.
func AuthenticateSecret(stored Digest, known bool, shown Secret) bool {
	return matches(stored, known, SecretDigest(shown))
}

func matches(stored Digest, known bool, shown Digest) bool {
	exists := 0
	if known {
		exists = 1
	}
	return subtle.ConstantTimeCompare(stored[:], shown[:])&exists == 1
}
