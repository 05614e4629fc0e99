package client

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/playctl/playctl/protocol"
)

// Contact describes one answer of a host and the connection to it.
type Contact struct {
	// Took is the time until the answer.
	Took time.Duration
	// Clock is how far the host's clock is ahead of now, to the second; nil if the
	// host does not state its time.
	Clock *time.Duration
	// TLS is the state of the connection; nil if it is not encrypted.
	TLS *tls.ConnectionState
}

// Contact checks once whether the host answers.
func (c *Client) Contact(ctx context.Context, now func() time.Time) (*Contact, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.request(ctx, &prepared{call: &call{method: http.MethodGet, path: protocol.PathHealth}}, "")
	if err != nil {
		return nil, err
	}
	began := now()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(err, maySent(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, errorReply)); err != nil {
		return nil, fmt.Errorf("read the host's reply: %w", c.unreachable(err, true))
	}
	found := &Contact{Took: now().Sub(began), TLS: resp.TLS}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		ahead := date.Sub(began.Truncate(time.Second))
		found.Clock = &ahead
	}
	return found, nil
}
