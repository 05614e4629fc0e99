package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// quickExit is GORACE for the programs that scripts run. A program under the race
// detector otherwise sleeps for a second before it exits, so that other threads can
// finish their reports; a script runs dozens of programs.
const quickExit = "atexit_sleep_ms=20"

// TestScripts runs the commands of users through the real program. Each file in
// testdata/script of a folder of commands is one scenario.
func TestScripts(t *testing.T) {
	t.Parallel()
	const commands = "../../internal/command/"
	var scripts []string
	for _, pattern := range []string{"testdata/script/*.txtar", "*/testdata/script/*.txtar"} {
		found, err := filepath.Glob(commands + pattern)
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, found...)
	}
	testscript.Run(t, testscript.Params{
		Files:               scripts,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// testscript removes the folder of all scripts only after all of them have ended, so
			// not if -run selected some. It is empty by now.
			t.Cleanup(func() { _ = os.Remove(filepath.Dir(env.WorkDir)) })
			return cleanHome(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run":         runProgram,
			"host":        startHost,
			"halt":        stopHost,
			"redis":       runRedis,
			"published":   published,
			"certificate": makeCertificate,
			"freeport":    freePort,
			"stranger":    startStranger,
			"older":       startOlder,
			"snapshot":    serveSnapshot,
			"exits":       exits,
			"mode":        mode,
			"keep":        keep,
			"like":        like,
			"await":       await,
			"envfile":     envFile,
			"onmap":       onMap,
		},
	})
}

// cleanHome gives a script an empty home folder, without the variables of this process
// that playctl reads.
func cleanHome(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("XDG_CONFIG_HOME", "")
	env.Setenv("XDG_STATE_HOME", "")
	env.Setenv("GORACE", quickExit)
	// A script with a separate home folder uses the existing build cache of Go.
	if cache, err := os.UserCacheDir(); err == nil {
		env.Setenv("GOCACHE", cmp.Or(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build")))
	}
	env.Setenv(nodeIDs, cheapIDs)
	t, ok := env.T().(testing.TB)
	if !ok {
		return errors.New("a script's T is no testing.TB any more")
	}
	env.Values[serversKey{}] = &servers{t: t}
	env.Defer(func() { stopDetached(t, env) })
	return nil
}

// stopDetached ends hosts in the background that a failed script has not stopped.
func stopDetached(t testing.TB, env *testscript.Env) {
	var left []string
	err := filepath.WalkDir(env.WorkDir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "host.pid" {
			left = append(left, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // A host that ends removes it.
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, file := range left {
		cmd := exec.CommandContext(context.Background(), "playctl", "stop", "--data-dir", filepath.Dir(file), "--timeout", patience)
		cmd.Env = env.Vars
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("a host that the script left in the background could not be stopped: %v\n%s", err, out)
		}
	}
}

// mode checks the permissions of a file.
//
//	mode 0600 phrase.txt
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode <octal> <file>")
	}
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := info.Mode().Perm(); got != os.FileMode(want) {
		ts.Fatalf("the mode of %s is %04o, want %s", args[1], got, args[0])
	}
}

// keep sets a variable to a field of the JSON on standard output.
//
//	keep NODE nodeId
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep <variable> <field>")
	}
	var fields map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &fields))
	value, ok := fields[args[1]].(string)
	if !ok {
		ts.Fatalf("there is no text in the field %s of %s", args[1], ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], value)
}

// await waits with "playctl tail" until the world has had a number of events of a kind.
//
//	await world:player_added 2
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await <kind> <how many>")
	}
	wanted, err := strconv.Atoi(args[1])
	ts.Check(err)
	cmd := exec.CommandContext(context.Background(), lookPath(ts, "playctl"), "tail", "--from-start", "--output", "ndjson")
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environment(ts)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewScanner(out)
	for wanted > 0 && lines.Scan() {
		if strings.Contains(lines.Text(), `"event":"`+args[0]+`"`) {
			wanted--
		}
	}
	ts.Check(cmd.Process.Kill())
	// It was killed, so its exit status means nothing.
	_ = cmd.Wait()
	if wanted > 0 {
		ts.Fatalf("the stream ended before there were %s of %s", args[1], args[0])
	}
}

// envFile sets a variable to the first line of a file, as a script does with a secret.
//
//	envfile PLAYCTL_PHRASE phrase.txt
func envFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: envfile <variable> <file>")
	}
	line, _, _ := strings.Cut(ts.ReadFile(args[1]), "\n")
	ts.Setenv(args[0], line)
}

// like compares standard output line by line with a file of regular expressions, each of
// which must match a whole line.
//
//	like events.txt
func like(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: like <file of regular expressions>")
	}
	got := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	want := strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			ts.Fatalf("line %d is missing: %s", i+1, want[i])
		case i >= len(want):
			ts.Fatalf("unexpected line %d: %s", i+1, got[i])
		case !regexp.MustCompile("^(?:" + want[i] + ")$").MatchString(got[i]):
			ts.Fatalf("line %d is %q, which is not like %s", i+1, got[i], want[i])
		}
	}
}
