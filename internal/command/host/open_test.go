package host

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/internal/store"
)

// hangingJournal is a journal whose disk does not answer until it is closed.
type hangingJournal struct {
	store.Journal
	disk chan struct{}
}

func (j hangingJournal) Close() error {
	<-j.disk
	return nil
}

// A host whose disk does not answer still ends, and says why.
func TestCloseDoesNotWaitForDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := make(chan struct{})
		defer close(disk)
		err := (&served{journal: hangingJournal{disk: disk}}).close(context.Background())
		if !errors.Is(err, errCloseTimeout) || !strings.Contains(err.Error(), "close the store") {
			t.Errorf("got %v", err)
		}
	})
}
