package store

import (
	"encoding/binary"
	"fmt"
	"math"
)

// decoder takes values from the front of rest. It keeps the first error: from then
// on every value is zero, so a caller checks once, with finish.
type decoder struct {
	what string
	rest []byte
	err  error
}

func (d *decoder) fail(why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: a stored %s has %s", ErrCorrupt, d.what, why)
	}
	d.rest = nil
}

// finish returns the first error; remaining bytes are one.
func (d *decoder) finish() error {
	if len(d.rest) > 0 {
		d.fail("bytes after its end")
	}
	return d.err
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.fail("a missing byte")
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if !d.skipVarint(n) {
		return 0
	}
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	if !d.skipVarint(n) {
		return 0
	}
	return v
}

// skipVarint skips the n bytes of a varint. If the last of several bytes is zero,
// the varint is not minimal.
func (d *decoder) skipVarint(n int) bool {
	if n <= 0 || n > 1 && d.rest[n-1] == 0 {
		d.fail("a number that is cut off or not minimal")
		return false
	}
	d.rest = d.rest[n:]
	return true
}

func (d *decoder) uint32() uint32 {
	v := d.uvarint()
	if v > math.MaxUint32 {
		d.fail("a number that is too large")
		return 0
	}
	return uint32(v)
}

// count reads the length of a list whose elements take at least minLen bytes.
func (d *decoder) count(minLen int) int {
	n := d.uvarint()
	if n > uint64(len(d.rest)/minLen) {
		d.fail("a list longer than the rest of it")
		return 0
	}
	return int(n)
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.fail("a length past its end")
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

// bytes reads a byte string; an empty one is nil.
func (d *decoder) bytes() []byte {
	b := d.take(d.uvarint())
	if len(b) == 0 {
		return nil
	}
	return b
}

// optional reads the output of appendOptional: an empty byte string is not nil.
func (d *decoder) optional() []byte {
	n := d.uvarint()
	if n == 0 {
		return nil
	}
	return d.take(n - 1)
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) root() [rootLen]byte {
	var root [rootLen]byte
	copy(root[:], d.take(rootLen))
	return root
}

func (d *decoder) header() Header {
	return Header{
		SID:  d.text(),
		MinX: d.varint(), MinY: d.varint(), MaxX: d.varint(), MaxY: d.varint(),
	}
}

func (d *decoder) row() Row { return Row{Key: d.text(), JSON: d.optional()} }

func (d *decoder) event() Event {
	return Event{
		Kind: d.text(), Data: d.bytes(),
		Audience: decodeList(d, d.count(minTextLen), (*decoder).text),
	}
}

func (d *decoder) record() Record {
	return Record{Table: Table(d.text()), Key: d.bytes(), Value: d.optional()}
}

// decodeList reads n elements; a list of none is nil, as in an entry that never had
// it.
func decodeList[T any](d *decoder, n int, element func(*decoder) T) []T {
	if n == 0 || d.err != nil {
		return nil
	}
	list := make([]T, 0, n)
	for range n {
		list = append(list, element(d))
		if d.err != nil {
			return nil
		}
	}
	return list
}
