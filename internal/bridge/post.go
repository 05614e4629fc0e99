package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// outcome is the outcome of one attempt.
type outcome uint8

const (
	// again: the bridge may not have accepted the event, which is posted once more.
	again outcome = iota
	// delivered: a 2xx.
	delivered
	// refused: a 4xx that a retry would not change.
	refused
)

// result is an attempt's outcome and the reason for a failure.
type result struct {
	outcome outcome
	failure Failure
	status  int
	// after is the wait that the bridge requested.
	after time.Duration
	err   error
}

// reason returns the error's text without the bridge's URL, which net/http adds to
// its errors and which may contain secrets.
func (r result) reason() string {
	err := r.err
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// appendBody encodes an event as protocol.BridgeEvent. The payload is the same data
// as on streams, byte for byte.
func appendBody(b []byte, e *world.Event, sid string) []byte {
	b = append(b, `{"event":"`...)
	b = append(b, e.Kind...)
	b = append(b, `","sid":"`...)
	b = append(b, sid...)
	b = append(b, `","payload":`...)
	b = append(b, e.Data...)
	return append(b, '}')
}

// post makes one attempt.
func (b *Bridge) post(ctx context.Context, seq uint64, body []byte) result {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.target, bytes.NewReader(body))
	if err != nil {
		return result{failure: FailedUnreachable, err: err}
	}
	request.Header.Set("Content-Type", protocol.MediaTypeJSON)
	request.Header.Set("User-Agent", "playctl")
	// The body can be sent again, so a connection that was closed meanwhile is
	// replaced without a failed attempt.
	request.Header.Set(protocol.HeaderIdempotencyKey, strconv.FormatUint(seq, 10))
	reply, err := b.client.Do(request)
	if err != nil {
		if timedOut, ok := errors.AsType[*url.Error](err); ok && timedOut.Timeout() {
			return result{failure: FailedTimeout, err: err}
		}
		return result{failure: FailedUnreachable, err: err}
	}
	// The status is the answer, even if reading the body fails; a short body is read
	// so that the connection can be reused.
	_, _ = io.CopyN(io.Discard, reply.Body, maxReply)
	_ = reply.Body.Close()
	return resultOf(reply)
}

// maxReply is the part of a reply that is read; its content is ignored.
const maxReply = 64 << 10

// resultOf returns the meaning of a status.
func resultOf(reply *http.Response) result {
	r := result{status: reply.StatusCode}
	switch {
	case r.status < 300:
		r.outcome = delivered
	case r.status < 400:
		r.failure = FailedRedirect
	case r.status == http.StatusRequestTimeout, r.status == http.StatusTooManyRequests:
		r.failure, r.after = FailedThrottled, retryAfter(reply)
	case r.status < 500:
		r.outcome = refused
	default:
		r.failure, r.after = FailedServer, retryAfter(reply)
	}
	return r
}

// maxRetryAfter bounds the wait that a bridge can request.
const maxRetryAfter = time.Minute

func retryAfter(reply *http.Response) time.Duration {
	return min(protocol.ParseRetryAfter(reply.Header.Get("Retry-After"), time.Now()), maxRetryAfter)
}

// backoff are the waits between attempts.
var backoff = retry.Backoff{First: 250 * time.Millisecond, Max: 30 * time.Second}
