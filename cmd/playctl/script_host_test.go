package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long commands wait for a host that is starting: the race detector makes
// the derivation of a key slow, and other tests run at the same time.
const patience = "5m"

// hosts are the running hosts of scripts, by the path of their log without its suffix.
type hosts struct {
	mu      sync.Mutex
	running map[string]*runningHost
}

// runningHost is a "playctl serve" in the background.
type runningHost struct {
	cmd  *exec.Cmd
	rest chan error // the error of reading its output to the end
}

var scriptHosts = hosts{running: map[string]*runningHost{}}

// startHost starts "playctl serve" on a free port and waits until it prints its banner.
// The end of the script stops it, and it must end with 0. A host without a name sets
// $SERVER and $PLAYCTL_SERVER to its URL, and $LOCALHOST to its URL with the name
// localhost; a host with the name a sets $A to its URL and $A_LISTEN to its listen
// address.
//
//	host [name:] [flags of serve]
func startHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("host cannot be negated; use: exits 1 playctl serve")
	}
	name, args := hostName(args)
	host, banner := launch(ts, name, args)
	ts.Setenv("PLAYCTL_TIMEOUT", patience)
	if name == "host" {
		ts.Setenv("SERVER", banner.URL)
		ts.Setenv("PLAYCTL_SERVER", banner.URL)
		ts.Setenv("LISTEN", banner.Listen)
		ts.Setenv("LOCALHOST", strings.Replace(banner.URL, "127.0.0.1", "localhost", 1))
		ts.Setenv("DEMO_CREDENTIALS", banner.Credentials)
	} else {
		ts.Setenv(strings.ToUpper(name), banner.URL)
		ts.Setenv(strings.ToUpper(name)+"_LISTEN", banner.Listen)
	}
	path := ts.MkAbs(name)
	scriptHosts.mu.Lock()
	scriptHosts.running[path] = host
	scriptHosts.mu.Unlock()
	ts.Defer(func() { end(ts, path) })
}

// hostName splits the host's name from the rest; a host without a name is called host.
// Its log is the file of that name with .log.
func hostName(args []string) (name string, rest []string) {
	if len(args) > 0 && strings.HasSuffix(args[0], ":") {
		return strings.TrimSuffix(args[0], ":"), args[1:]
	}
	return "host", args
}

func launch(ts *testscript.TestScript, name string, args []string) (host *runningHost, shown banner) {
	all := append([]string{"serve", "--listen", "127.0.0.1:0", "--output", "ndjson"}, args...)
	cmd := exec.CommandContext(context.Background(), lookPath(ts, "playctl"), all...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environment(ts)
	logs, err := os.Create(ts.MkAbs(name + ".log"))
	ts.Check(err)
	cmd.Stderr = logs
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Check(logs.Close())
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		text, _ := os.ReadFile(ts.MkAbs(name + ".log"))
		ts.Fatalf("the host did not start: %v\n%s", errors.Join(err, cmd.Wait()), text)
	}
	ts.Check(json.Unmarshal([]byte(first), &shown))
	host = &runningHost{cmd: cmd, rest: make(chan error, 1)}
	go func() {
		_, err := io.Copy(io.Discard, lines)
		host.rest <- err
	}()
	return host, shown
}

// stopHost ends a host with SIGTERM, as an operator would. ("stop" is a command of
// testscript itself, which ends the script.)
//
//	halt [name:]
func stopHost(ts *testscript.TestScript, neg bool, args []string) {
	name, rest := hostName(args)
	if neg || len(rest) > 0 {
		ts.Fatalf("usage: halt [name:]")
	}
	end(ts, ts.MkAbs(name))
}

func end(ts *testscript.TestScript, path string) {
	scriptHosts.mu.Lock()
	host := scriptHosts.running[path]
	delete(scriptHosts.running, path)
	scriptHosts.mu.Unlock()
	if host == nil {
		return
	}
	ts.Check(host.cmd.Process.Signal(syscall.SIGTERM))
	err := errors.Join(<-host.rest, host.cmd.Wait())
	if err != nil {
		text, _ := os.ReadFile(path + ".log")
		ts.Fatalf("the host ended with an error: %v\n%s", err, text)
	}
}

// lookPath finds a program in the script's PATH.
func lookPath(ts *testscript.TestScript, name string) string {
	for _, folder := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	ts.Fatalf("%s is not on the path", name)
	return ""
}

// environment returns the environment of a script's commands, for a process that is
// started beside them.
func environment(ts *testscript.TestScript) []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "PLAYCTL_") && !strings.HasPrefix(name, "XDG_") {
			env = append(env, name+"="+ts.Getenv(name))
		}
	}
	return append(env, "HOME="+ts.Getenv("HOME"), "GORACE="+quickExit, nodeIDs+"="+ts.Getenv(nodeIDs))
}
