package client

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/playctl/playctl/protocol"
)

// maxFrameBytes bounds one frame of a stream, all its lines together. The largest
// valid one has an inline node with a row, and the event's own fields: twice a
// journey of protocol.MaxJourneyBytes and its positioned copy.
const maxFrameBytes = 8 << 20

// ErrFrame is matched by errors about an invalid stream.
var ErrFrame = errors.New("the event stream is broken")

// frame is one dispatched block of an event stream (WHATWG HTML, section 9.2.6,
// "Interpreting an event stream"). Unlike there, a block without data is also
// returned if it sets the id: that is how a host states a cursor.
type frame struct {
	id    string
	hasID bool
	kind  string
	data  []byte
	// hasData is set for an event, and not for a block that only sets the id.
	hasData bool
}

// frameReader parses an event stream. Lines end with CR, LF or both; a leading
// byte order mark is skipped; an unfinished block at the end is dropped.
type frameReader struct {
	in    *bufio.Reader
	limit int
	// retry is the last reconnection time that the stream set, at least 1 ms; 0
	// for none.
	retry time.Duration

	started bool
	line    []byte
	unread  bool // the next line is line, once more
	used    int  // bytes of the present block
	afterCR bool // the last line ended with CR, so an LF is its second half
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(r, 32<<10), limit: maxFrameBytes}
}

// begin waits for the first line that is more than a reconnection time. The error
// is io.EOF if the host ended the stream before: it cannot serve a stream at the
// moment.
func (r *frameReader) begin() error {
	for {
		r.used = 0
		line, err := r.readLine()
		if err != nil {
			return err
		}
		if name, _, _ := bytes.Cut(line, []byte(":")); len(line) > 0 && string(name) != "retry" {
			r.unread = true
			return nil
		}
		r.field(new(frame), line)
	}
}

// next returns the next block that sets an id or has data. The error is io.EOF at
// the end, ErrFrame for a block that is too long or not UTF-8, else the reader's
// own.
func (r *frameReader) next() (frame, error) {
	var f frame
	if !r.unread {
		r.used = 0
	}
	for {
		line, err := r.readLine()
		if err != nil {
			return frame{}, err
		}
		switch {
		case len(line) > 0 && line[0] == ':':
			// Comments keep a connection alive; they are not part of a block.
			r.used -= len(line)
		case len(line) > 0:
			r.field(&f, line)
		case f.hasData || f.hasID:
			return f.finished()
		default:
			f, r.used = frame{}, 0
		}
	}
}

// finished checks a block and drops the newline after its last line of data.
func (f *frame) finished() (frame, error) {
	if f.hasData {
		f.data = f.data[:len(f.data)-1]
	}
	f.kind = cmp.Or(f.kind, "message")
	if !utf8.Valid(f.data) || !utf8.ValidString(f.kind) || !utf8.ValidString(f.id) {
		return frame{}, fmt.Errorf("%w: a frame is not valid UTF-8", ErrFrame)
	}
	return *f, nil
}

// field parses one line `name: value` or `name`.
func (r *frameReader) field(f *frame, line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		f.kind = string(value)
	case "data":
		f.data = append(append(f.data, value...), '\n')
		f.hasData = true
	case "id":
		if !bytes.ContainsRune(value, 0) {
			f.id, f.hasID = string(value), true
		}
	case "retry":
		if d, ok := parseRetry(value); ok {
			r.retry = d
		}
	}
}

// parseRetry parses a reconnection time: ASCII digits, milliseconds. An empty value
// is the shortest time.
func parseRetry(value []byte) (time.Duration, bool) {
	const longest = 24 * 60 * 60 * 1000
	if len(value) == 0 || len(bytes.Trim(value, "0123456789")) > 0 {
		return 0, false
	}
	ms, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil {
		ms = longest
	}
	return time.Duration(min(max(ms, 1), longest)) * time.Millisecond, true
}

// readLine returns the next line without its end. It is valid until the next call.
func (r *frameReader) readLine() ([]byte, error) {
	if r.unread {
		r.unread = false
		return r.line, nil
	}
	r.line = r.line[:0]
	if !r.started {
		r.started = true
		r.skipByteOrderMark()
	}
	for {
		chunk, end, err := r.chunk()
		r.line = append(r.line, chunk...)
		r.used += len(chunk)
		switch {
		case r.used > r.limit:
			return nil, fmt.Errorf("%w: a frame is longer than %d bytes", ErrFrame, r.limit)
		case err != nil:
			return nil, err
		case end:
			return r.line, nil
		}
	}
}

const byteOrderMark = "\uFEFF"

// skipByteOrderMark waits for no more bytes than it needs: a stream may begin with
// two bytes and then be silent.
func (r *frameReader) skipByteOrderMark() {
	if first, err := r.in.Peek(1); err != nil || first[0] != byteOrderMark[0] {
		return
	}
	if bom, err := r.in.Peek(len(byteOrderMark)); err == nil && string(bom) == byteOrderMark {
		_, _ = r.in.Discard(len(byteOrderMark))
	}
}

// chunk consumes the buffered part of the present line, including its end, and
// reports whether the end was reached.
func (r *frameReader) chunk() (text []byte, end bool, err error) {
	if _, err = r.in.Peek(1); err != nil {
		return nil, false, err //nolint:wrapcheck // io.EOF is a clean end
	}
	// The byte that Peek found, and all others that arrived with it, are buffered:
	// this cannot fail.
	buffered, _ := r.in.Peek(r.in.Buffered())
	if r.afterCR {
		r.afterCR = false
		if buffered[0] == '\n' {
			_, _ = r.in.Discard(1)
			return nil, false, nil
		}
	}
	at := bytes.IndexAny(buffered, "\r\n")
	if at < 0 {
		_, _ = r.in.Discard(len(buffered))
		return buffered, false, nil
	}
	r.afterCR = buffered[at] == '\r'
	_, _ = r.in.Discard(at + 1)
	return buffered[:at], true, nil
}

// parseSeq parses an event's id as a position of the log.
func parseSeq(id string) (uint64, bool) {
	seq, err := strconv.ParseUint(id, 10, 64)
	return seq, err == nil && seq <= protocol.MaxSafeInteger
}
