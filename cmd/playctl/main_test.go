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

// nodeIDs is the environment variable that says how the playctl of scripts derives
// node ids: not at all where it is cheapIDs, which is the default. A script whose
// subject they are sets it to the empty text.
const (
	nodeIDs  = "SCRIPT_NODE_IDS"
	cheapIDs = "cheap"
)

// TestMain makes the test binary double as playctl, so that scripts run the real
// program as a process of its own.
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

// watched runs tests and then looks for goroutines that they left behind.
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

// leaks turns goroutines that are left over into an exit code.
type leaks struct{ code int }

func (l *leaks) Error(found ...any) {
	l.code = 1
	fmt.Fprintln(os.Stderr, found...)
}
