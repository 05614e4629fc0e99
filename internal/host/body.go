package host

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

const (
	// firstBytes is the size of a body's buffer before any of it has arrived. The
	// declared length is only the client's claim.
	firstBytes = 4 << 10
	// bodyPace is how many bytes of a body must arrive in each bodyWindow until it is
	// complete.
	bodyPace   = 16 << 10
	bodyWindow = 10 * time.Second
	// dropBytes is how much of a body is read and dropped after a refusal: a client
	// that still sends when its connection is closed may not see the refusal.
	dropBytes = 256 << 10
	// shortWait is how long a refusal waits for the rest of a body of at most
	// bodyPace, which is commonly there already. It saves the connection.
	shortWait = 100 * time.Millisecond
)

// bodyBudget bounds the memory that the bodies of all requests in progress hold together.
type bodyBudget struct {
	limit int64
	held  atomic.Int64
}

// take reports whether a body that holds that many bytes may hold more. Callers that
// have shown no credentials get three quarters of the budget, and half of it for
// bodies longer than bodyPace, which leaves room for the others.
func (b *bodyBudget) take(holds, more int64, known bool) bool {
	limit := b.limit
	switch {
	case known:
	case holds+more > bodyPace:
		limit /= 2
	default:
		limit -= limit / 4
	}
	if b.held.Add(more) > limit {
		b.held.Add(-more)
		return false
	}
	return true
}

// pacedBody is a request's body, whose sender has to keep up bodyPace.
type pacedBody struct {
	io.Reader
	control *http.ResponseController
	// left is how many bytes are still to arrive in this window.
	left int
}

func (p *pacedBody) Read(b []byte) (int, error) {
	if p.left <= 0 {
		p.left = bodyPace
		// A server without deadlines is a test's, or the responsibility of an embedding program.
		_ = p.control.SetReadDeadline(time.Now().Add(bodyWindow))
	}
	n, err := p.Reader.Read(b)
	p.left -= n
	return n, err //nolint:wrapcheck // Readers compare io.EOF.
}

// pace replaces the request's body with one that holds its sender to bodyPace.
func (c *call) pace() *pacedBody {
	return &pacedBody{Reader: c.r.Body, control: c.control()}
}

// checkFrame checks the headers that describe the body.
func checkFrame(c *call) error {
	if c.route.body == bodyIgnored || c.r.ContentLength == 0 {
		return nil
	}
	if isCoded(c.r.Header) {
		if c.r.ContentLength < 0 && isEmpty(c.pace()) {
			return nil
		}
		c.w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 12.5.3
		return protocol.Errorf(protocol.CodeMediaType, "the body is compressed: send it without content-encoding")
	}
	switch {
	case c.r.ContentLength > protocol.MaxBodyBytes && isJSON(c.r.Header.Get("Content-Type")):
		return tooLarge()
	case isJSON(c.r.Header.Get("Content-Type")):
		return nil
	case c.r.ContentLength < 0 && isEmpty(c.pace()):
		return nil
	}
	return protocol.Errorf(protocol.CodeMediaType, "the body must be JSON: send it with content-type: application/json")
}

// isCoded reports whether a body has a coding, such as gzip.
func isCoded(header http.Header) bool {
	for _, line := range header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(line, ",") {
			if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
				return true
			}
		}
	}
	return false
}

// readBody reads the body, unless it was read already. Its buffer grows with the
// bytes that arrive, within the budget of the host.
func readBody(c *call) error {
	if c.bodyRead || c.route.body == bodyIgnored || c.r.ContentLength == 0 {
		return nil
	}
	paced := c.pace()
	if time.Since(c.began) < shortWait {
		// The deadline of its first window was set above.
		paced.left = bodyPace
	}
	body := io.Reader(paced)
	if c.r.ContentLength < 0 || c.r.ContentLength > protocol.MaxBodyBytes {
		body = http.MaxBytesReader(c.w, io.NopCloser(paced), protocol.MaxBodyBytes)
	}
	err := c.fill(body)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return tooLarge()
	}
	if protocol.CodeOf(err) == protocol.CodeOverloaded {
		return err
	}
	c.bodyRead = true
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return protocol.WrapError(protocol.CodeJSONInvalid, err,
			"the body arrived too slowly: at least %d bytes must arrive every %s", bodyPace, bodyWindow)
	}
	if err != nil {
		return protocol.WrapError(protocol.CodeJSONInvalid, err, "the body could not be read completely")
	}
	// Later deadlines count from here.
	_ = paced.control.SetReadDeadline(time.Time{})
	_ = paced.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	// The caller may have been deleted meanwhile.
	return c.reloadCaller()
}

// fill reads into c.body until the end.
func (c *call) fill(body io.Reader) error {
	room := int64(firstBytes)
	if c.r.ContentLength > 0 {
		room = min(room, c.r.ContentLength)
	}
	for {
		// One byte more detects the end without growing the buffer again.
		more := room + 1 - int64(cap(c.body))
		if !c.host.bodies.take(c.bodyHeld, more, c.caller != (world.Caller{})) {
			return c.host.overloaded("body_budget", "request body memory is full (--body-budget)")
		}
		c.bodyHeld += more
		c.body = append(make([]byte, 0, room+1), c.body...)
		for len(c.body) < cap(c.body) {
			n, err := body.Read(c.body[len(c.body):cap(c.body)])
			c.body = c.body[:len(c.body)+n]
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err //nolint:wrapcheck // The caller distinguishes the kinds of error.
			}
		}
		if room *= 2; c.r.ContentLength > 0 {
			room = min(room, c.r.ContentLength)
		}
	}
}

// mayStillSend reports whether a client that is refused may still be sending, so that
// the reply has to be sent before the rest of the body is read. On HTTP/2 a request
// ends without its connection.
func (c *call) mayStillSend() bool {
	if c.bodyRead || c.r.ContentLength == 0 || c.r.ProtoMajor != 1 {
		return false
	}
	if c.r.ContentLength > 0 && c.r.ContentLength <= bodyPace {
		// The server reads the bytes that have arrived, and closes the connection if the body is
		// not complete.
		_ = c.control().SetReadDeadline(time.Now().Add(shortWait))
		return false
	}
	c.w.Header().Set("Connection", "close")
	return true
}

// dropBody sends the refusal and then discards the rest of the body for a while.
func (c *call) dropBody() {
	paced := c.pace()
	// A client that is gone or too slow gets no further reply.
	if paced.control.Flush() != nil {
		return
	}
	if conn := connOf(c.r); conn != nil {
		conn.leave()
	}
	_, _ = io.CopyN(io.Discard, paced, dropBytes)
}

// isEmpty reports whether a body without a declared length is empty:
// some clients announce chunks for every POST and then send only the last one.
func isEmpty(body io.Reader) bool {
	n, err := io.ReadFull(body, make([]byte, 1))
	return n == 0 && errors.Is(err, io.EOF)
}

func tooLarge() error {
	return protocol.Errorf(protocol.CodeBodyTooLarge, "the body is longer than %d bytes", protocol.MaxBodyBytes)
}

// isJSON reports whether a media type is application/json, whatever its
// parameters. A type without parameters is compared without parsing.
func isJSON(contentType string) bool {
	if contentType == protocol.MediaTypeJSON {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	if errors.Is(err, mime.ErrInvalidMediaParameter) {
		// The parameters are ignored, so broken ones are as well.
		err = nil
	}
	return err == nil && t == protocol.MediaTypeJSON
}

// parseObject reads the body as one strict JSON object.
func parseObject(c *call) error {
	switch {
	case c.route.body == bodyIgnored:
		return nil
	case c.route.body == bodyOptional && len(c.body) == 0:
		return nil
	}
	object, bad := protocol.ParseObject(c.body)
	if bad != nil {
		return bad
	}
	c.object = object
	return nil
}
