package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/worldtest"
)

// nodeIDs is the environment variable that says how the playctl of scripts derives node
// ids: in a cheap way with cheapIDs, the default. A script that tests node ids sets it to
// the empty text.
const (
	nodeIDs  = "SCRIPT_NODE_IDS"
	cheapIDs = "cheap"
)

// TestMain lets the test binary also run as playctl, so that scripts run the real program
// in a separate process.
func TestMain(m *testing.M) {
	testscript.Main(watched{m}, map[string]func(){
		"playctl": func() {
			p := theProcess()
			if os.Getenv(nodeIDs) == cheapIDs {
				p.Derive = worldtest.CheapID
			}
			os.Exit(run(context.Background(), p))
		},
	})
}

// watched runs tests and then checks for leaked goroutines.
type watched struct{ m *testing.M }

func (w watched) Run() int {
	code := w.m.Run()
	if code != 0 {
		return code
	}
	left := leaks{}
	goleak.VerifyNone(&left)
	return left.code
}

// leaks turns leaked goroutines into an exit code.
type leaks struct{ code int }

func (l *leaks) Error(found ...any) {
	l.code = 1
	fmt.Fprintln(os.Stderr, found...)
}
