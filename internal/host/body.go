package host

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/playctl/playctl/protocol"
)

// readBody checks the body's media type and length and reads it.
func readBody(c *call) error {
	if c.route.body == bodyIgnored {
		return nil
	}
	// A length of -1 is a body of unknown length.
	if c.r.ContentLength == 0 {
		return nil
	}
	if !isJSON(c.r.Header.Get("Content-Type")) {
		return protocol.Errorf(protocol.CodeMediaType, "the body must be JSON: send it with content-type: application/json")
	}
	if c.r.ContentLength > protocol.MaxBodyBytes {
		return tooLarge()
	}
	var err error
	if c.r.ContentLength > 0 {
		c.body = make([]byte, c.r.ContentLength)
		_, err = io.ReadFull(c.r.Body, c.body)
	} else {
		c.body, err = io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, protocol.MaxBodyBytes))
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return tooLarge()
	}
	if err != nil {
		return protocol.WrapError(protocol.CodeJSONInvalid, err, "the body could not be read to its end")
	}
	return nil
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
