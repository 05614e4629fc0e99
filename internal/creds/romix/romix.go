// Package romix is the expensive part of scrypt: arithmetic on the caller's memory
// in one goroutine. It is a package of its own because tests run all other code
// with the race detector, with which this part would take many times as long.
package romix

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"
	"time"

	"golang.org/x/crypto/salsa20/salsa" //nolint:staticcheck // Its core is what scrypt is made of; nothing else has it.
)

// BlockSize is scrypt's parameter r, and Block the resulting block size in bytes.
const (
	BlockSize = 8
	Block     = 128 * BlockSize
)

const (
	salsaBlock = 64 // bytes
	// yieldEvery is the number of blocks after which other goroutines may run, about
	// 0.3 ms, and restEvery the number after which the scheduler may also poll the
	// network, which it does when no goroutine is ready.
	yieldEvery = 1 << 8
	restEvery  = 1 << 12
	rest       = 50 * time.Microsecond
)

// Mix is scryptROMix (RFC 7914, section 5) over the blocks in v, whose number is a
// power of two. It yields the processor to other goroutines from time to time.
func Mix(b *[Block]byte, v []byte) {
	n := len(v) / Block
	var next [Block]byte
	for i := range n {
		copy(v[i*Block:], b[:])
		blockMix(&next, b)
		*b = next
		giveWay(i)
	}
	for i := range n {
		// Integerify: the last 64 bytes as a little-endian number.
		j := int(binary.LittleEndian.Uint64(b[Block-salsaBlock:]) & uint64(n-1))
		subtle.XORBytes(b[:], b[:], v[j*Block:][:Block])
		blockMix(&next, b)
		*b = next
		giveWay(i)
	}
}

// blockMix is scryptBlockMix (RFC 7914, section 4).
func blockMix(out, in *[Block]byte) {
	x := [salsaBlock]byte(in[Block-salsaBlock:])
	for i := range 2 * BlockSize {
		subtle.XORBytes(x[:], x[:], in[i*salsaBlock:][:salsaBlock])
		salsa.Core208(&x, &x)
		// Even blocks come first, then odd ones.
		copy(out[(i/2+i%2*BlockSize)*salsaBlock:], x[:])
	}
}

// giveWay yields the processor after a number of blocks.
func giveWay(block int) {
	switch {
	case block%restEvery == restEvery-1:
		time.Sleep(rest) //nolint:forbidigo // It waits for nothing: others get the processor.
	case block%yieldEvery == yieldEvery-1:
		runtime.Gosched()
	}
}
