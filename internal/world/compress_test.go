package world

import (
	"bytes"
	"hash/crc32"
	"testing"

	"pgregory.net/rapid"
)

// The combined checksum of two texts is the checksum of their concatenation.
func TestCombinedCRC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := rapid.SliceOf(rapid.Byte()).Draw(t, "first"), rapid.SliceOfN(rapid.Byte(), 0, 5000).Draw(t, "second")
		want := crc32.ChecksumIEEE(append(bytes.Clone(first), second...))
		if got := combineCRC(crc32.ChecksumIEEE(first), crc32.ChecksumIEEE(second), len(second)); got != want {
			t.Fatalf("%08x, want %08x", got, want)
		}
	})
}
