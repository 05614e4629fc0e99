package host

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/playctl/playctl/protocol"
)

// firstBytes is how much room a body gets before any of it has come. Its length
// is the client's claim, and nobody has shown credentials yet.
const firstBytes = 16 << 10

// readBody checks the body's media type and length and reads it.
func readBody(c *call) error {
	if c.route.body == bodyIgnored || c.r.ContentLength == 0 {
		return nil
	}
	body := http.MaxBytesReader(c.w, c.r.Body, protocol.MaxBodyBytes)
	if !isJSON(c.r.Header.Get("Content-Type")) {
		if c.r.ContentLength < 0 && isEmpty(body) {
			return nil
		}
		return protocol.Errorf(protocol.CodeMediaType, "the body must be JSON: send it with content-type: application/json")
	}
	if c.r.ContentLength > protocol.MaxBodyBytes {
		return tooLarge()
	}
	var read bytes.Buffer
	read.Grow(int(min(max(c.r.ContentLength, 0), firstBytes)) + bytes.MinRead)
	_, err := read.ReadFrom(body)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return tooLarge()
	}
	if err != nil {
		return protocol.WrapError(protocol.CodeJSONInvalid, err, "the body could not be read to its end")
	}
	c.body = read.Bytes()
	return nil
}

// isEmpty tells of a body without a declared length whether it is none at all:
// some clients announce chunks for every POST and then send only the last one.
func isEmpty(body io.Reader) bool {
	n, err := io.ReadFull(body, make([]byte, 1))
	return n == 0 && errors.Is(err, io.EOF)
}

func tooLarge() error {
	return protocol.Errorf(protocol.CodeBodyTooLarge, "the body is longer than %d bytes", protocol.MaxBodyBytes)
}

// isJSON tells whether a media type is application/json, whatever its
// parameters. A type without parameters is not taken apart.
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
