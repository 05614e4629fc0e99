package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/tree"
)

// inProcess returns the program with a home folder and variables, inside this test.
func inProcess(home string, env map[string]string, args ...string) *command.Program {
	return &command.Program{
		Args: args, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		LookupEnv: func(name string) (string, bool) {
			value, ok := env[name]
			return value, ok
		},
		Home: home, Dir: home, Now: time.Now, Zone: time.UTC,
		OpenTTY: func() (command.TTY, error) { return nil, errors.New("there is none in a test") },
	}
}

// banner has the fields of a host's banner that these tests read.
type banner struct {
	URL         string `json:"url"`
	Listen      string `json:"listen"`
	Credentials string `json:"credentialsFile"`
}

// serveInProcess hosts a world inside this test until it ends, and returns its
// URL once it serves.
func serveInProcess(t *testing.T, home string, args ...string) string {
	t.Helper()
	return bannerInProcess(t, home, args...).URL
}

// bannerInProcess does the same and returns the banner of the host.
func bannerInProcess(t *testing.T, home string, args ...string) banner {
	t.Helper()
	return serveProgram(t, inProcess(home, nil, append([]string{"serve", "--listen", "127.0.0.1:0", "--output", "ndjson", "--log-level", "error"}, args...)...))
}

// serveProgram runs a program that serves until the test ends.
func serveProgram(t *testing.T, p *command.Program) banner {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	read, write := io.Pipe()
	var errs bytes.Buffer
	p.Stdout, p.Stderr = write, &errs
	var running sync.WaitGroup
	running.Go(func() {
		if code := run(ctx, p); code != command.ExitDone {
			t.Errorf("serve ended with %d: %s", code, errs.String())
		}
		_ = write.Close()
	})
	t.Cleanup(func() {
		cancel(command.ErrInterrupted)
		running.Wait()
	})
	line, err := bufio.NewReader(read).ReadBytes('\n')
	if err != nil {
		t.Fatalf("serve printed no banner: %v", err)
	}
	var shown banner
	if err := json.Unmarshal(line, &shown); err != nil {
		t.Fatal(err)
	}
	return shown
}

// closedPipe is a pipe that its reader has closed, with the system's error.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestClosedPipeIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"version", "-o", "json"}, {"completion", "bash"}, {"config", "show"}, {"--help"}} {
		var errs bytes.Buffer
		p := inProcess(t.TempDir(), nil, args...)
		p.Stdout, p.Stderr = closedPipe{}, &errs
		if code := run(t.Context(), p); code != command.ExitDone || errs.Len() > 0 {
			t.Errorf("%v ended with %d: %s", args, code, errs.String())
		}
	}
}

// fullDisk is a disk without free space, with the system's error.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

func TestFullDiskIsAFailure(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"--version"}, {}, {"--help"}, {"tail", "--help"}, {"help", "tail"}, {"help", "exit-codes"}} {
		var errs bytes.Buffer
		p := inProcess(t.TempDir(), nil, args...)
		p.Stdout, p.Stderr = fullDisk{}, &errs
		if code := run(t.Context(), p); code != command.ExitFailed || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%v ended with %d: %s", args, code, errs.String())
		}
	}
}

// For every setting, a flag overrides the environment, which overrides the file.
func TestPrecedenceOfEverySetting(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	keys := settingNames(inProcess(home, nil))
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
			// These change the output itself; config.txtar tests them.
			continue
		}
		env := map[string]string{"PLAYCTL_CONFIG": file}
		checkSetting(t, inProcess(home, env, "config", "show", key), values[0], "file "+file+":1")
		env[command.VariableOf(key)] = values[1]
		checkSetting(t, inProcess(home, env, "config", "show", key), values[1], "environment "+command.VariableOf(key))
		checkSetting(t, inProcess(home, env, "config", "show", key, "--"+key+"="+values[0]), values[0], "flag")
	}
}

// everySetting returns a program with the settings of all commands.
func everySetting(p *command.Program) *command.App {
	a := &command.App{Program: p}
	tree.New(a)
	return a
}

func settingNames(p *command.Program) (names []string) {
	command.EachSetting(everySetting(p).AllSettings(), func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// settingValues returns two valid values of a setting, in the form of the output.
func settingValues(key string) [2]string {
	flag := everySetting(inProcess("", nil)).AllSettings().Lookup(key)
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

func checkSetting(t *testing.T, p *command.Program, value, origin string) {
	t.Helper()
	var out, errs bytes.Buffer
	p.Args = append(p.Args, "-o", "json")
	p.Stdout, p.Stderr = &out, &errs
	if code := run(t.Context(), p); code != command.ExitDone {
		t.Errorf("%v ended with %d: %s", p.Args, code, errs.String())
		return
	}
	var result struct {
		Settings []struct{ Value, Origin string }
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil || len(result.Settings) != 1 {
		t.Fatalf("%v printed %s: %v", p.Args, out.String(), err)
	}
	if got := result.Settings[0]; got.Value != value || got.Origin != origin {
		t.Errorf("%v: %q from %q, want %q from %q", p.Args, got.Value, got.Origin, value, origin)
	}
}
