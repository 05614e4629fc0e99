package world

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/klauspost/compress/flate"
)

const (
	// leastGzip is how long a snapshot is at least for compression to save a packet,
	// and mostGzip how long at most: longer ones take a while to compress.
	leastGzip = 2 << 10
	mostGzip  = 1 << 20
)

// gzipBody is the part of a compressed snapshot that depends on the rev alone: blocks
// of deflate that end at a byte, so that others can stand before and after them
// (RFC 1951). blocks is nil where compression is not worth it.
type gzipBody struct {
	blocks []byte
	// crc and length are those of the text.
	crc    uint32
	length int
}

// Gzip is the snapshot compressed, in parts of which one is shared by all who ask at
// the rev. ok is false where it is to be written as it is: it is short, or takes more
// memory than a chunk.
func (s *SnapshotJSON) Gzip() (parts [][]byte, ok bool) {
	if s.Len() < leastGzip || s.Len() > mostGzip {
		return nil, false
	}
	body := s.view.body.gzip(s.view)
	if body == nil || body.blocks == nil {
		return nil, false
	}
	head := append(make([]byte, 0, len(s.head)+32), gzipHeader...)
	head = append(storedBlock(head, len(s.head), false), s.head...)
	crc := combineCRC(crc32.ChecksumIEEE(s.head), body.crc, body.length)
	end := make([]byte, 0, 32)
	if rest := closingBrace[:s.body-body.length]; len(rest) > 0 {
		end = append(storedBlock(end, len(rest), false), rest...)
		crc = crc32.Update(crc, crc32.IEEETable, rest)
	}
	end = storedBlock(end, 0, true)
	end = binary.LittleEndian.AppendUint32(end, crc)
	end = binary.LittleEndian.AppendUint32(end, uint32(s.Len()))
	return [][]byte{head, body.blocks, end}, true
}

// gzipHeader says deflate, no flags, no time, no operating system (RFC 1952).
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// storedBlock appends the head of a block of deflate that is not compressed.
func storedBlock(b []byte, length int, last bool) []byte {
	var final byte
	if last {
		final = 1
	}
	b = binary.LittleEndian.AppendUint16(append(b, final), uint16(length))
	return binary.LittleEndian.AppendUint16(b, ^uint16(length))
}

// gzip compresses the body where nobody has; nil once the rev is past.
func (b *snapshotBody) gzip(v *View) *gzipBody {
	if g := b.gzipped.Load(); g != nil || b.past.Load() {
		return g
	}
	b.encoding.Lock()
	defer b.encoding.Unlock()
	if g := b.gzipped.Load(); g != nil {
		return g
	}
	g := compressBody(v)
	if b.gzipped.Store(g); b.past.Load() {
		b.gzipped.Store(nil)
	}
	return g
}

func compressBody(v *View) *gzipBody {
	g := &gzipBody{}
	out := &bounded{}
	w, err := flate.NewWriter(out, flate.DefaultCompression)
	if err != nil {
		panic("world: the level of compression: " + err.Error())
	}
	var text []byte
	for chunk := range chunked(v.bodyParts(), 0) {
		text = append(text, chunk...)
	}
	// Without the brace that only the operation's reply has.
	text = text[:len(text)-1]
	if _, err = w.Write(text); err == nil {
		err = w.Flush()
	}
	if err == nil {
		g.blocks, g.crc, g.length = bytes.Clone(out.Bytes()), crc32.ChecksumIEEE(text), len(text)
	}
	return g
}

// bounded takes no more than a reader who does not read may hold.
type bounded struct{ bytes.Buffer }

var errTooLong = errors.New("it is longer than a chunk")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > chunkBytes {
		return 0, errTooLong
	}
	_, _ = b.Buffer.Write(p) // It never fails.
	return len(p), nil
}

// combineCRC is the CRC-32 of two texts, one after the other, of which the second has
// a length. The first one's is multiplied by x to the power of that many bits, modulo
// the polynomial: bit 31 is the one of x to the power of 0.
func combineCRC(first, second uint32, length int) uint32 {
	power := uint32(1) << 31
	for square, n := uint32(1)<<23, length; n > 0; n >>= 1 { // x to the power of 8
		if n&1 == 1 {
			power = multiplyCRC(power, square)
		}
		square = multiplyCRC(square, square)
	}
	return multiplyCRC(first, power) ^ second
}

// multiplyCRC multiplies two polynomials modulo that of CRC-32.
func multiplyCRC(x, y uint32) (product uint32) {
	for bit := uint32(1) << 31; bit > 0; bit >>= 1 {
		if x&bit != 0 {
			product ^= y
		}
		if y&1 == 1 {
			y = y>>1 ^ crc32.IEEE
		} else {
			y >>= 1
		}
	}
	return product
}
