package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// inProcess is the program with a home folder and variables, inside this test.
func inProcess(home string, env map[string]string, args ...string) *program {
	return &program{
		Args: args, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		LookupEnv: func(name string) (string, bool) {
			value, ok := env[name]
			return value, ok
		},
		Home: home, Dir: home, Now: time.Now, Zone: time.UTC,
		OpenTTY: func() (tty, error) { return nil, errors.New("there is none in a test") },
	}
}

// serveInProcess hosts a world inside this test until it ends, and returns its
// URL once it serves.
func serveInProcess(t *testing.T, home string, args ...string) string {
	t.Helper()
	return bannerInProcess(t, home, args...).URL
}

// bannerInProcess does the same and returns all that the host says of itself.
func bannerInProcess(t *testing.T, home string, args ...string) bannerResult {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	read, write := io.Pipe()
	p := inProcess(home, nil, append([]string{"serve", "--listen", "127.0.0.1:0", "--output", "ndjson", "--log-level", "error"}, args...)...)
	var errs bytes.Buffer
	p.Stdout, p.Stderr = write, &errs
	var running sync.WaitGroup
	running.Go(func() {
		if code := run(ctx, p); code != exitDone {
			t.Errorf("serve ended with %d: %s", code, errs.String())
		}
		_ = write.Close()
	})
	t.Cleanup(func() {
		cancel(errInterrupted)
		running.Wait()
	})
	line, err := bufio.NewReader(read).ReadBytes('\n')
	if err != nil {
		t.Fatalf("serve said nothing: %v", err)
	}
	var banner bannerResult
	if err := json.Unmarshal(line, &banner); err != nil {
		t.Fatal(err)
	}
	return banner
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	refusal := func(code protocol.Code) error { return fmt.Errorf("it failed: %w", protocol.Errorf(code, "no")) }
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"nothing":               {nil, 0},
		"a reader that left":    {fmt.Errorf("write: %w", syscall.EPIPE), 0},
		"anything":              {errors.New("it broke"), 1},
		"a refusal":             {refusal(protocol.CodeForbidden), 1},
		"a wrong flag":          {hintf(usagef("wrong"), "right"), 2},
		"a wrong setting":       {&settingError{"PLAYCTL_X", errors.New("wrong")}, 2},
		"no credentials":        {fmt.Errorf("%w here", errNotAuthenticated), 3},
		"credentials missing":   {refusal(protocol.CodeCredentialsMissing), 3},
		"credentials refused":   {refusal(protocol.CodeCredentialsInvalid), 3},
		"an API key refused":    {refusal(protocol.CodeAPIKeyInvalid), 3},
		"nobody there":          {&client.UnreachableError{Host: "h", Err: errors.New("refused")}, 4},
		"no answer in time":     {&client.UnreachableError{Host: "h", Err: context.DeadlineExceeded}, 4},
		"not what it should":    {fmt.Errorf("%w: root", errUnverified), 5},
		"Ctrl-C":                {fmt.Errorf("waiting: %w", errInterrupted), 130},
		"Ctrl-C among others":   {errors.Join(errInterrupted, errors.New("left over")), 130},
		"a refusal, then EPIPE": {errors.Join(syscall.EPIPE), 0},
	} {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

// Every hint belongs to a code that exists.
func TestHintsAreForCodes(t *testing.T) {
	t.Parallel()
	known := map[protocol.Code]bool{}
	for _, code := range protocol.Codes() {
		known[code] = true
	}
	for code := range hints {
		if !known[code] {
			t.Errorf("there is a hint for %q, which is no code", code)
		}
	}
}

// closedPipe is a reader that left, as the system tells it.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestAReaderThatLeftIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"version", "-o", "json"}, {"completion", "bash"}, {"config", "show"}} {
		var errs bytes.Buffer
		p := inProcess(t.TempDir(), nil, args...)
		p.Stdout, p.Stderr = closedPipe{}, &errs
		if code := run(t.Context(), p); code != exitDone || errs.Len() > 0 {
			t.Errorf("%v ended with %d: %s", args, code, errs.String())
		}
	}
}

// The first signal ends what runs, the second one the process.
func TestSignals(t *testing.T) {
	t.Parallel()
	var delivered chan<- os.Signal
	exited := make(chan int, 1)
	stopped := false
	p := &program{
		Signals:     func(c chan<- os.Signal, _ ...os.Signal) { delivered = c },
		StopSignals: func(chan<- os.Signal) { stopped = true },
		Exit:        func(code int) { exited <- code },
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	release := p.interruptible(cancel)
	delivered <- os.Interrupt
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), errInterrupted) {
		t.Errorf("the cause is %v", context.Cause(ctx))
	}
	select {
	case code := <-exited:
		t.Errorf("the first signal exited with %d", code)
	default:
	}
	delivered <- syscall.SIGTERM
	if code := <-exited; code != exitInterrupted {
		t.Errorf("the second signal exited with %d", code)
	}
	release()
	if !stopped {
		t.Error("signals were not given back")
	}
}

// A flag wins over the environment, that over the file: for every setting.
func TestEverySettingHasFourPlaces(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	keys := (&app{program: inProcess(home, nil)}).configKeys()
	if len(keys) < 30 {
		t.Fatalf("there are only %d settings", len(keys))
	}
	for _, key := range keys {
		values := settingValues(key)
		file := home + "/" + key + ".yaml"
		if err := os.WriteFile(file, []byte(key+": "+values[0]+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if key == "output" || key == "color" || key == "quiet" {
			// These change what is printed; config.txtar shows them.
			continue
		}
		env := map[string]string{"PLAYCTL_CONFIG": file}
		shows(t, inProcess(home, env, "config", "show", key), values[0], "file "+file+":1")
		env[variableOf(key)] = values[1]
		shows(t, inProcess(home, env, "config", "show", key), values[1], "environment "+variableOf(key))
		shows(t, inProcess(home, env, "config", "show", key, "--"+key+"="+values[0]), values[0], "flag")
	}
}

// settingValues are two values that a setting can have, as they are shown.
func settingValues(key string) [2]string {
	flag := (&app{program: anywhere()}).allSettings().Lookup(key)
	switch flag.Value.Type() {
	case "bool":
		return [2]string{"true", "false"}
	case "duration":
		return [2]string{"1m0s", "2h0m0s"}
	case "int":
		return [2]string{"7", "8"}
	}
	return [2]string{"one", "two"}
}

func shows(t *testing.T, p *program, value, origin string) {
	t.Helper()
	var out, errs bytes.Buffer
	p.Args = append(p.Args, "-o", "json")
	p.Stdout, p.Stderr = &out, &errs
	if code := run(t.Context(), p); code != exitDone {
		t.Errorf("%v ended with %d: %s", p.Args, code, errs.String())
		return
	}
	var result configResult
	if err := json.Unmarshal(out.Bytes(), &result); err != nil || len(result.Settings) != 1 {
		t.Fatalf("%v printed %s: %v", p.Args, out.String(), err)
	}
	if got := result.Settings[0]; got.Value != value || got.Origin != origin {
		t.Errorf("%v: %q from %q, want %q from %q", p.Args, got.Value, got.Origin, value, origin)
	}
}
