package creds

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"

	"github.com/playctl/playctl/protocol"
)

// Prefixes of generated secrets. They show the kind to people and to scanners for
// leaked secrets; they have no meaning in the protocol.
const (
	apiKeyPrefix = "pk_"
	tokenPrefix  = "pt_"
)

// tokenBytes is the entropy of a generated API key or token: 256 bits.
const tokenBytes = 32

// GenerateAPIKey returns a new API key: "pk_" and 32 random bytes as unpadded
// base64url (RFC 4648, section 5), 46 characters. A host keeps only its
// SecretDigest.
func GenerateAPIKey() protocol.Secret { return generateToken(apiKeyPrefix) }

// GenerateToken returns a new token for an administrator, a registration or a
// watcher: "pt_" and 32 random bytes as unpadded base64url.
func GenerateToken() protocol.Secret { return generateToken(tokenPrefix) }

// FitsHeader reports whether a header can carry a text: it has no line break or other
// control character. An empty text is valid, too.
func FitsHeader(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }

func generateToken(prefix string) protocol.Secret {
	var raw [tokenBytes]byte
	// Since Go 1.24 rand.Read fills the slice or ends the program: it has no
	// failure to handle.
	_, _ = rand.Read(raw[:])
	return protocol.NewSecret(prefix + base64.RawURLEncoding.EncodeToString(raw[:]))
}

// Digest is the SHA-256 of a secret's text, the only form in which a host stores a
// secret. It prints as a placeholder because nobody needs to read it.
type Digest [sha256.Size]byte

// StoredDigest returns the digest that a host stores for a node: SHA-256 of the 64
// hex digits of its PasswHash.
func StoredDigest(hash PasswHash) Digest { return sha256.Sum256([]byte(hash.Reveal())) }

// SecretDigest returns the digest that a host stores for an API key or a token.
func SecretDigest(s protocol.Secret) Digest { return sha256.Sum256([]byte(s.Reveal())) }

// String returns a fixed placeholder.
func (d Digest) String() string { return protocol.Redacted }

// Format writes a fixed placeholder for every verb.
func (d Digest) Format(state fmt.State, _ rune) {
	// A fmt.State has nowhere to report a failed write to.
	_, _ = io.WriteString(state, protocol.Redacted)
}

// LogValue returns a fixed placeholder.
func (d Digest) LogValue() slog.Value { return slog.StringValue(protocol.Redacted) }

// Authenticate reports whether shown is the hash whose digest is stored. If the
// node is unknown it does the same work with a dummy and reports false, so that the
// time does not reveal which nodes exist. It derives nothing.
func Authenticate(stored Digest, known bool, shown PasswHash) bool {
	return matches(stored, known, StoredDigest(shown))
}

// AuthenticateSecret is Authenticate for an API key or a token.
func AuthenticateSecret(stored Digest, known bool, shown protocol.Secret) bool {
	return matches(stored, known, SecretDigest(shown))
}

func matches(stored Digest, known bool, shown Digest) bool {
	exists := 0
	if known {
		exists = 1
	}
	return subtle.ConstantTimeCompare(stored[:], shown[:])&exists == 1
}
