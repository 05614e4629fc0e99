package creds

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"fmt"

	"github.com/playctl/playctl/internal/creds/romix"
)

// scrypt (RFC 7914) with p = 1 is implemented here because a host has other work
// meanwhile: golang.org/x/crypto/scrypt keeps a processor for its whole 0.2 s, and
// allocates 64 MiB each time, which the garbage collector has to free again. This
// implementation yields the processor, and reuses the memory.

// scryptKey is scrypt with a cost of n, a power of two, and p = 1.
func scryptKey(password, salt []byte, n int) ([]byte, error) {
	b, err := pbkdf2.Key(sha256.New, string(password), salt, 1, romix.Block)
	if err != nil {
		return nil, fmt.Errorf("derive with scrypt: %w", err)
	}
	memory := derivations.take(n * romix.Block)
	defer derivations.giveBack(memory)
	// The race detector watches this write, but not the accesses in romix, which are
	// too many.
	copy(memory.bytes, b)
	romix.Mix((*[romix.Block]byte)(b), memory.bytes)
	key, err := pbkdf2.Key(sha256.New, string(password), b, 1, scryptKeyLen)
	if err != nil {
		return nil, fmt.Errorf("derive with scrypt: %w", err)
	}
	return key, nil
}
