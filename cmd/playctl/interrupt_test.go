package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/pause"
)

// noHost is an address without a host.
const noHost = "http://127.0.0.1:1"

// A command that is interrupted while it waits for a host reports no error of the host.
func TestInterruptEndsWaitForHost(t *testing.T) {
	for _, c := range []struct {
		args string
		// after is the time of the wait before the interrupt.
		after time.Duration
	}{
		{"status --ready --wait 30s", 0},
		{"status --ready --wait 30s", 15 * time.Second}, // the command's retries follow those of each call
		{"tail", 0},
		{"record-interaction Ada Hello", 0},
		{"agent run Ada -- cat", 0},
	} {
		t.Run(c.args+" after "+c.after.String(), func(t *testing.T) {
			home := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				var errs bytes.Buffer
				p := inProcess(home, nil, append(strings.Fields("--server "+noHost), strings.Fields(c.args)...)...)
				p.Stderr = &errs
				ctx, cancel := context.WithCancelCause(t.Context())
				ended := make(chan int, 1)
				go func() { ended <- run(ctx, p) }()
				pause.For(ctx, c.after)
				synctest.Wait() // it waits for the next attempt
				cancel(command.ErrInterrupted)
				if code := <-ended; code != command.ExitInterrupted || errs.Len() > 0 {
					t.Errorf("exit code %d: %s", code, errs.String())
				}
			})
		})
	}
}

// A command that is interrupted while it reads standard input ends, although the read
// from a terminal does not.
func TestInterruptEndsReadOfStandardInput(t *testing.T) {
	for _, args := range []string{
		"intercom send Ada -", "record-interaction Ada -", "record-journey Ada -", "aql -", "context import -",
		"login --invite-file -", "replay -",
	} {
		t.Run(args, func(t *testing.T) {
			home := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				typed, keys := io.Pipe()
				var errs bytes.Buffer
				p := inProcess(home, nil, strings.Fields(args)...)
				p.Stdin, p.Stderr = typed, &errs
				ctx, cancel := context.WithCancelCause(t.Context())
				ended := make(chan int, 1)
				go func() { ended <- run(ctx, p) }()
				synctest.Wait() // it waits for input
				cancel(command.ErrInterrupted)
				synctest.Wait()
				select {
				case code := <-ended:
					if code != command.ExitInterrupted || errs.Len() > 0 {
						t.Errorf("exit code %d: %s", code, errs.String())
					}
				default:
					t.Error("the command continues")
				}
				if err := keys.Close(); err != nil { // in a process, its end also ends the read
					t.Error(err)
				}
				synctest.Wait()
			})
		})
	}
}
