package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/playctl/playctl/protocol"
)

// ErrUnreachable is matched by every error of a call without an answer.
var ErrUnreachable = errors.New("the host cannot be reached")

// ErrTooLarge means that a host sent more than the caller accepts.
var ErrTooLarge = errors.New("it is larger than the limit")

// ErrReply is matched by every error of an unusable answer: it is too long, not
// JSON, or lacks a field of the route.
var ErrReply = errors.New("the host's reply cannot be used")

// UnreachableError says that a host gave no answer.
type UnreachableError struct {
	// Host is the address without path and query.
	Host string
	// Sent reports whether the request may have reached the host: then the
	// outcome of a write is unknown.
	Sent bool
	// Err is the reason.
	Err error
}

// Error implements error.
func (e *UnreachableError) Error() string {
	reason := "it did not answer in time"
	if !errors.Is(e.Err, context.DeadlineExceeded) {
		reason = cause(e.Err)
	}
	return fmt.Sprintf("cannot reach the host at %s: %s", e.Host, reason)
}

// cause returns the cause of a failed connection in words, without the call and the
// address, which are in the message already.
func cause(err error) string {
	if distrusted, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
			return "its certificate is from an authority that is not trusted here"
		}
		return "its certificate is not trusted: " + strings.TrimPrefix(distrusted.Err.Error(), "x509: ")
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return "it does not speak TLS"
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it closed the connection"
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		err = failed.Err
	}
	if unknown, ok := errors.AsType[*net.DNSError](err); ok {
		if unknown.IsNotFound {
			return "there is no host of that name"
		}
		return "its name cannot be looked up: " + unknown.Err
	}
	if failed, ok := errors.AsType[*os.SyscallError](err); ok {
		err = failed.Err
	}
	return err.Error()
}

// Unwrap returns the reason.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Is matches ErrUnreachable.
func (e *UnreachableError) Is(target error) bool { return target == ErrUnreachable }

// ReplyError says that an answer cannot be used.
type ReplyError struct {
	// Route is the method and path.
	Route string
	// Err is the reason.
	Err error
}

// Error implements error.
func (e *ReplyError) Error() string {
	return fmt.Sprintf("cannot use the reply to %s: %v", e.Route, e.Err)
}

// Unwrap returns the reason.
func (e *ReplyError) Unwrap() error { return e.Err }

// Is matches ErrReply.
func (e *ReplyError) Is(target error) bool { return target == ErrReply }

// ErrNotHost is matched by the error of an answer that no host of a world gives.
var ErrNotHost = errors.New("this is not a host of a world")

// NotHostError says that another server than a host of a world answered, or a proxy in
// front of one: the answer is a refusal without the text of one.
type NotHostError struct {
	// Host is the address without path and query.
	Host string
	// Err has the status.
	Err *protocol.Error
}

// Error implements error.
func (e *NotHostError) Error() string {
	return fmt.Sprintf("%s answered with status %d, but not as a host of a world does", e.Host, e.Err.Status())
}

// Unwrap returns the refusal.
func (e *NotHostError) Unwrap() error { return e.Err }

// Is matches ErrNotHost.
func (e *NotHostError) Is(target error) bool { return target == ErrNotHost }

// foreign marks a refusal that is not a host's. Proxies send some statuses of their own in
// front of a host, which stay as they are.
func (c *Client) foreign(err error) error {
	refused, ok := errors.AsType[*protocol.Error](err)
	if !ok || c.service != protocol.ServicePlay || refused.RequestID != "" || refused.Message != protocol.ParseErrorBody(refused.HTTPStatus, nil).Message {
		return err
	}
	switch refused.HTTPStatus {
	case http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return err
	}
	return &NotHostError{Host: c.Host(), Err: refused}
}

// UnsupportedError says that a host does not have a requested operation.
type UnsupportedError struct {
	// What is the operation, or the method and path.
	What string
	// Err is the host's own refusal.
	Err error
}

// Error implements error.
func (e *UnsupportedError) Error() string { return "this host does not have " + e.What }

// Unwrap returns the refusal.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// lacking marks the refusal of an operation or a route that a host of the
// agent-play service does not have. It has no code: for an unknown operation such a
// host reports a missing sid, and for an unknown route it answers like any web
// server.
func (c *Client) lacking(k *call, err error) error {
	refused, ok := errors.AsType[*protocol.Error](err)
	if !ok || refused.RequestID != "" || c.service == protocol.ServicePlay {
		return err
	}
	rpc, isOp := k.body.(protocol.RPCRequest)
	switch {
	case isOp && !k.sid && strings.Contains(refused.Message, "missing sid"):
		return &UnsupportedError{What: "the operation " + string(rpc.Op), Err: err}
	case !isOp && refused.Status() == http.StatusNotFound && refused.Message == protocol.ParseErrorBody(http.StatusNotFound, nil).Message:
		return &UnsupportedError{What: k.route(), Err: err}
	}
	return err
}

// unreachable returns the error of an attempt without an answer. The URL of a
// *url.Error is dropped, so that the host is named once.
func (c *Client) unreachable(err error, sent bool) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return &UnreachableError{Host: c.Host(), Sent: sent, Err: err}
}

// refusal decodes an answer whose status is not a success.
func (c *Client) refusal(status int, header http.Header, body []byte) *protocol.Error {
	e := protocol.ParseErrorBody(status, body)
	e.RetryAfter = protocol.ParseRetryAfter(header.Get("Retry-After"), time.Now())
	e.Message = c.who.scrub(e.Message)
	e.RequestID = c.who.scrub(e.RequestID)
	e.Code = protocol.Code(c.who.scrub(string(e.Code)))
	return e
}

// maxProbe is the greatest length of a probe's sentence.
const maxProbe = 200

// readProbe takes the reason from the answer to a probe, which is a line of plain text.
func (c *Client) readProbe(refused *protocol.Error, header http.Header, body []byte) {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	text := strings.TrimSuffix(string(body), "\n")
	if err == nil && kind == "text/plain" && text != "" && len(text) <= maxProbe && !strings.Contains(text, "\n") {
		refused.Message = c.who.scrub(text)
	}
}

// redirected returns the error for a redirect. It is not followed: the header
// fields with credentials would be sent there as well.
func redirected(resp *http.Response) error {
	to, err := resp.Location()
	if err != nil {
		return fmt.Errorf("unexpected status %d", resp.StatusCode)
	}
	return fmt.Errorf("the host redirects to %s://%s, but credentials are not sent there: if you trust it, use that address",
		to.Scheme, to.Host)
}

func isRedirect(status int) bool {
	return status >= http.StatusMultipleChoices && status < http.StatusBadRequest &&
		status != http.StatusNotModified
}

// shortestScrubbed keeps scrub from replacing parts of words for a "secret" that is
// too short to be one.
const shortestScrubbed = 8

// scrub replaces the caller's own secrets in a text that a host wrote.
func (w *identity) scrub(text string) string {
	for _, secret := range w.secrets() {
		if len(secret) >= shortestScrubbed {
			text = strings.ReplaceAll(text, secret, protocol.Redacted)
		}
	}
	return text
}
