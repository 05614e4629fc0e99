package host

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backup"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/internal/store/verify"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/worldtest"
)

// backupStores are the stores of the running hosts to back up.
func backupStores(t *testing.T) map[string]func(*testing.T) store.Journal {
	t.Helper()
	return map[string]func(*testing.T) store.Journal{
		"bolt": func(t *testing.T) store.Journal {
			t.Helper()
			j, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: worldtest.RootKey})
			if err != nil {
				t.Fatal(err)
			}
			return j
		},
		"redis": func(t *testing.T) store.Journal {
			t.Helper()
			address, err := redis.ParseAddress(redistest.Start(t).URL())
			if err != nil {
				t.Fatal(err)
			}
			j, err := redis.Open(t.Context(), redis.Options{Address: address, HostID: "w", RootKey: worldtest.RootKey, Timeout: 30 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			return j
		},
	}
}

// TestBackupDuringWrites gets a backup while agents speak, restores it, and checks
// that the restored store is consistent.
func TestBackupDuringWrites(t *testing.T) {
	for name, open := range backupStores(t) {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, func(s *setup) { s.journal = open(t) })
			player := f.player(f.main())
			ctx, stop := context.WithCancel(t.Context())
			var written atomic.Int64
			ended := make(chan struct{})
			say := func() {
				body := map[string]any{"op": "recordInteraction", "payload": map[string]any{"playerId": player.id, "role": "user", "text": "line"}}
				f.post(f.play("/sdk/rpc"), body, as(player)).ok()
				written.Add(1)
			}
			say()
			go func() {
				defer close(ended)
				for ctx.Err() == nil {
					say()
				}
			}()
			server := httptest.NewServer(f.handler)
			defer server.Close()
			before := written.Load()
			var whole bytes.Buffer
			for range 3 {
				whole.Reset()
				getBackup(t, server.URL, &whole)
			}
			stop()
			<-ended
			if written.Load() == before {
				t.Error("nothing was written during the backups")
			}
			restored, err := bolt.Open(t.Context(), restore(t, whole.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = restored.Close() }()
			report, err := verify.Check(t.Context(), restored, worldtest.RootKey)
			if err != nil || len(report.Problems) > 0 {
				t.Errorf("the check of the restored store: %+v, %v", report, err)
			}
			lines := 0
			for _, err := range restored.Scan(t.Context(), store.Interactions, store.Range{}) {
				if err != nil {
					t.Fatal(err)
				}
				lines++
			}
			if int64(lines) < before || int64(lines) > written.Load() {
				t.Errorf("the backup has %d chat lines, want between %d and %d", lines, before, written.Load())
			}
		})
	}
}

// getBackup reads a backup over HTTP.
func getBackup(t *testing.T, url string, to *bytes.Buffer) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+protocol.PathBackup, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	asAdmin(req)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := to.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the backup: status %d, %v", resp.StatusCode, err)
	}
}

// restore creates a store from a backup.
func restore(t *testing.T, whole []byte) bolt.Options {
	t.Helper()
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "restored.db"), RootKey: worldtest.RootKey}
	_, err := backup.Restore(t.Context(), bytes.NewReader(whole), backup.Target{
		SID: "7c1d9a40-52b3-4f6e-8a9b-0c1d2e3f4a5b", Now: time.Now(),
		Begin: func(string) (store.Import, error) { return bolt.BeginImport(context.WithoutCancel(t.Context()), o) },
	})
	if err != nil {
		t.Fatalf("restore: %v", err)
	}
	return o
}

func TestConcurrentBackupIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.get(protocol.PathBackup, asAdmin).ok()
	f.get(protocol.PathBackup, as(f.main())).refused(protocol.CodeForbidden)
	f.host.backingUp.Lock()
	f.get(protocol.PathBackup, asAdmin).refused(protocol.CodeOverloaded)
	f.host.backingUp.Unlock()
}
