package creds

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"
)

// scratch is the memory of derivations. It is outside the heap if the system has
// such memory (Linux): 64 MiB that become garbage after 0.2 s would be most of the
// heap of a host with a small memory limit, which would then collect garbage many
// times a second. Instead the limit of the heap is lowered while there is such
// memory. Its methods may be called by several goroutines.
type scratch struct {
	mu sync.Mutex
	// keep is the number of pieces that are kept for the next derivations.
	keep int
	free []piece
}

// piece is memory for one derivation.
type piece struct {
	bytes []byte
	// outside says whether it is outside the heap, and lowered by how many bytes the
	// limit of the heap was lowered for it.
	outside bool
	lowered int64
}

var derivations scratch

// take returns a piece of n bytes of any content.
func (s *scratch) take(n int) piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, p := range s.free {
		if len(p.bytes) == n {
			s.free = slices.Delete(s.free, i, i+1)
			return p
		}
	}
	memory, err := systemMemory(n)
	if err != nil {
		return piece{bytes: make([]byte, n)}
	}
	p := piece{bytes: memory, outside: true}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		p.lowered = min(int64(n), limit/2)
		debug.SetMemoryLimit(limit - p.lowered)
	}
	return p
}

// giveBack keeps a piece for the next derivation, or releases it.
func (s *scratch) giveBack(p piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, p)
	s.letGo(s.keep)
}

// keepMore increases the number of pieces to keep by n, or decreases it if n is
// negative.
func (s *scratch) keepMore(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep += n
	s.letGo(s.keep)
}

// release releases all pieces that no derivation uses now.
func (s *scratch) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letGo(0)
}

// letGo releases the pieces beyond n; s.mu is held.
func (s *scratch) letGo(n int) {
	for len(s.free) > n {
		last := len(s.free) - 1
		p := s.free[last]
		s.free = slices.Delete(s.free, last, last+1)
		if p.outside {
			returnMemory(p.bytes)
		}
		if p.lowered > 0 {
			debug.SetMemoryLimit(debug.SetMemoryLimit(-1) + p.lowered)
		}
	}
}
