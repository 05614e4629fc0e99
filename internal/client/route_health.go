package client

import (
	"context"
	"net/http"

	"github.com/playctl/playctl/protocol"
)

// Healthy asks whether the host runs; nil if it does.
func (c *Client) Healthy(ctx context.Context) error { return c.probe(ctx, protocol.PathHealth) }

// Ready asks whether the host serves and its store answers; nil if so.
func (c *Client) Ready(ctx context.Context) error { return c.probe(ctx, protocol.PathReady) }

// probe asks once: whoever probes wants to know about now.
func (c *Client) probe(ctx context.Context, path string) error {
	_, err := c.attempt(ctx, &prepared{call: &call{method: http.MethodGet, path: path}}, "")
	return err
}

// Metrics reads the host's metrics in Prometheus' text format.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) {
	r, err := c.do(ctx, &call{
		method: http.MethodGet, path: protocol.PathMetrics, limit: largeReply,
		header: http.Header{"Accept": {"text/plain"}},
	})
	if err != nil {
		return nil, err
	}
	return r.body, nil
}
