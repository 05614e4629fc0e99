package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// onMap waits until the world's snapshot matches a regular expression. It checks again
// after each event, so it sees every state or a later one.
//
//	onmap '"name":"Ada"'
func onMap(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: onmap <regular expression>")
	}
	pattern := regexp.MustCompile(args[0])
	for {
		cmd := exec.CommandContext(context.Background(), lookPath(ts, "playctl"), "snapshot", "--output", "json")
		cmd.Dir, cmd.Env = ts.MkAbs("."), environment(ts)
		text, err := cmd.Output()
		ts.Check(err)
		if pattern.Match(text) {
			return
		}
		var head struct{ Seq uint64 }
		ts.Check(json.Unmarshal(text, &head))
		nextEvent(ts, head.Seq)
	}
}

// nextEvent waits for an event after a position.
func nextEvent(ts *testscript.TestScript, seq uint64) {
	cmd := exec.CommandContext(context.Background(), lookPath(ts, "playctl"),
		"tail", "--since", strconv.FormatUint(seq, 10), "--output", "ndjson")
	cmd.Dir, cmd.Env = ts.MkAbs("."), environment(ts)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	seen := bufio.NewScanner(out).Scan()
	ts.Check(cmd.Process.Kill())
	// It was killed, so its exit status means nothing.
	_ = cmd.Wait()
	if !seen {
		ts.Fatalf("the stream ended before the next event")
	}
}
