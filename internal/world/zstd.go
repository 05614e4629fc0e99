package world

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The format of a frame (RFC 8878, section 3.1.1).
const (
	zstdMagic = 0xFD2FB528
	// zstdWindow is the window descriptor for 1 MiB: 2 to the power of 10 plus its upper
	// five bits.
	zstdWindow = 10 << 3
	// The bits of a block's header: whether it is the last, its type (0 for stored, 1
	// for one repeated byte), and its length.
	zstdLast, zstdType, zstdRepeated, zstdLength = 1, 0b110, 1 << 1, 3
	zstdBlockHead                                = 3
)

// zstd assembles a frame: stored blocks before and after the shared ones.
func (s *SnapshotJSON) zstd(body *compressedBody, rest []byte) [][]byte {
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, len(s.head)+16), zstdMagic)
	// No flags in the descriptor: no length, checksum or dictionary.
	head = append(head, 0, zstdWindow)
	head = append(appendBlockHead(head, len(s.head), false), s.head...)
	return [][]byte{head, body.blocks, append(appendBlockHead(nil, len(rest), true), rest...)}
}

// appendBlockHead appends the header of a block that is stored as it is.
func appendBlockHead(b []byte, length int, last bool) []byte {
	head := uint32(length) << zstdLength
	if last {
		head |= zstdLast
	}
	return append(b, byte(head), byte(head>>8), byte(head>>16))
}

// zstdEncoders are reused: a new one takes megabytes.
var zstdEncoders = sync.Pool{New: func() any {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(maxCompressed), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic("world: the options of compression: " + err.Error())
	}
	return w
}}

// zstdBlocks compresses a text of at most maxCompressed bytes to the blocks of a
// frame, none of which is marked as the last.
func zstdBlocks(text []byte) []byte {
	w := zstdEncoders.Get().(*zstd.Encoder)
	defer zstdEncoders.Put(w)
	frame := w.EncodeAll(text, nil)
	var header zstd.Header
	if err := header.Decode(frame); err != nil {
		panic("world: the header of a frame that was just created: " + err.Error())
	}
	blocks := frame[header.HeaderSize:]
	for at := 0; ; {
		head := uint32(blocks[at]) | uint32(blocks[at+1])<<8 | uint32(blocks[at+2])<<16
		if head&zstdLast != 0 {
			blocks[at] &^= zstdLast
			return append([]byte(nil), blocks...)
		}
		length := int(head >> zstdLength)
		if head&zstdType == zstdRepeated {
			length = 1
		}
		at += zstdBlockHead + length
	}
}
