package main

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/test/worldtest"
)

// runProgram runs playctl inside this test: the same program, also under the race
// detector, without the start of a process, which takes longer than most commands. A
// command that reads standard input or a terminal, runs in the background, gets signals,
// starts another playctl or reads certificates from SSL_CERT_FILE needs a separate
// process, with exec.
//
//	run playctl whoami
//	! run playctl whoami
func runProgram(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "playctl" {
		ts.Fatalf("usage: [!] run playctl [arguments]")
	}
	code := runInside(ts, args[1:])
	if failed := code != command.ExitDone; failed != neg {
		ts.Fatalf("the exit code is %d", code)
	}
}

// exits runs a command and checks its exit code. playctl runs inside this test, unless
// the word exec precedes it.
//
//	exits 3 playctl whoami
//	exits 3 exec playctl whoami
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits <code> [exec] <command> [arguments]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var got int
	if args[1] == "playctl" {
		got = runInside(ts, args[2:])
	} else {
		got = exitCode(ts, args[1:])
	}
	if got != want {
		ts.Fatalf("the exit code is %d, want %d", got, want)
	}
}

// exitCode runs a process to its end.
func exitCode(ts *testscript.TestScript, args []string) int {
	if args[0] == "exec" {
		args = args[1:]
	}
	err := ts.Exec(args[0], args[1:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

// runInside runs the program with the script's folder and variables and returns its exit
// code.
func runInside(ts *testscript.TestScript, args []string) int {
	if len(args) > 0 && strings.HasPrefix(args[len(args)-1], "&") {
		ts.Fatalf("a command in the background needs its own process: exec")
	}
	p := &command.Program{
		Name: "playctl", Args: args,
		Stdin: strings.NewReader(""), Stdout: ts.Stdout(), Stderr: ts.Stderr(),
		LookupEnv: func(name string) (string, bool) {
			value := ts.Getenv(name)
			return value, value != ""
		},
		Home: ts.Getenv("HOME"), Dir: ts.MkAbs("."), Now: time.Now, Zone: time.Local,
		OpenTTY: func() (command.TTY, error) { return nil, errors.New("there is none in a script") },
	}
	if ts.Getenv(nodeIDs) == cheapIDs {
		p.Derive = worldtest.CheapID
	}
	return run(context.Background(), p)
}
