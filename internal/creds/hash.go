package creds

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// hexDigits is the length of a node id, a root key and a PasswHash: 32 bytes as
// lower-case hex.
const hexDigits = 64

// ErrPasswHash is returned for a text that is not a passwHash. The text is not
// in the error: a phrase given by mistake must not end up in a log.
var ErrPasswHash = errors.New("the passwHash must be exactly 64 lower-case hex digits")

// ErrNodeID is returned for a text that is not a node id.
var ErrNodeID = errors.New("the nodeId must be exactly 64 lower-case hex digits")

// PasswHash is the bearer secret of a node: lower-case hex SHA-256 of its
// normalised phrase. It prints as a placeholder; Reveal gives the 64 digits.
// The zero value is "none".
type PasswHash struct {
	secret
}

// HashPhrase normalises phrase and returns its PasswHash. It hashes whatever it
// is given; use ParsePhrase first on text from outside.
func HashPhrase(phrase string) PasswHash {
	sum := sha256.Sum256([]byte(NormalisePhrase(phrase)))
	return PasswHash{newSecret(hex.EncodeToString(sum[:]))}
}

// ParsePasswHash returns the PasswHash of text, which must be exactly 64
// lower-case hex digits; else ErrPasswHash.
func ParsePasswHash(text string) (PasswHash, error) {
	if !isLowerHex64(text) {
		return PasswHash{}, ErrPasswHash
	}
	return PasswHash{newSecret(text)}, nil
}

// isLowerHex64 reports whether text is 64 lower-case hex digits.
func isLowerHex64(text string) bool {
	if len(text) != hexDigits {
		return false
	}
	for i := range len(text) {
		if !isLowerHexDigit(text[i]) {
			return false
		}
	}
	return true
}

func isLowerHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
}
