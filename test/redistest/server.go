// Package redistest runs real Redis servers for tests: each in a folder of its own,
// on a free port, until its test ends.
package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/test/port"
)

// Server is a redis-server of a test.
type Server struct {
	// Addr is the address on which it listens, host:port; Socket is its Unix socket.
	Addr   string
	Socket string
	// Dir is the folder with its data.
	Dir string

	t    testing.TB
	args []string
	cmd  *exec.Cmd
	// bus is the port on which the nodes of a Cluster communicate.
	bus string
}

// AOF returns the arguments of a server that syncs its log with a policy: "always",
// "everysec" or "no".
func AOF(fsync string) []string { return []string{"--appendonly", "yes", "--appendfsync", fsync} }

// Start starts a server with arguments in the form of its configuration file, by
// default without persistence, and waits until it answers.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "playredis") //nolint:usetesting // a socket's path may have 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{t: t, Dir: dir, Socket: filepath.Join(dir, "s"), Addr: port.Keep(t), args: args}
	if slices.Contains(args, "--cluster-enabled") {
		// The default is the port plus 10,000, which may be invalid.
		_, s.bus, _ = net.SplitHostPort(port.Keep(t))
		s.args = append(slices.Clone(args), "--cluster-port", s.bus)
	}
	s.launch()
	t.Cleanup(s.Kill)
	return s
}

// URL returns the server's redis:// address.
func (s *Server) URL() string { return "redis://" + s.Addr }

// Port returns its port number.
func (s *Server) Port() int {
	_, number, _ := net.SplitHostPort(s.Addr)
	n, _ := strconv.Atoi(number)
	return n
}

func (s *Server) launch() {
	s.t.Helper()
	args := append([]string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(s.Port()), "--unixsocket", s.Socket,
		"--dir", s.Dir, "--save", "", "--logfile", filepath.Join(s.Dir, "log"), "--daemonize", "no",
		// The replicas of a test start immediately, not in a group.
		"--repl-diskless-sync-delay", "0",
	}, s.args...)
	// Kill ends the server in a cleanup: the test's context ends before cleanups
	// run.
	s.cmd = exec.CommandContext(context.WithoutCancel(s.t.Context()), "redis-server", args...) //nolint:gosec // the test's own arguments
	if err := s.cmd.Start(); err != nil {
		s.t.Fatalf("starting redis-server (is it installed?): %v", err)
	}
	s.await()
}

// await waits until the server answers, for a minute at most.
func (s *Server) await() {
	s.t.Helper()
	client := goredis.NewClient(&goredis.Options{Network: "unix", Addr: s.Socket, MaxRetries: -1, DisableIdentity: true})
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := client.Ping(ctx).Err()
		if err == nil || goredis.HasErrorPrefix(err, "NOAUTH") {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			s.t.Fatalf("redis-server did not answer: %v\n%s", err, log)
		}
	}
}

// Kill ends the server as a power failure does. It may be called twice.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Logged waits until everything is in the server's log, for a minute at most. A server
// that syncs every second writes it later while the disk is busy.
func (s *Server) Logged() {
	s.t.Helper()
	wait(s.t, "a log with everything", func() bool {
		return strings.Contains(fmt.Sprint(s.Do("info", "persistence")), "aof_buffer_length:0")
	})
}

// Restart kills the server and starts it with its data again.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	s.launch()
}

// Log returns the file to which the server appends its transactions.
func (s *Server) Log() (path string) {
	s.t.Helper()
	logs, err := filepath.Glob(filepath.Join(s.Dir, "appendonlydir", "*.incr.aof"))
	var newest time.Time
	for _, name := range logs {
		info, statErr := os.Stat(name)
		if err = errors.Join(err, statErr); err == nil && info.ModTime().After(newest) {
			path, newest = name, info.ModTime()
		}
	}
	if err != nil || path == "" {
		s.t.Fatalf("the server has no log: %v", err)
	}
	return path
}

// RepairLog removes an incomplete transaction from the end of the log of a killed server,
// as its administrator does (redis-check-aof --fix): a write that the kill interrupted can
// leave one, which the server itself would keep and execute with the next transaction.
func (s *Server) RepairLog() {
	s.t.Helper()
	check := exec.CommandContext(s.t.Context(), "redis-server", "--fix", filepath.Join(s.Dir, "appendonlydir", "appendonly.aof.manifest")) //nolint:gosec // the test's own folder
	// The name under which the server's program is called decides what it is.
	check.Args[0] = "redis-check-aof"
	check.Stdin = strings.NewReader("y\n")
	if output, err := check.CombinedOutput(); err != nil {
		s.t.Fatalf("repairing the log: %v\n%s", err, output)
	}
}

// Replica starts a replica of this server, and waits until it follows.
func (s *Server) Replica(t testing.TB, args ...string) *Server {
	t.Helper()
	return replica(t, s.Addr, args)
}

// Replica starts a replica of the server behind the proxy.
func (p *Proxy) Replica(t testing.TB, args ...string) *Server {
	t.Helper()
	return replica(t, p.Addr, args)
}

func replica(t testing.TB, of string, args []string) *Server {
	t.Helper()
	host, number, _ := net.SplitHostPort(of)
	r := Start(t, append([]string{"--replicaof", fmt.Sprint(host, " ", number)}, args...)...)
	r.Until("master_link_status:up")
	return r
}

// Promote makes a replica a master, which it remains after a restart.
func (s *Server) Promote() {
	s.t.Helper()
	s.Do("replicaof", "no", "one")
	if i := slices.Index(s.args, "--replicaof"); i >= 0 {
		s.args = slices.Delete(slices.Clone(s.args), i, i+2)
	}
}

// Do runs a command on the server and fails the test if that fails.
func (s *Server) Do(args ...any) any {
	s.t.Helper()
	client := goredis.NewClient(&goredis.Options{Addr: s.Addr, MaxRetries: -1, DisableIdentity: true})
	defer func() { _ = client.Close() }()
	reply, err := client.Do(context.Background(), args...).Result()
	if err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
	return reply
}

// Save returns a function that brings keys back to their present values, as a server
// that loses what was written later does.
func (s *Server) Save(keys ...string) (restore func()) {
	s.t.Helper()
	values := make([]any, len(keys))
	for i, key := range keys {
		values[i] = s.Do("dump", key)
	}
	return func() {
		s.t.Helper()
		for i, key := range keys {
			s.Do("restore", key, 0, values[i], "replace")
		}
	}
}

// Until waits until the server's replication section has a line, for a minute at most.
func (s *Server) Until(line string) {
	s.t.Helper()
	wait(s.t, line, func() bool { return strings.Contains(fmt.Sprint(s.Do("info", "replication")), line) })
}

// wait repeats a call until it returns true, for a minute at most.
func wait(t testing.TB, what string, ask func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not reached: %s", what)
		}
	}
}
