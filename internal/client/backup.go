package client

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/playctl/playctl/protocol"
)

// Backup writes a backup of the host's world to a writer, as the administrator. It is
// not repeated, and bound by ctx alone. Whether it came whole, only its checksum shows.
func (c *Client) Backup(ctx context.Context, to io.Writer) error {
	p := &prepared{call: &call{
		method: http.MethodGet, path: protocol.PathBackup, header: http.Header{"Accept": {protocol.MediaTypeBackup}},
	}}
	req, err := c.request(ctx, p, "")
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(err, maySent(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		if _, err := c.read(resp, p); err != nil {
			return err
		}
		return &ReplyError{Route: p.route(), Err: fmt.Errorf("it has the status %d", resp.StatusCode)}
	}
	if _, err := io.Copy(to, resp.Body); err != nil {
		return fmt.Errorf("the backup broke off: %w", err)
	}
	return nil
}
