package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/playctl/playctl/protocol"
)

// backupSilence is how long a host may be silent during a backup, while it reads
// its store.
const backupSilence = 2 * time.Minute

var errBackupSilent = fmt.Errorf("the host sent nothing of the backup for %v", backupSilence)

// Backup writes a backup of the host's world to a writer, as the administrator. It
// is not retried. It may take any time, but it ends if the host sends nothing for 2
// minutes. Only the checksum of the backup shows whether it is complete.
func (c *Client) Backup(ctx context.Context, to io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(backupSilence, func() { cancel(errBackupSilent) })
	defer silence.Stop()
	p := &prepared{call: &call{
		method: http.MethodGet, path: protocol.PathBackup, header: http.Header{"Accept": {protocol.MediaTypeBackup}},
	}}
	req, err := c.request(ctx, p, "")
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(causeOr(ctx, errBackupSilent, err), maySent(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		if _, err := c.read(resp, p); err != nil {
			return err
		}
		return &ReplyError{Route: p.route(), Err: fmt.Errorf("it has the status %d", resp.StatusCode)}
	}
	if _, err := io.Copy(to, &timedReader{resp.Body, silence, backupSilence}); err != nil {
		return fmt.Errorf("the backup was interrupted: %w", causeOr(ctx, errBackupSilent, err))
	}
	return nil
}
