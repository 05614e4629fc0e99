package client

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/retry"
)

// A backup may take long, but not if the host sends nothing.
func TestBackupEndsWhenHostIsSilent(t *testing.T) {
	for _, parts := range []int{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			h := newStreamHost(t)
			c := timedClient(t, h, retry.Default())
			var got strings.Builder
			ended := make(chan error, 1)
			start := time.Now()
			go func() { ended <- c.Backup(t.Context(), &got, 0, false) }()
			if parts > 0 {
				w := <-h.streams
				for range parts {
					<-time.After(backupSilence - time.Second)
					send(t, w, "part")
				}
			}
			err := <-ended
			if !errors.Is(err, errBackupSilent) {
				t.Errorf("after %d parts: %v, want that the host is silent", parts, err)
			}
			want := backupSilence + time.Duration(parts)*(backupSilence-time.Second)
			if took := time.Since(start); took != want {
				t.Errorf("after %d parts: the backup took %v, want %v", parts, took, want)
			}
			if want := strings.Repeat("part", parts); got.String() != want {
				t.Errorf("after %d parts: got %q", parts, got.String())
			}
		})
	}
}
