package host

import (
	"net/http"
	"time"

	"github.com/playctl/playctl/internal/store/backup"
	"github.com/playctl/playctl/protocol"
)

// backupWrite is how long one write of a backup may take before its reader is cut.
const backupWrite = 30 * time.Second

// sendBackup streams a backup to the administrator while writes continue. There is one
// backup at a time: each occupies as much space as the whole world.
func sendBackup(c *call) error {
	if !c.host.backingUp.TryLock() {
		e := protocol.Errorf(protocol.CodeOverloaded, "another backup is in progress, and only one can run at a time")
		e.RetryAfter = backupWrite
		return e
	}
	defer c.host.backingUp.Unlock()
	taken, err := c.host.world.BeginBackup(c.r.Context())
	if err != nil {
		return err
	}
	defer func() {
		if err := taken.Close(); err != nil {
			c.host.log.Warn("the disk space of a backup in the store cannot be released", "error", err)
		}
	}()
	header := c.w.Header()
	header.Set("Content-Type", protocol.MediaTypeBackup)
	header["Cache-Control"] = noStore
	c.begin(http.StatusOK)
	if _, err := backup.Write(c.r.Context(), taken, c.host.world.View().RootKey, pacedWriter{c}); err != nil {
		c.host.log.Warn("a backup did not finish", "error", err)
		// The part already sent has no checksum at its end, so the connection is aborted rather
		// than closed cleanly.
		panic(http.ErrAbortHandler)
	}
	return nil
}

// pacedWriter sets a deadline for each write.
type pacedWriter struct{ call *call }

// Write implements io.Writer.
func (w pacedWriter) Write(b []byte) (int, error) {
	// A writer that does not support deadlines, as in tests, gets none.
	_ = w.call.control().SetWriteDeadline(time.Now().Add(backupWrite))
	return w.call.Write(b)
}
