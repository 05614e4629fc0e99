package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/playctl/playctl/test/port"
)

// Sentinel starts a Sentinel that watches a master under a name, promotes a replica
// when the master did not answer for half a second, and returns its address. A
// failed failover, as on a busy machine, is tried again after two seconds.
func Sentinel(t testing.TB, name string, master *Server) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "playsentinel") //nolint:usetesting // a socket's path may have 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{t: t, Dir: dir, Socket: filepath.Join(dir, "s"), Addr: port.Keep(t)}
	host, number, _ := net.SplitHostPort(master.Addr)
	_, own, _ := net.SplitHostPort(s.Addr)
	// A Sentinel rewrites its configuration, so this must be a file.
	file := filepath.Join(dir, "sentinel.conf")
	lines := []string{
		"bind 127.0.0.1", "port " + own, "dir " + dir, "unixsocket " + s.Socket, "logfile " + filepath.Join(dir, "log"),
		"sentinel monitor " + name + " " + host + " " + number + " 1",
		"sentinel down-after-milliseconds " + name + " 500", "sentinel failover-timeout " + name + " 1000",
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
	if replicas := master.connected(); replicas > 0 {
		wait(t, "a Sentinel that knows the replicas", func() bool {
			known, _ := s.Do("sentinel", "replicas", name).([]any)
			return len(known) == replicas
		})
	}
	return s.Addr
}

// connected returns how many replicas follow the server.
func (s *Server) connected() int {
	_, rest, _ := strings.Cut(fmt.Sprint(s.Do("info", "replication")), "connected_slaves:")
	number, _, _ := strings.Cut(rest, "\r")
	n, _ := strconv.Atoi(number)
	return n
}
