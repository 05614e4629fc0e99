package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The stored form of an Entry and of a State:
//
//	format    1 byte, Format
//	body      varints as in encoding/binary, texts and byte strings after their
//	          length, roots as their 32 bytes
//	checksum  4 bytes, big-endian CRC-32C of format and body
//
// Every value has exactly one encoding: varints are minimal, booleans are bits of a
// flag byte, and an optional value (a removed row, a deleted record) is written as
// its length plus one, with 0 for absent. The fields of Place come first, so that
// they can be read without decoding the entry.
const (
	checksumLen = 4
	rootLen     = 32
)

// Bits of an entry's flag byte.
const (
	flagMapChanged = 1 << iota
	flagCleared
	flagHeader
	flagsKnown = 1<<iota - 1
)

// The least number of bytes of an element of a list. They bound a stored count by
// the number of remaining bytes, before anything is allocated for it.
const (
	minRowLen    = 2 // key length, JSON
	minEventLen  = 3 // kind length, data length, audience count
	minTextLen   = 1 // length
	minRecordLen = 3 // table length, key length, value
)

// castagnoli is CRC-32C, which amd64 and arm64 compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendEntry appends the stored form of e to dst and returns the longer slice.
func AppendEntry(dst []byte, e *Entry) []byte {
	start := len(dst)
	dst = append(dst, Format, entryFlags(e))
	dst = binary.AppendUvarint(dst, uint64(e.Position))
	dst = binary.AppendUvarint(dst, e.Rev)
	dst = binary.AppendUvarint(dst, e.Seq)
	dst = binary.AppendUvarint(dst, uint64(len(e.Events)))
	dst = binary.AppendVarint(dst, e.At)
	dst = append(dst, e.Root[:]...)
	dst = binary.AppendUvarint(dst, uint64(e.LeafCount))
	if e.Header != nil {
		dst = appendHeader(dst, e.Header)
	}
	dst = appendRows(dst, e.Rows)
	dst = appendText(dst, e.Notify)
	for i := range e.Events {
		dst = appendEvent(dst, &e.Events[i])
	}
	dst = binary.AppendUvarint(dst, uint64(len(e.Records)))
	for i := range e.Records {
		r := &e.Records[i]
		dst = appendText(dst, r.Table)
		dst = appendText(dst, r.Key)
		dst = appendOptional(dst, r.Value)
	}
	return appendChecksum(dst, start)
}

// AppendState appends the stored form of s to dst and returns the longer slice.
func AppendState(dst []byte, s *State) []byte {
	start := len(dst)
	dst = append(dst, Format)
	dst = binary.AppendUvarint(dst, uint64(s.Position))
	dst = binary.AppendUvarint(dst, s.Rev)
	dst = binary.AppendUvarint(dst, s.Seq)
	dst = binary.AppendVarint(dst, s.At)
	dst = append(dst, s.Root[:]...)
	dst = binary.AppendUvarint(dst, uint64(s.LeafCount))
	dst = appendHeader(dst, &s.Header)
	dst = appendRows(dst, s.Rows)
	return appendChecksum(dst, start)
}

// DecodeEntry decodes the output of AppendEntry. The entry's byte slices are parts
// of b: a caller that does not own b passes a copy. It fails with ErrFormat for an
// entry of another format, and with ErrCorrupt for anything else that AppendEntry
// does not write.
func DecodeEntry(b []byte) (Entry, error) {
	d, err := openEncoding("entry", b)
	if err != nil {
		return Entry{}, err
	}
	var e Entry
	flags := d.byte()
	if flags&^byte(flagsKnown) != 0 {
		d.fail("unknown flags")
	}
	e.MapChanged = flags&flagMapChanged != 0
	e.Cleared = flags&flagCleared != 0
	e.Position = Position(d.uvarint())
	e.Rev = d.uvarint()
	e.Seq = d.uvarint()
	events := d.count(minEventLen)
	e.At = d.varint()
	e.Root = d.root()
	e.LeafCount = d.uint32()
	if flags&flagHeader != 0 {
		h := d.header()
		e.Header = &h
	}
	e.Rows = decodeList(d, d.count(minRowLen), (*decoder).row)
	e.Notify = d.bytes()
	e.Events = decodeList(d, events, (*decoder).event)
	e.Records = decodeList(d, d.count(minRecordLen), (*decoder).record)
	if err := d.finish(); err != nil {
		return Entry{}, err
	}
	return e, nil
}

// DecodeState decodes the output of AppendState, with the errors of DecodeEntry.
// The state's byte slices are parts of b.
func DecodeState(b []byte) (State, error) {
	d, err := openEncoding("checkpoint", b)
	if err != nil {
		return State{}, err
	}
	var s State
	s.Position = Position(d.uvarint())
	s.Rev = d.uvarint()
	s.Seq = d.uvarint()
	s.At = d.varint()
	s.Root = d.root()
	s.LeafCount = d.uint32()
	s.Header = d.header()
	s.Rows = decodeList(d, d.count(minRowLen), (*decoder).row)
	if err := d.finish(); err != nil {
		return State{}, err
	}
	return s, nil
}

// Place is the place of an entry in its journal.
type Place struct {
	Position   Position
	Rev        uint64
	Seq        uint64
	Events     uint64
	MapChanged bool
	// Bytes is the size of the stored entry; only a store knows it.
	Bytes uint64
}

// Place returns the place of the entry in its journal.
func (e *Entry) Place() Place {
	return Place{
		Position: e.Position, Rev: e.Rev, Seq: e.Seq,
		Events: uint64(len(e.Events)), MapChanged: e.MapChanged,
	}
}

// PeekEntry reads the Place of a stored entry without decoding the rest; its errors are
// those of DecodeEntry.
func PeekEntry(b []byte) (Place, error) {
	d, err := openEncoding("entry", b)
	if err != nil {
		return Place{}, err
	}
	flags := d.byte()
	m := Place{MapChanged: flags&flagMapChanged != 0}
	m.Position = Position(d.uvarint())
	m.Rev = d.uvarint()
	m.Seq = d.uvarint()
	m.Events = d.uvarint()
	return m, d.err
}

// PeekState reads the position and the rev of a stored state, as PeekEntry does
// for an entry.
func PeekState(b []byte) (Mark, error) {
	d, err := openEncoding("checkpoint", b)
	if err != nil {
		return Mark{}, err
	}
	m := Mark{Position: Position(d.uvarint()), Rev: d.uvarint()}
	return m, d.err
}

func entryFlags(e *Entry) byte {
	var flags byte
	if e.MapChanged {
		flags |= flagMapChanged
	}
	if e.Cleared {
		flags |= flagCleared
	}
	if e.Header != nil {
		flags |= flagHeader
	}
	return flags
}

func appendHeader(dst []byte, h *Header) []byte {
	dst = appendText(dst, h.SID)
	for _, v := range [...]int64{h.MinX, h.MinY, h.MaxX, h.MaxY} {
		dst = binary.AppendVarint(dst, v)
	}
	return dst
}

func appendRows(dst []byte, rows []Row) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(rows)))
	for i := range rows {
		dst = appendText(dst, rows[i].Key)
		dst = appendOptional(dst, rows[i].JSON)
	}
	return dst
}

func appendEvent(dst []byte, ev *Event) []byte {
	dst = appendText(dst, ev.Kind)
	dst = appendText(dst, ev.Data)
	dst = binary.AppendUvarint(dst, uint64(len(ev.Audience)))
	for _, who := range ev.Audience {
		dst = appendText(dst, who)
	}
	return dst
}

func appendText[T ~string | ~[]byte](dst []byte, text T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(text)))
	return append(dst, text...)
}

// appendOptional distinguishes nil, which means absent, from empty.
func appendOptional(dst, b []byte) []byte {
	if b == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(b))+1)
	return append(dst, b...)
}

func appendChecksum(dst []byte, start int) []byte {
	return binary.BigEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// checkFormat checks the first byte. Another format has a checksum at the same place;
// if that is wrong, the byte is damaged.
func checkFormat(what string, b []byte) error {
	switch {
	case len(b) == 0:
		return fmt.Errorf("%w: a stored %s is empty", ErrCorrupt, what)
	case b[0] == Format:
		return nil
	}
	if err := checkSum(what, b); err != nil {
		return err
	}
	return CheckFormat("a stored "+what, uint64(b[0]))
}

func checkSum(what string, b []byte) error {
	body := len(b) - checksumLen
	if body < 1 {
		return fmt.Errorf("%w: a stored %s has only %d bytes", ErrCorrupt, what, len(b))
	}
	if crc32.Checksum(b[:body], castagnoli) != binary.BigEndian.Uint32(b[body:]) {
		return fmt.Errorf("%w: the checksum of a stored %s differs", ErrCorrupt, what)
	}
	return nil
}

// openEncoding checks format and checksum and returns a decoder of the body.
func openEncoding(what string, b []byte) (*decoder, error) {
	if err := checkFormat(what, b); err != nil {
		return nil, err
	}
	if err := checkSum(what, b); err != nil {
		return nil, err
	}
	body := len(b) - checksumLen
	return &decoder{what: what, rest: b[1:body:body]}, nil
}
