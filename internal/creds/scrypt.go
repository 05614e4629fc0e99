package creds

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/crypto/salsa20/salsa" //nolint:staticcheck // Its core is what scrypt is made of; nothing else has it.
)

// scrypt (RFC 7914) with p = 1 is written out here because a host has other things
// to do meanwhile: golang.org/x/crypto/scrypt keeps a processor for its whole 0.2 s,
// and takes 64 MiB of fresh memory each time, which the garbage collector has to find
// again. This one gives way, and uses the memory of the one before.

const (
	scryptBlock = 128 * scryptR // bytes
	salsaBlock  = 64            // bytes
	// yieldEvery is after how many blocks others get their turn, about 0.3 ms, and
	// restEvery after how many also what came over the network meanwhile: the
	// scheduler looks there when nothing else is left to do.
	yieldEvery = 1 << 8
	restEvery  = 1 << 12
	rest       = 50 * time.Microsecond
)

// scryptMemory has the memory of derivations that are over. The garbage collector
// takes what is not used again.
var scryptMemory sync.Pool

// scryptKey is scrypt with a cost of n, a power of two, and p = 1.
func scryptKey(password, salt []byte, n int) ([]byte, error) {
	b, err := pbkdf2.Key(sha256.New, string(password), salt, 1, scryptBlock)
	if err != nil {
		return nil, fmt.Errorf("derive with scrypt: %w", err)
	}
	memory, _ := scryptMemory.Get().(*[]byte)
	if memory == nil || len(*memory) < n*scryptBlock {
		memory = new(make([]byte, n*scryptBlock))
		inHugePages(*memory)
	}
	defer scryptMemory.Put(memory)
	romix((*[scryptBlock]byte)(b), (*memory)[:n*scryptBlock])
	key, err := pbkdf2.Key(sha256.New, string(password), b, 1, scryptKeyLen)
	if err != nil {
		return nil, fmt.Errorf("derive with scrypt: %w", err)
	}
	return key, nil
}

// romix is scryptROMix (RFC 7914, section 5) over as many blocks as there are in v.
func romix(b *[scryptBlock]byte, v []byte) {
	n := len(v) / scryptBlock
	var next [scryptBlock]byte
	for i := range n {
		copy(v[i*scryptBlock:], b[:])
		blockMix(&next, b)
		*b = next
		giveWay(i)
	}
	for i := range n {
		// Integerify: the last 64 bytes as a little-endian number.
		j := int(binary.LittleEndian.Uint64(b[scryptBlock-salsaBlock:]) & uint64(n-1))
		subtle.XORBytes(b[:], b[:], v[j*scryptBlock:][:scryptBlock])
		blockMix(&next, b)
		*b = next
		giveWay(i)
	}
}

// blockMix is scryptBlockMix (RFC 7914, section 4).
func blockMix(out, in *[scryptBlock]byte) {
	x := [salsaBlock]byte(in[scryptBlock-salsaBlock:])
	for i := range 2 * scryptR {
		subtle.XORBytes(x[:], x[:], in[i*salsaBlock:][:salsaBlock])
		salsa.Core208(&x, &x)
		// Even blocks come first, then odd ones.
		copy(out[(i/2+i%2*scryptR)*salsaBlock:], x[:])
	}
}

// giveWay lets others have the processor after a number of blocks.
func giveWay(block int) {
	switch {
	case block%restEvery == restEvery-1:
		time.Sleep(rest) //nolint:forbidigo // It waits for nothing: others get the processor.
	case block%yieldEvery == yieldEvery-1:
		runtime.Gosched()
	}
}
