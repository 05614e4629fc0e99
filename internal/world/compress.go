package world

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/flate"
)

// Coding is a content coding (RFC 9110, section 8.4.1) that snapshots are compressed
// with; Identity is none.
type Coding string

// The codings.
const (
	Identity Coding = ""
	Gzip     Coding = "gzip"
	Zstd     Coding = "zstd"
)

const (
	// minCompressed is the least length at which compressing a snapshot saves a packet,
	// and maxCompressed the greatest that is compressed: longer ones take too long.
	minCompressed = 2 << 10
	maxCompressed = 1 << 20
	// maxBlocks is the greatest length of the compressed text: a client that does not
	// read takes that much memory.
	maxBlocks = 256 << 10
)

// compressedBody is the part of a compressed snapshot that depends on the rev alone:
// blocks of its format, with other blocks before and after them. blocks is nil where
// compression is not worth it.
type compressedBody struct {
	blocks []byte
	// crc and length are those of the text.
	crc    uint32
	length int
}

// Compressed returns the snapshot in a coding, in parts of which one is shared by
// all readers of the rev. ok is false if the snapshot is too short or too long to
// compress.
func (s *SnapshotJSON) Compressed(coding Coding) (parts [][]byte, ok bool) {
	if coding == Identity || s.Len() < minCompressed || s.Len() > maxCompressed {
		return nil, false
	}
	body := s.view.body.compress(s.view, coding)
	if body == nil || body.blocks == nil {
		return nil, false
	}
	rest := closingBrace[:s.body-body.length]
	if coding == Zstd {
		return s.zstd(body, rest), true
	}
	return s.gzip(body, rest), true
}

// compress compresses the body unless that was done; it returns nil once the rev is past.
func (b *snapshotBody) compress(v *View, coding Coding) *compressedBody {
	shared := &b.gzipped
	if coding == Zstd {
		shared = &b.zstd
	}
	if c := shared.Load(); c != nil || b.past.Load() {
		return c
	}
	b.encoding.Lock()
	defer b.encoding.Unlock()
	if c := shared.Load(); c != nil {
		return c
	}
	c := compressBody(v, coding)
	if shared.Store(c); b.past.Load() {
		shared.Store(nil)
	}
	return c
}

func compressBody(v *View, coding Coding) *compressedBody {
	var text []byte
	for part := range v.bodyParts() {
		text = append(text, part...)
	}
	// Without the brace that only the operation's reply has.
	text = text[:len(text)-1]
	c := &compressedBody{length: len(text)}
	if coding == Zstd {
		c.blocks = zstdBlocks(text)
	} else {
		c.blocks, c.crc = deflateBlocks(text), crc32.ChecksumIEEE(text)
	}
	if len(c.blocks) > maxBlocks {
		c.blocks = nil
	}
	return c
}

// gzip assembles a gzip member (RFC 1952): deflate blocks that end on a byte boundary
// can be concatenated (RFC 1951).
func (s *SnapshotJSON) gzip(body *compressedBody, rest []byte) [][]byte {
	head := append(make([]byte, 0, len(s.head)+32), gzipHeader...)
	head = append(storedBlock(head, len(s.head), false), s.head...)
	crc := combineCRC(crc32.ChecksumIEEE(s.head), body.crc, body.length)
	end := make([]byte, 0, 32)
	if len(rest) > 0 {
		end = append(storedBlock(end, len(rest), false), rest...)
		crc = crc32.Update(crc, crc32.IEEETable, rest)
	}
	end = storedBlock(end, 0, true)
	end = binary.LittleEndian.AppendUint32(end, crc)
	end = binary.LittleEndian.AppendUint32(end, uint32(s.Len()))
	return [][]byte{head, body.blocks, end}
}

// gzipHeader is a header with deflate, no flags, no time and an unknown operating system
// (RFC 1952).
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

// deflateBlocks compresses a text to blocks of deflate, of which none is the last.
func deflateBlocks(text []byte) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		panic("world: the level of compression: " + err.Error())
	}
	// Nothing can fail in memory.
	_, _ = w.Write(text)
	_ = w.Flush()
	return bytes.Clone(out.Bytes())
}

// combineCRC returns the CRC-32 of two concatenated texts, given the length of the
// second. It multiplies the first CRC by x to the power of that many bits, modulo the
// polynomial: bit 31 is the coefficient of x to the power of 0.
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
