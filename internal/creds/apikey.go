package creds

import (
	"crypto/rand"
	"encoding/base64"
)

// Prefixes of generated secrets. They name the kind to a person and to scanners
// that look for leaked secrets; they carry no meaning in the protocol.
const (
	apiKeyPrefix = "pk_"
	tokenPrefix  = "pt_"
)

// tokenBytes is the entropy of a generated API key or token: 256 bits.
const tokenBytes = 32

// GenerateAPIKey returns a new API key: "pk_" and 32 random bytes as unpadded
// base64url (RFC 4648, section 5), 46 characters. A host keeps only its
// SecretDigest.
func GenerateAPIKey() Secret { return generateToken(apiKeyPrefix) }

// GenerateToken returns a new token for an administrator, a registration or a
// watcher: "pt_" and 32 random bytes as unpadded base64url.
func GenerateToken() Secret { return generateToken(tokenPrefix) }

func generateToken(prefix string) Secret {
	var raw [tokenBytes]byte
	// Since Go 1.24 rand.Read fills the slice or ends the program: it has no
	// failure to handle.
	_, _ = rand.Read(raw[:])
	return NewSecret(prefix + base64.RawURLEncoding.EncodeToString(raw[:]))
}
