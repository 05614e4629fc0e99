package host

import (
	"bufio"
	"net"
	"net/http"
	"strconv"
	"time"
)

// output is the destination of a stream. Written bytes are sent by Flush at the
// latest, and must not be modified until then.
type output interface {
	Write(b []byte) (int, error)
	Flush() error
	SetWriteDeadline(at time.Time) error
}

// replyOutput is a reply of net/http. It buffers writes: net/http would send a packet
// for every few frames.
type replyOutput struct {
	*http.ResponseController
	w   http.ResponseWriter
	buf *bufio.Writer
	// timed reports whether a deadline is a timer that ends the reply even while nothing is
	// written, as over HTTP/2.
	timed bool
}

func (o *replyOutput) Write(b []byte) (int, error) {
	if o.buf == nil {
		o.buf = replyBuffers.Get().(*bufio.Writer)
		o.buf.Reset(o.w)
	}
	return o.buf.Write(b) //nolint:wrapcheck // The stream distinguishes the kinds of error.
}

func (o *replyOutput) Flush() error {
	if o.buf != nil {
		err := o.buf.Flush()
		o.buf.Reset(nil)
		replyBuffers.Put(o.buf)
		if o.buf = nil; err != nil {
			return err //nolint:wrapcheck // As above.
		}
	}
	err := o.ResponseController.Flush()
	if err == nil && o.timed {
		// The write is complete.
		_ = o.SetWriteDeadline(time.Time{})
	}
	return err //nolint:wrapcheck // As above.
}

// chunkOutput is a connection that was taken over: everything written until Flush
// becomes one chunk (RFC 9112, section 7.1).
type chunkOutput struct {
	net.Conn
	parts  net.Buffers
	length int
}

func (o *chunkOutput) Write(b []byte) (int, error) {
	if o.length == 0 {
		o.parts = append(o.parts[:0], nil) // room for the length
	}
	o.parts, o.length = append(o.parts, b), o.length+len(b)
	return len(b), nil
}

func (o *chunkOutput) Flush() error {
	if o.length == 0 {
		return nil
	}
	o.parts[0] = appendChunkHead(nil, o.length)
	parts := o.parts
	parts = append(parts, lineBreak)
	o.parts, o.length = nil, 0
	_, err := parts.WriteTo(o.Conn)
	return err //nolint:wrapcheck // The stream distinguishes the kinds of error.
}

var (
	lineBreak = []byte("\r\n")
	// lastChunk ends a reply.
	lastChunk = []byte("0\r\n\r\n")
)

func appendChunkHead(b []byte, length int) []byte {
	return append(strconv.AppendInt(b, int64(length), 16), lineBreak...)
}
