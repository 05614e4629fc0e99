package bolt

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/playctl/playctl/internal/store"
)

// The write-ahead log is a file beside the store's that exists while a host writes
// or after a crash. A commit goes there first, with one sync where the database
// needs two, and many commits are moved into the database together. The file never
// changes its length, so that a sync writes nothing but the commit:
//
//	header    one page: its magic with the format, the log's id, which the database
//	          repeats
//	segments  two, written in turn: one is used again when the database has all
//	          commits of it
//
// A segment is a sequence of frames, one for each commit:
//
//	magic     4 bytes
//	length    of the body, 4 bytes, big-endian
//	checksum  CRC-32C of id, length and body, 4 bytes, big-endian
//	body      the entries: the length of each as in encoding/binary, then
//	          store.AppendEntry
//
// As many zeros as the first three have come after the last frame. Bytes after them have
// no meaning: they are of earlier use, and their entries have lower positions. Other bytes
// in place of these zeros are a commit that was not written completely, or is damaged.
const (
	writeAheadHeader  = 4096
	writeAheadSegment = 2 << 20

	frameHeader = 12
)

var (
	writeAheadName  = []byte("playctl write-ahead log ")
	writeAheadMagic = fmt.Appendf(nil, "%s%d\n", writeAheadName, store.Format)
	frameMagic      = []byte{0xfe, 'p', 'l', 'y'}

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// logID names a write-ahead log. The zero logID is none.
type logID [16]byte

func writeAheadPath(path string) string { return path + ".wal" }

// writeAhead is a write-ahead log that is open for writing.
type writeAhead struct {
	file logFile
	id   logID
	// bytes is the length of a segment, segment the one in use, offset the place of its
	// next frame in the file.
	bytes   int64
	segment int
	offset  int64
	// last are the positions of the last entries in the segments.
	last [2]store.Position
	// broken is set when a write failed: the content of the file is then unknown.
	broken bool
	// frame and entry are buffers of encode.
	frame, entry []byte
}

// keptBytes bounds the buffer that is kept for the next commit. It is larger than a
// full batch of chat lines.
const keptBytes = 1 << 20

// createWriteAhead creates an empty log for the store at a path, in place of a log
// that the store does not name.
func createWriteAhead(on disk, path string, segmentBytes int64) (*writeAhead, error) {
	w := &writeAhead{bytes: segmentBytes, offset: writeAheadHeader}
	if _, err := rand.Read(w.id[:]); err != nil {
		return nil, fmt.Errorf("name a log: %w", err)
	}
	name := writeAheadPath(path)
	file, err := on.create(name)
	if err != nil {
		return nil, fmt.Errorf("make a log: %w", err)
	}
	w.file = file
	if err := errors.Join(w.fill(), file.Sync(), on.syncFolder(filepath.Dir(name))); err != nil {
		return nil, errors.Join(fmt.Errorf("make a log: %w", err), file.Close(), on.remove(name))
	}
	return w, nil
}

// fill writes the header and zeros up to the end.
func (w *writeAhead) fill() error {
	end := logBytes(w.bytes)
	zeros := make([]byte, min(256<<10, w.bytes))
	for at := int64(writeAheadHeader); at < end; at += int64(len(zeros)) {
		if _, err := w.file.WriteAt(zeros[:min(int64(len(zeros)), end-at)], at); err != nil {
			return fmt.Errorf("fill it: %w", err)
		}
	}
	if _, err := w.file.WriteAt(slices.Concat(writeAheadMagic, w.id[:]), 0); err != nil {
		return fmt.Errorf("write its header: %w", err)
	}
	return nil
}

// logBytes returns the length of a log.
func logBytes(segmentBytes int64) int64 { return writeAheadHeader + 2*segmentBytes }

// encode returns the frame of a commit, valid until the next call.
func (w *writeAhead) encode(entries []store.Entry) []byte {
	var text []byte
	frame := w.frame[:0]
	frame = append(frame, frameMagic...)
	frame = append(frame, make([]byte, frameHeader-len(frameMagic))...)
	for i := range entries {
		text = store.AppendEntry(w.entry[:0], &entries[i])
		frame = binary.AppendUvarint(frame, uint64(len(text)))
		frame, w.entry = append(frame, text...), text
	}
	w.frame = frame
	if cap(w.frame) > keptBytes {
		w.frame, w.entry = nil, nil
	}
	body := frame[frameHeader:]
	binary.BigEndian.PutUint32(frame[4:], uint32(len(body)))
	binary.BigEndian.PutUint32(frame[8:], frameChecksum(w.id, body))
	return frame
}

func frameChecksum(id logID, body []byte) uint32 {
	sum := crc32.Checksum(id[:], castagnoli)
	sum = crc32.Update(sum, castagnoli, binary.BigEndian.AppendUint32(nil, uint32(len(body))))
	return crc32.Update(sum, castagnoli, body)
}

// fits reports whether the segment in use has room for a frame.
func (w *writeAhead) fits(frame []byte) bool {
	return w.offset+int64(len(frame)) <= writeAheadHeader+int64(w.segment+1)*w.bytes
}

// turn continues with the other segment, whose commits are all in the database.
func (w *writeAhead) turn() {
	w.segment = 1 - w.segment
	w.offset = writeAheadHeader + int64(w.segment)*w.bytes
}

// write puts a commit on stable storage. After an error the log is not used any
// more.
func (w *writeAhead) write(frame []byte, last store.Position) error {
	w.broken = true
	length := int64(len(frame))
	room := writeAheadHeader + int64(w.segment+1)*w.bytes - w.offset - length
	frame = append(frame, make([]byte, min(frameHeader, room))...)
	if _, err := w.file.WriteAt(frame, w.offset); err != nil {
		return fmt.Errorf("write to its log: %w", err)
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync its log: %w", err)
	}
	w.offset += length
	w.last[w.segment], w.broken = last, false
	return nil
}

// readLog returns the content of the log, or of another file: one byte more than a log
// has if it is longer. It fails with store.ErrFormat for a log of another format.
func (w *writer) readLog() ([]byte, error) {
	name := writeAheadPath(w.path)
	text, err := w.disk.read(name, logBytes(w.segmentBytes)+1)
	if err != nil {
		return nil, err
	}
	if stated, is := bytes.CutPrefix(text, writeAheadName); is {
		first, _, _ := bytes.Cut(stated[:min(len(stated), 32)], []byte("\n"))
		if format, err := strconv.ParseUint(string(first), 10, 64); err == nil {
			return text, store.CheckFormat("its log "+name, format)
		}
	}
	return text, nil
}

// recoverNamed returns the entries after the database's head of the log that the
// database names. It fails with store.ErrFormat if the log has another format, with
// store.ErrCorrupt if it is missing, is another one, is cut off, or is damaged before
// its end.
func (w *writer) recoverNamed(id logID, head store.Position) ([]store.Entry, error) {
	name := writeAheadPath(w.path)
	lost := fmt.Sprintf("commits after entry %d may be lost; put the right file there, or restore a backup", head)
	text, err := w.readLog()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: its log %s is missing: %s", store.ErrCorrupt, name, lost)
	case errors.Is(err, store.ErrFormat):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: reading its log: %w", store.ErrUnavailable, err)
	case int64(len(text)) != logBytes(w.segmentBytes):
		return nil, fmt.Errorf("%w: its log %s is shorter or longer than %d bytes: %s", store.ErrCorrupt, name, logBytes(w.segmentBytes), lost)
	case !bytes.HasPrefix(text, slices.Concat(writeAheadMagic, id[:])):
		return nil, fmt.Errorf("%w: %s is not its log: %s", store.ErrCorrupt, name, lost)
	}
	entries, whole := w.readSegments(text, id)
	var found []store.Entry
	next := head + 1
	for _, e := range entries {
		switch {
		case e.Position > next:
			return nil, fmt.Errorf("%w: its log %s is damaged: entries %d to %d are missing, later ones are there; restore a backup",
				store.ErrCorrupt, name, next, e.Position-1)
		case e.Position == next:
			found, next = append(found, e), next+1
		}
	}
	if !whole {
		w.leftOut = fmt.Sprintf("a commit at the end of %s, after entry %d, cannot be read, and was left out", name, next-1)
	}
	return found, nil
}

// readSegments returns the entries of both segments of a log, which may be cut off, and
// whether every commit could be read.
func (w *writer) readSegments(text []byte, id logID) (entries []store.Entry, whole bool) {
	var segments [2][]store.Entry
	var intact [2]bool
	for i := range segments {
		start := min(writeAheadHeader+i*int(w.segmentBytes), len(text))
		segments[i], intact[i] = readSegment(text[start:min(start+int(w.segmentBytes), len(text))], id)
	}
	if a, b := segments[0], segments[1]; len(a) > 0 && len(b) > 0 && a[0].Position > b[0].Position {
		segments[0], segments[1] = b, a
	}
	return slices.Concat(segments[0], segments[1]), intact[0] && intact[1]
}

// readSegment returns the entries of the readable frames whose entries follow each
// other. A frame after an unreadable one counts if its entries are later ones: the
// missing entries show as a gap in the positions. whole reports whether there is no
// unreadable one.
func readSegment(text []byte, id logID) (all []store.Entry, whole bool) {
	whole = true
	follows := true // the text follows the start, or a frame
	for len(text) > 0 {
		entries, length := readFrame(text, id)
		if length > 0 && (len(all) == 0 || entries[0].Position > all[len(all)-1].Position) {
			all, text, follows = append(all, entries...), text[length:], true
			continue
		}
		if follows && length == 0 && len(bytes.Trim(text[:min(frameHeader, len(text))], "\x00")) > 0 {
			whole = false
		}
		next := bytes.Index(text[1:], frameMagic)
		if next < 0 {
			break
		}
		text, follows = text[1+next:], false
	}
	return all, whole
}

// readFrame returns the entries of the frame at the start of a text, and its
// length; 0 for none.
func readFrame(text []byte, id logID) ([]store.Entry, int) {
	if len(text) < frameHeader || !bytes.HasPrefix(text, frameMagic) {
		return nil, 0
	}
	length := int64(binary.BigEndian.Uint32(text[4:]))
	if length > int64(len(text)-frameHeader) {
		return nil, 0
	}
	end := frameHeader + int(length)
	body := text[frameHeader:end]
	if frameChecksum(id, body) != binary.BigEndian.Uint32(text[8:]) {
		return nil, 0
	}
	var entries []store.Entry
	for len(body) > 0 {
		n, used := binary.Uvarint(body)
		if used <= 0 || n > uint64(len(body)-used) {
			return nil, 0
		}
		e, err := store.DecodeEntry(body[used : used+int(n)])
		if err != nil {
			return nil, 0
		}
		entries = append(entries, e)
		body = body[used+int(n):]
	}
	if len(entries) == 0 {
		return nil, 0
	}
	return entries, end
}
