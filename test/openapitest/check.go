package openapitest

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// Exchange is one request and its reply.
type Exchange struct {
	// Request is the request; its body may have been read.
	Request *http.Request
	// Sent is the request's body.
	Sent []byte
	// Status, Header and Body are those of the reply. The body of a stream is the
	// part that was read.
	Status int
	Header http.Header
	Body   []byte
}

// Check fails the test if an exchange differs from the OpenAPI document: the
// status, the headers and the body of the reply, and the parameters and the body of
// an accepted request. A refused request may have any content.
func Check(t testing.TB, x *Exchange) {
	t.Helper()
	d, err := shared()
	if err == nil {
		err = d.check(x)
	}
	if err != nil {
		t.Errorf("%s %s does not match the OpenAPI document: %v", x.Request.Method, x.Request.URL.Path, err)
	}
}

// CheckEvent fails the test if the data of an event of the stream differs from the
// OpenAPI document.
func CheckEvent(t testing.TB, kind string, data []byte) {
	t.Helper()
	d, err := shared()
	if err == nil {
		err = d.event(kind, data)
	}
	if err != nil {
		t.Errorf("the event %s does not match the OpenAPI document: %v", kind, err)
	}
}

func (d *document) check(x *Exchange) error {
	path := documented(x.Request)
	method := strings.ToLower(x.Request.Method)
	switch {
	case x.Request.Method == http.MethodHead:
		method = "get"
	case d.object("paths", path) == nil:
		return d.refused(x, http.StatusNotFound, "NotFound")
	case x.Request.Method == http.MethodOptions && x.Status == http.StatusNoContent:
		return d.preflight(x)
	}
	operation := []string{"paths", path, method}
	if d.object(operation...) == nil {
		return d.refused(x, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
	if err := d.reply(x, operation); err != nil {
		return fmt.Errorf("the reply of status %d: %w", x.Status, err)
	}
	if x.Status >= http.StatusMultipleChoices && x.Status != http.StatusNotModified {
		return nil
	}
	if err := d.request(x, operation); err != nil {
		return fmt.Errorf("the request, which was accepted: %w", err)
	}
	return nil
}

// documented returns the path of a request in the document: that of the contract's
// service, whichever service the client used.
func documented(r *http.Request) string {
	if rest, other := strings.CutPrefix(r.URL.Path, "/api/"+string(protocol.ServiceAgentPlay)+"/"); other {
		return "/api/" + string(protocol.ServicePlay) + "/" + rest
	}
	path := r.URL.Path
	if rest, other := strings.CutPrefix(path, "/"+string(protocol.ServiceAgentPlay)+"/"); other {
		path = "/" + string(protocol.ServicePlay) + "/" + rest
	}
	if file, asset := strings.CutPrefix(path, protocol.ServicePlay.WatchAssets()+"/"); asset && strings.Contains(file, "/") {
		return protocol.ServicePlay.WatchAsset()
	}
	return path
}

// refused checks the reply for a path or a method that does not exist. The rate
// limit comes before both.
func (d *document) refused(x *Exchange, status int, response string) error {
	if x.Status == http.StatusTooManyRequests {
		status, response = x.Status, "RateLimited"
	}
	if x.Status != status {
		return fmt.Errorf("it is not described and answered with %d, want %d", x.Status, status)
	}
	return d.described(x, "components", "responses", response)
}

// preflight checks the reply to a browser's preflight request for another origin.
func (d *document) preflight(x *Exchange) error {
	if x.Header.Get("Access-Control-Allow-Methods") == "" || len(x.Body) > 0 {
		return errors.New("a preflight must have the methods that it allows and no body")
	}
	return nil
}

func (d *document) reply(x *Exchange, operation []string) error {
	response := with(operation, "responses", strconv.Itoa(x.Status))
	if d.object(response...) == nil {
		return errors.New("the status is not described")
	}
	return d.described(x, response...)
}

// described checks a reply against a response of the document.
func (d *document) described(x *Exchange, response ...string) error {
	for name := range d.object(with(response, "headers")...) {
		if err := d.header(x, name, with(response, "headers", name)); err != nil {
			return err
		}
	}
	content := d.object(with(response, "content")...)
	if x.Request.Method == http.MethodHead {
		return nil
	}
	if content == nil {
		if len(x.Body) > 0 {
			return errors.New("there is a body and none is described")
		}
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(x.Header.Get("Content-Type"))
	if err != nil || content[mediaType] == nil {
		return fmt.Errorf("the content-type %q is not described", x.Header.Get("Content-Type"))
	}
	return d.body(x, mediaType, with(response, "content", mediaType))
}

func (d *document) header(x *Exchange, name string, pointer []string) error {
	values := x.Header.Values(name)
	if len(values) == 0 {
		if required, _ := d.object(pointer...)["required"].(bool); required {
			return fmt.Errorf("the header %s is missing", name)
		}
		return nil
	}
	if len(values) > 1 {
		return fmt.Errorf("the header %s is there %d times", name, len(values))
	}
	return d.text("the header "+name, values[0], with(pointer, "schema"))
}

func (d *document) body(x *Exchange, mediaType string, pointer []string) error {
	switch mediaType {
	case protocol.MediaTypeJSON:
		operations := []string{"paths", documented(x.Request), "post", "x-operations"}
		if x.Status == http.StatusOK && d.object(operations...) != nil {
			pointer = with(operations, operationOf(x.Sent), "reply")
		} else {
			pointer = with(pointer, "schema")
		}
		if err := d.validate(x.Body, pointer...); err != nil {
			return fmt.Errorf("the body: %w", err)
		}
		return nil
	case protocol.MediaTypeSSE:
		return d.stream(x.Body)
	}
	if len(x.Body) == 0 {
		return errors.New("the body is empty")
	}
	return nil
}

// with returns a pointer with more members appended, in an array of its own.
func with(pointer []string, more ...string) []string {
	return append(append(make([]string, 0, len(pointer)+len(more)), pointer...), more...)
}
