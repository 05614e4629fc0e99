package creds

import (
	"bytes"
	"math"
	"runtime/debug"
	"testing"

	"golang.org/x/crypto/scrypt"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/creds/romix"
)

// TestScryptMatchesLibrary compares keys of random input, with costs that make
// it yield or not, and with memory that was used before.
func TestScryptMatchesLibrary(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		password := rapid.SliceOf(rapid.Byte()).Draw(r, "password")
		salt := rapid.SliceOf(rapid.Byte()).Draw(r, "salt")
		n := 1 << rapid.IntRange(1, 9).Draw(r, "cost")
		want, err := scrypt.Key(password, salt, n, romix.BlockSize, 1, scryptKeyLen)
		if err != nil {
			r.Fatal(err)
		}
		got, err := scryptKey(password, salt, n)
		if err != nil || !bytes.Equal(got, want) {
			r.Errorf("cost %d: %x, %v, want %x", n, got, err, want)
		}
	})
}

func TestDerivationsRespectMemoryLimit(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	for _, c := range []struct {
		limit       int64
		cores, want int
	}{
		{math.MaxInt64, 1, 1}, {math.MaxInt64, 2, 1}, {math.MaxInt64, 6, 3}, {math.MaxInt64, 64, 4},
		{256 << 20, 8, 1}, {1 << 30, 8, 2}, {8 << 30, 8, 4},
	} {
		debug.SetMemoryLimit(c.limit)
		if got := DefaultRunning(c.cores); got != c.want {
			t.Errorf("%d cores and %d bytes: %d at once, want %d", c.cores, c.limit, got, c.want)
		}
	}
}

func BenchmarkScryptOfTheLibrary(b *testing.B) {
	for b.Loop() {
		if _, err := scrypt.Key([]byte("a password"), []byte("salt"), scryptN, romix.BlockSize, 1, scryptKeyLen); err != nil {
			b.Fatal(err)
		}
	}
}
