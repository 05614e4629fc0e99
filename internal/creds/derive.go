package creds

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/scrypt"

	"github.com/playctl/playctl/protocol"
)

// Parameters of scrypt (RFC 7914) that "Credentials" in the protocol reference fixes,
// with p = 1.
const (
	scryptN         = 65536
	scryptBlockSize = 8 // r
	scryptKeyLen    = 32
	// derivationMemory is the memory of a derivation: 64 MiB.
	derivationMemory = 128 * scryptN * scryptBlockSize
)

// Salt texts that "Credentials" in the protocol reference fixes.
const (
	nodeIDSaltPrefix  = "agent-play:node-id:v1:"
	rootKeySecretSalt = "agent-play:merkle-root:v3:scrypt-file"
)

// hexDigits is the length of a node id, a root key and a PasswHash: 32 bytes as
// lower-case hex.
const hexDigits = 64

// ErrHashMissing is returned when an id is to be derived without a hash.
var ErrHashMissing = errors.New("there is no passwHash to derive a node id from")

// ErrSecretEmpty is returned when a root key is to be derived from no bytes.
var ErrSecretEmpty = errors.New("the secret for the root key is empty: it needs at least one byte")

// DeriveFunc computes a node id from a hash and a root key. DeriveNodeID is the
// protocol's; tests of other things may use a cheap one.
type DeriveFunc func(hash PasswHash, rootKey string) (string, error)

// DeriveNodeID returns the node id of hash under rootKey, which it normalizes: 64
// lower-case hex digits. It takes about 0.2 s of one core and 64 MiB, and cannot be
// interrupted; a host uses a Deriver. The only error for well-formed input is
// ErrHashMissing, for the zero hash.
func DeriveNodeID(hash PasswHash, rootKey string) (string, error) {
	if hash.IsZero() {
		return "", ErrHashMissing
	}
	salt := sha256.Sum256([]byte(nodeIDSaltPrefix + protocol.NormalizeRootKey(rootKey)))
	return scryptHex([]byte(hash.Reveal()), salt)
}

// NamedAgentHash returns the PasswHash of an agent without a generated phrase: it
// is derived from the hash of its main node and from its name (HMAC-SHA-256), so it
// is the same in every run and in every SDK. The main node's hash cannot be
// computed from it.
func NamedAgentHash(main PasswHash, name string) PasswHash {
	mac := hmac.New(sha256.New, []byte(main.Reveal()))
	_, _ = mac.Write([]byte("playctl agent " + name)) // a hash never fails
	return PasswHash{protocol.NewSecret(hex.EncodeToString(mac.Sum(nil)))}
}

// RootKeyFromSecret returns the root key of a secret's bytes, used unchanged: 64
// lower-case hex digits. It costs as much as DeriveNodeID. The only error for
// well-formed input is ErrSecretEmpty.
func RootKeyFromSecret(secretBytes []byte) (string, error) {
	if len(secretBytes) == 0 {
		return "", ErrSecretEmpty
	}
	return scryptHex(secretBytes, sha256.Sum256([]byte(rootKeySecretSalt)))
}

// GenerateRootKey returns a random root key: 32 bytes as lower-case hex.
func GenerateRootKey() string {
	var raw [hexDigits / 2]byte
	// Since Go 1.24 rand.Read fills the slice or ends the program.
	_, _ = rand.Read(raw[:])
	return hex.EncodeToString(raw[:])
}

func scryptHex(password []byte, salt [sha256.Size]byte) (string, error) {
	key, err := scrypt.Key(password, salt[:], scryptN, scryptBlockSize, 1, scryptKeyLen)
	if err != nil {
		return "", fmt.Errorf("derive with scrypt: %w", err)
	}
	return hex.EncodeToString(key), nil
}
