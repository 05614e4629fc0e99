package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// DigestSize is the length of a Digest in bytes; as hex text it is twice that.
const DigestSize = sha256.Size

// The domain prefixes of the two kinds of hash (protocol reference, "The player
// chain"). Each ends with the NUL that separates it from the hashed data.
const (
	leafPrefix = "wilforlan:player-chain:leaf\x00"
	nodePrefix = "wilforlan:player-chain:node\x00"
)

// Digest is the SHA-256 of a leaf or of an inner node of the tree.
type Digest [DigestSize]byte

// LeafDigest returns the digest of a leaf with the given payload. The digest of the
// empty payload is also the root of a tree without leaves.
func LeafDigest(payload []byte) Digest {
	h := sha256.New()
	h.Write([]byte(leafPrefix))
	h.Write(payload)
	return Digest(h.Sum(nil))
}

// parentDigest hashes two siblings. The protocol hashes their hex text, not
// their bytes.
func parentDigest(left, right *Digest) Digest {
	var buf [len(nodePrefix) + 4*DigestSize]byte
	n := copy(buf[:], nodePrefix)
	n += hex.Encode(buf[n:], left[:])
	hex.Encode(buf[n:], right[:])
	return sha256.Sum256(buf[:])
}

// ParseDigest parses the 64 lower-case hex digits of a digest.
func ParseDigest(text string) (Digest, error) {
	var d Digest
	if len(text) != 2*DigestSize {
		return d, fmt.Errorf("%w: %d characters where a digest has %d hex digits", ErrDigest, len(text), 2*DigestSize)
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return d, fmt.Errorf("%w: character %d is not a lower-case hex digit", ErrDigest, i+1)
		}
	}
	if _, err := hex.Decode(d[:], []byte(text)); err != nil {
		return Digest{}, fmt.Errorf("%w: %w", ErrDigest, err)
	}
	return d, nil
}

// Hex returns the digest in the form of the protocol: 64 lower-case hex digits.
func (d Digest) Hex() string { return hex.EncodeToString(d[:]) }

// String implements fmt.Stringer; it is the same as Hex.
func (d Digest) String() string { return d.Hex() }

// MarshalText implements encoding.TextMarshaler, so a Digest is its hex text in
// JSON.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	read, err := ParseDigest(string(text))
	if err != nil {
		return err
	}
	*d = read
	return nil
}
