// Package backup writes a world into a portable file, and restores a world from
// such a file.
//
// A backup begins with two lines of text, a magic word with store.Format
// and a JSON object that describes the content. Frames follow: a type byte, the
// payload's length as a varint, the payload. There is one frame with the map
// (store.AppendState), then frames with records (store.AppendEntry of an entry that
// has nothing else), then one with the SHA-256 of every byte before it, and nothing
// after that. The format does not depend on the backend of the world.
package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// ErrInvalid means that a file is not a complete, unchanged backup.
var ErrInvalid = errors.New("the backup is damaged or not a backup")

const (
	magic = "playctl-backup"
	// maxLine bounds each line of the head, and maxFrame a frame, in bytes.
	maxLine  = 64 << 10
	maxFrame = 1 << 30
	// recordsFrame is about the size in bytes of the records in a frame.
	recordsFrame = 1 << 20
)

// Types of frames.
const (
	frameState   = 'S'
	frameRecords = 'R'
	frameSum     = 'E'
)

// Info describes the content of a backup.
type Info struct {
	RootKey   string `json:"rootKey"` // the root key of the world
	SID       string `json:"sid"`
	Rev       uint64 `json:"rev"` // the rev of the world
	Seq       uint64 `json:"seq"`
	Root      string `json:"merkleRootHex"`
	LeafCount uint32 `json:"merkleLeafCount"`
	// At is the time of the world's last commit.
	At      time.Time `json:"at"`
	Rows    int       `json:"rows"` // rows on the map
	Records uint64    `json:"-"`
}

// writer hashes the bytes that it writes.
type writer struct {
	out *bufio.Writer
	sum hash.Hash
}

func newWriter(w io.Writer) *writer {
	sum := sha256.New()
	return &writer{out: bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16), sum: sum}
}

func (w *writer) head(info Info) error {
	text, err := json.Marshal(info)
	if err != nil {
		return fmt.Errorf("encoding the head: %w", err)
	}
	return w.write(fmt.Appendf(nil, "%s %d\n%s\n", magic, store.Format, text))
}

func (w *writer) frame(kind byte, payload []byte) error {
	prefix := binary.AppendUvarint([]byte{kind}, uint64(len(payload)))
	return errors.Join(w.write(prefix), w.write(payload))
}

// finish writes the checksum of the bytes before it.
func (w *writer) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.frame(frameSum, w.sum.Sum(nil)); err != nil {
		return err
	}
	return w.flush()
}

func (w *writer) write(b []byte) error {
	if _, err := w.out.Write(b); err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	return nil
}

func (w *writer) flush() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	return nil
}

// reader hashes the bytes that are read from it.
type reader struct {
	in  *bufio.Reader
	sum hash.Hash
}

func newReader(r io.Reader) *reader {
	return &reader{in: bufio.NewReaderSize(r, maxLine), sum: sha256.New()}
}

// ReadByte is for varints.
func (r *reader) ReadByte() (byte, error) {
	b, err := r.in.ReadByte()
	if err != nil {
		return 0, fmt.Errorf("reading the backup: %w", err)
	}
	r.sum.Write([]byte{b})
	return b, nil
}

func (r *reader) line() (string, error) {
	text, err := r.in.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF):
		return "", fmt.Errorf("%w: its head is cut off", ErrInvalid)
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("%w: its head has no end", ErrInvalid)
	case err != nil:
		return "", fmt.Errorf("%w: its head cannot be read: %w", ErrInvalid, err)
	}
	r.sum.Write(text)
	return strings.TrimSuffix(string(text), "\n"), nil
}

func (r *reader) head() (Info, error) {
	first, err := r.line()
	if err != nil {
		return Info{}, err
	}
	var format uint64
	if n, err := fmt.Sscanf(first, magic+" %d", &format); n != 1 || err != nil {
		return Info{}, fmt.Errorf("%w: it does not begin with %q", ErrInvalid, magic)
	}
	if err := store.CheckFormat("the backup", format); err != nil {
		return Info{}, err
	}
	second, err := r.line()
	if err != nil {
		return Info{}, err
	}
	var info Info
	if err := json.Unmarshal([]byte(second), &info); err != nil {
		return Info{}, fmt.Errorf("%w: its head is not JSON: %w", ErrInvalid, err)
	}
	return info, nil
}

// frame reads the next frame, and compares the checksum if it is the last one.
func (r *reader) frame() (kind byte, payload []byte, err error) {
	before := r.sum.Sum(nil)
	if kind, err = r.ReadByte(); err != nil {
		return 0, nil, fmt.Errorf("%w: it is cut off", ErrInvalid)
	}
	size, err := binary.ReadUvarint(r)
	if err != nil || size > maxFrame {
		return 0, nil, fmt.Errorf("%w: a part of it has an invalid length", ErrInvalid)
	}
	// The buffer grows with the data, not with a claimed length.
	var buffer bytes.Buffer
	if _, err := io.CopyN(&buffer, r.in, int64(size)); errors.Is(err, io.EOF) {
		return 0, nil, fmt.Errorf("%w: it is cut off", ErrInvalid)
	} else if err != nil {
		return 0, nil, fmt.Errorf("%w: the rest of cannot read it: %w", ErrInvalid, err)
	}
	r.sum.Write(buffer.Bytes())
	if kind == frameSum {
		return kind, nil, r.ends(before, buffer.Bytes())
	}
	return kind, buffer.Bytes(), nil
}

func (r *reader) ends(sum, stated []byte) error {
	if !bytes.Equal(sum, stated) {
		return fmt.Errorf("%w: its checksum differs", ErrInvalid)
	}
	if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: there is data after its end", ErrInvalid)
	}
	return nil
}
