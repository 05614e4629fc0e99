//go:build full

package durability

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/playctl/playctl/test/worldtest"
)

// limitFiles limits the size to which the host's files can grow, which has the same
// effect as a full disk.
func (h *host) limitFiles(bytes uint64) {
	h.t.Helper()
	limit := unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(h.PID(), unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		h.t.Fatal(err)
	}
}

// storeSize returns the size of the largest file in the data folder.
func (h *host) storeSize() uint64 {
	h.t.Helper()
	var largest int64
	err := filepath.WalkDir(h.dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			largest = max(largest, info.Size())
		}
		return err
	})
	if err != nil || largest == 0 {
		h.t.Fatalf("the store has no file: %v", err)
	}
	return uint64(largest)
}

// TestReadsContinueOnFullDisk fills the disk, checks that readers are
// not affected and no write is incomplete, and frees space again.
func TestReadsContinueOnFullDisk(t *testing.T) {
	w := &world{host: newHost(t)}
	w.Start()
	w.populate()
	w.limitFiles(w.storeSize() + 8<<10)

	var lines []*line
	var refused error
	for n := 0; refused == nil; n++ {
		if n == 20_000 {
			t.Fatal("the disk did not fill up")
		}
		l := &line{agent: w.agents[0], key: fmt.Sprint("key", n), text: fmt.Sprint("line ", n, " ", strings.Repeat("x", 3900))}
		lines = append(lines, l)
		refused = w.send(l)
	}
	if !strings.Contains(refused.Error(), "store_unavailable") || !strings.Contains(refused.Error(), "503") {
		t.Fatalf("a write to a full disk: %v", refused)
	}
	head := w.seq + uint64(len(lines)) - 1
	for range 3 {
		if err := w.send(lines[len(lines)-1]); err == nil {
			t.Fatal("a write succeeded on a full disk")
		}
		var snapshot struct {
			Seq uint64 `json:"seq"`
		}
		if err := w.call(w.main, "GET", "/api/play/snapshot?sid="+w.sid, "", nil, &snapshot); err != nil || snapshot.Seq != head {
			t.Fatalf("the snapshot is of seq %d, %v; the last acknowledged write is %d", snapshot.Seq, err, head)
		}
	}
	if events := w.events(w.main, w.sid, head-1, head); len(events) != 1 {
		t.Fatalf("the stream has %d events", len(events))
	}
	// The last write decides, and there may have been room for a small one of the
	// host's own since.
	ready := true
	for n := 0; ready && n < 20; n++ {
		if err := w.send(lines[len(lines)-1]); err == nil {
			t.Fatal("a write succeeded on a full disk")
		}
		ready = w.call(w.main, "GET", "/readyz", "", nil, nil) == nil
	}
	if ready {
		t.Error("the host reports that it is ready although its store accepts no writes")
	}

	w.limitFiles(unix.RLIM_INFINITY)
	w.verify(lines)
	// A short write says little about the room for a long one: the host's own trial, once a
	// second, may have to confirm it, and a probe on a busy disk may time out.
	worldtest.Eventually(t, "a host that is ready again", func() bool {
		return w.call(w.main, "GET", "/readyz", "", nil, nil) == nil
	})
	w.Kill()
	w.check()
}
