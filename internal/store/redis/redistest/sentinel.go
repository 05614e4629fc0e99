package redistest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Sentinel starts a Sentinel that watches a master under a name, and returns its
// address.
func Sentinel(t testing.TB, name string, master *Server) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "playsentinel") //nolint:usetesting // a socket's path may have 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{t: t, Dir: dir, Socket: filepath.Join(dir, "s"), Addr: freeAddr(t)}
	host, port, _ := net.SplitHostPort(master.Addr)
	_, own, _ := net.SplitHostPort(s.Addr)
	// A Sentinel rewrites its configuration, so it has to be a file.
	file := filepath.Join(dir, "sentinel.conf")
	lines := []string{
		"bind 127.0.0.1", "port " + own, "dir " + dir, "unixsocket " + s.Socket, "logfile " + filepath.Join(dir, "log"),
		"sentinel monitor " + name + " " + host + " " + port + " 1",
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), "redis-server", file, "--sentinel") //nolint:gosec // the test's own file
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("starting a Sentinel: %v", err)
	}
	t.Cleanup(s.Kill)
	s.await()
	return s.Addr
}

// UntilCluster waits until the node serves its slots, for 20 s at most.
func (s *Server) UntilCluster() {
	s.t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if text, _ := s.Do("cluster", "info").(string); strings.Contains(text, "cluster_state:ok") {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			s.t.Fatal("the Cluster does not come up")
		}
	}
}
