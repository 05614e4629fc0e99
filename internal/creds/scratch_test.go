package creds

import (
	"runtime/debug"
	"testing"
)

func TestScratchKeepsLimitedPieces(t *testing.T) {
	const limit, size = 1 << 30, 1 << 20
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	var s scratch
	alone := s.take(size)
	s.giveBack(alone)
	if len(s.free) != 0 {
		t.Error("a piece is kept without a request")
	}
	s.keepMore(1)
	a, b := s.take(size), s.take(size)
	a.bytes[0] = 7
	s.giveBack(a)
	s.giveBack(b)
	if len(s.free) != 1 {
		t.Errorf("%d pieces are kept, want 1", len(s.free))
	}
	if again := s.take(size); again.bytes[0] != 7 {
		t.Error("the kept piece is not used again")
	} else {
		s.giveBack(again)
	}
	if other := s.take(2 * size); len(other.bytes) != 2*size {
		t.Errorf("the piece has %d bytes", len(other.bytes))
	} else {
		s.giveBack(other)
	}
	s.release()
	if got := debug.SetMemoryLimit(-1); len(s.free) != 0 || got != limit {
		t.Errorf("%d pieces are left, and the limit of the heap is %d", len(s.free), got)
	}
	// A process with less memory than a piece keeps half of it for the heap.
	debug.SetMemoryLimit(size)
	p := s.take(size)
	if got := debug.SetMemoryLimit(-1); p.outside && got != size/2 {
		t.Errorf("the limit is %d, want %d", got, size/2)
	}
	s.giveBack(p)
	s.keepMore(-1)
	if got := debug.SetMemoryLimit(-1); got != size {
		t.Errorf("the limit is %d, want %d", got, size)
	}
}
