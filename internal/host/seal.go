package host

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// sealLabel sets the keys of sealed replies apart from anything else that might
// ever be derived from an idempotency key.
const sealLabel = "playctl sealed reply v1"

// errSealed is returned for a stored reply that the caller's key does not open.
var errSealed = errors.New("the stored reply does not open with this idempotency key")

// seal encrypts a reply that holds a secret, so that the store has nothing that
// reads without the idempotency key: AES-256-GCM (NIST SP 800-38D) with a random
// nonce, which it is prefixed with, under a key that HKDF (RFC 5869) with
// SHA-256 derives from the idempotency key.
func (i *idempotency) seal(reply []byte) ([]byte, error) {
	aead, err := i.cipher()
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, reply, i.key[:]), nil //nolint:gosec // This AEAD makes its own random nonce; a given one must be nil.
}

// open is the reverse of seal.
func (i *idempotency) open(sealed []byte) ([]byte, error) {
	aead, err := i.cipher()
	if err != nil {
		return nil, err
	}
	reply, err := aead.Open(nil, nil, sealed, i.key[:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSealed, err)
	}
	return reply, nil
}

func (i *idempotency) cipher() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(i.secret), nil, sealLabel, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of a sealed reply: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of a sealed reply: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of a sealed reply: %w", err)
	}
	return aead, nil
}
