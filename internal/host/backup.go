package host

import (
	"errors"
	"net/http"
	"time"

	"github.com/playctl/playctl/internal/store"
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
	write := backup.Write
	if c.query().Get(protocol.QueryDamaged) == "true" {
		write = backup.WriteRest
	}
	out := &pacedWriter{call: c}
	_, err = write(c.r.Context(), taken, c.host.world.View().RootKey, out)
	if errors.Is(err, store.ErrCorrupt) && !out.started {
		return protocol.WrapError(protocol.CodeRecordDamaged, err, "there is no backup of a damaged store without damaged=true: %v", err)
	}
	if err != nil {
		c.host.log.Warn("a backup did not finish", "error", err)
		// The part already sent has no checksum at its end, so the connection is aborted rather
		// than closed cleanly.
		panic(http.ErrAbortHandler)
	}
	return nil
}

// pacedWriter begins the reply with the first write, and sets a deadline for each.
type pacedWriter struct {
	call    *call
	started bool
}

// Write implements io.Writer.
func (w *pacedWriter) Write(b []byte) (int, error) {
	if !w.started {
		w.started = true
		header := w.call.w.Header()
		header.Set("Content-Type", protocol.MediaTypeBackup)
		header["Cache-Control"] = noStore
		w.call.begin(http.StatusOK)
	}
	// A writer that does not support deadlines, as in tests, gets none.
	_ = w.call.control().SetWriteDeadline(time.Now().Add(backupWrite))
	return w.call.Write(b)
}
