package creds

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/playctl/playctl/internal/creds/romix"
)

// scrypt (RFC 7914) with p = 1 is written out here because a host has other things
// to do meanwhile: golang.org/x/crypto/scrypt keeps a processor for its whole 0.2 s,
// and takes 64 MiB of fresh memory each time, which the garbage collector has to find
// again. This one gives way, and uses the memory of the one before.

// scryptMemory has the memory of derivations that are over. The garbage collector
// takes what is not used again.
var scryptMemory sync.Pool

// scryptKey is scrypt with a cost of n, a power of two, and p = 1.
func scryptKey(password, salt []byte, n int) ([]byte, error) {
	b, err := pbkdf2.Key(sha256.New, string(password), salt, 1, romix.Block)
	if err != nil {
		return nil, fmt.Errorf("derive with scrypt: %w", err)
	}
	memory, _ := scryptMemory.Get().(*[]byte)
	if memory == nil || len(*memory) < n*romix.Block {
		memory = new(make([]byte, n*romix.Block))
		inHugePages(*memory)
	}
	defer scryptMemory.Put(memory)
	// Tests watch this write for races, but not those of romix, which are too many.
	copy(*memory, b)
	romix.Mix((*[romix.Block]byte)(b), (*memory)[:n*romix.Block])
	key, err := pbkdf2.Key(sha256.New, string(password), b, 1, scryptKeyLen)
	if err != nil {
		return nil, fmt.Errorf("derive with scrypt: %w", err)
	}
	return key, nil
}
