package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"regexp"
	"slices"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestExitCodes(t *testing.T) {
	t.Parallel()
	refusal := func(code protocol.Code) error { return fmt.Errorf("it failed: %w", protocol.Errorf(code, "no")) }
	closedPipe := &fs.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"nothing":                          {nil, 0},
		"a closed pipe":                    {fmt.Errorf("write: %w", closedPipe), 0},
		"anything":                         {errors.New("it broke"), 1},
		"a refusal":                        {refusal(protocol.CodeForbidden), 1},
		"an invalid flag":                  {Hintf(Usagef("wrong"), "right"), 2},
		"an invalid setting":               {BadSetting("PLAYCTL_X", errors.New("wrong")), 2},
		"no credentials":                   {fmt.Errorf("%w here", errNotAuthenticated), 3},
		"credentials missing":              {refusal(protocol.CodeCredentialsMissing), 3},
		"credentials refused":              {refusal(protocol.CodeCredentialsInvalid), 3},
		"an API key refused":               {refusal(protocol.CodeAPIKeyInvalid), 3},
		"no host":                          {&client.UnreachableError{Host: "h", Err: errors.New("refused")}, 4},
		"a timeout":                        {&client.UnreachableError{Host: "h", Err: context.DeadlineExceeded}, 4},
		"not verified":                     {fmt.Errorf("%w: root", ErrUnverified), 5},
		"Ctrl-C":                           {fmt.Errorf("waiting: %w", ErrInterrupted), 130},
		"Ctrl-C and another":               {errors.Join(ErrInterrupted, errors.New("left over")), 130},
		"a closed host":                    {&client.UnreachableError{Host: "h", Err: &net.OpError{Op: "write", Err: syscall.EPIPE}}, 4},
		"a closed store":                   {fmt.Errorf("reading the world: %w", &net.OpError{Op: "write", Err: syscall.EPIPE}), 1},
		"not verified, with a closed pipe": {errors.Join(closedPipe, ErrUnverified), 5},
	} {
		if got := ExitCode(test.err); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

// Every hint is for a code that exists.
func TestHintsAreForCodes(t *testing.T) {
	t.Parallel()
	known := map[protocol.Code]bool{}
	for _, code := range protocol.Codes() {
		known[code] = true
	}
	for code := range hints {
		if !known[code] {
			t.Errorf("there is a hint for %q, which is not a code", code)
		}
	}
}

// The first signal ends the run, the second one the process.
func TestSignals(t *testing.T) {
	t.Parallel()
	var delivered chan<- os.Signal
	exited := make(chan int, 1)
	stopped := false
	p := &Program{
		Signals:     func(c chan<- os.Signal, _ ...os.Signal) { delivered = c },
		StopSignals: func(chan<- os.Signal) { stopped = true },
		Exit:        func(code int) { exited <- code },
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	release := p.interruptible(cancel)
	delivered <- os.Interrupt
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), ErrInterrupted) {
		t.Errorf("the cause is %v", context.Cause(ctx))
	}
	select {
	case code := <-exited:
		t.Errorf("the first signal exited with %d", code)
	default:
	}
	delivered <- syscall.SIGTERM
	if code := <-exited; code != ExitInterrupted {
		t.Errorf("the second signal exited with %d", code)
	}
	release()
	if !stopped {
		t.Error("signals were not released")
	}
}

// The page for scripts lists exactly the codes that commands add to those of hosts.
func TestDocsListCodes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/scripting.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, known []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllSubmatch(page, -1) {
		documented = append(documented, string(row[1]))
	}
	for _, own := range codes {
		known = append(known, own.code)
	}
	slices.Sort(documented)
	slices.Sort(known)
	if known = slices.Compact(known); !slices.Equal(documented, known) {
		t.Errorf("docs/scripting.md lists %q, want %q", documented, known)
	}
}
