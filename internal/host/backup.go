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
// at a time: each takes the space of the whole world.
func sendBackup(c *call) error {
	if !c.host.backingUp.TryLock() {
		e := protocol.Errorf(protocol.CodeOverloaded, "another backup is being made, and there is one at a time")
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
			c.host.log.Warn("the space of a backup in the store cannot be released", "error", err)
		}
	}()
	header := c.w.Header()
	header.Set("Content-Type", protocol.MediaTypeBackup)
	header["Cache-Control"] = noStore
	c.begin(http.StatusOK)
	if _, err := backup.Write(c.r.Context(), taken, c.host.world.View().RootKey, pacedWriter{c}); err != nil {
		c.host.log.Warn("a backup did not finish", "error", err)
		// What was sent has no checksum at its end, and the connection ends without one.
		panic(http.ErrAbortHandler)
	}
	return nil
}

// pacedWriter gives each write its time.
type pacedWriter struct{ call *call }

// Write implements io.Writer.
func (w pacedWriter) Write(b []byte) (int, error) {
	// A writer without deadlines, as in tests, has none.
	_ = w.call.control().SetWriteDeadline(time.Now().Add(backupWrite))
	return w.call.Write(b)
}
