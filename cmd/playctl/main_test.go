package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain makes the test binary double as playctl, so that scripts run the real
// program as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(watched{m}, map[string]func(){
		"playctl": func() { os.Exit(run(context.Background(), theProcess())) },
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
