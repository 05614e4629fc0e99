package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

// inBackground is the hidden flag of the process that --detach starts.
const inBackground = "in-background"

// detachedResult is what "playctl serve --detach" prints.
type detachedResult struct {
	bannerResult
	PID     int    `json:"pid"`     // the process id of the host
	PIDFile string `json:"pidFile"` // the file that has it
	LogFile string `json:"logFile"` // the file of its log
}

// detach starts a host in the background and waits until it serves.
func detach(ctx context.Context, a *command.App, s *serveSettings) (err error) {
	if runtime.GOOS == "windows" {
		return command.Usagef("--detach is not supported on Windows")
	}
	folder, err := runFolder(a, s.store.DataDir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("create the folder of the store: %w", err)
	}
	log, err := openLog(filepath.Join(folder, logFile), logBound)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	// The host's banner arrives through this pipe; its errors are in the log.
	said, out, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start a host: %w", err)
	}
	defer func() { _ = said.Close() }()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, append(append([]string{}, a.Args...), //nolint:gosec // this program with its own arguments
		"--"+inBackground, "--output", "ndjson", "--jq", "", "--template", "", "--no-input")...)
	cmd.Args[0] = a.Name
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.Dir, out, log.file
	command.Detach(cmd)
	started := cmd.Start()
	if err := errors.Join(started, out.Close()); err != nil {
		return fmt.Errorf("start a host: %w", err)
	}
	var banner []byte
	ended := false
	err = a.Waiting("Starting the host", func() error {
		// If this command ends before the host serves, the host ends too.
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
		defer func() { ended = !stop() }()
		banner, err = bufio.NewReader(io.LimitReader(said, 1<<20)).ReadBytes('\n')
		return err //nolint:wrapcheck // didNotStart says why
	})
	// A host that got no signal to end is serving, even if ctx has ended just now.
	if err != nil || ended {
		return didNotStart(ctx, cmd, log)
	}
	result := detachedResult{PID: cmd.Process.Pid, PIDFile: filepath.Join(folder, pidFile), LogFile: log.file.Name()}
	if err := json.Unmarshal(banner, &result.bannerResult); err != nil {
		return fmt.Errorf("read the status of the host: %w", err)
	}
	warnAgain(a, result.Listen, s)
	own := ""
	if a.Sources.ByFlag("data-dir") {
		own = " --data-dir " + command.ShellWord(s.store.DataDir)
	}
	result.Next = append(result.Next, invocation(a)+" logs --follow"+own, invocation(a)+" stop"+own)
	return errors.Join(cmd.Process.Release(), a.Printer.Print(result.document(a.Printer.Look)))
}

// warnAgain prints the warnings of a host that listens at an address: they are also in
// its log, which nobody reads at first.
func warnAgain(a *command.App, listen string, s *serveSettings) {
	if addr, err := netip.ParseAddrPort(listen); err == nil {
		warnOfSettings(a, net.TCPAddrFromAddrPort(addr), s)
	}
}

func (r *detachedResult) document(look render.Look) render.Document {
	return render.Document{Data: r, Views: r.views(look, "Next:",
		render.Field{Name: "  process", Value: strconv.Itoa(r.PID)}, render.Field{Name: "  log", Value: r.LogFile})}
}

// didNotStart waits for the end of a host that does not serve, and returns its last
// message with its exit code.
func didNotStart(ctx context.Context, cmd *exec.Cmd, log *boundedLog) error {
	if err := cmd.Wait(); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err == nil {
		return command.Hintf(errors.New("the host ended before it served"), "see %s", log.file.Name())
	}
	var failed struct {
		Error, Hint string
	}
	text, err := io.ReadAll(io.NewSectionReader(log.file, log.size, logBound))
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if json.Unmarshal([]byte(lines[len(lines)-1]), &failed) != nil || failed.Error == "" {
		failed.Error, failed.Hint = "the host did not start", "see "+log.file.Name()
	}
	code := cmd.ProcessState.ExitCode()
	if code < 0 { // A signal ended it, such as one from a system without free memory.
		code = command.ExitFailed
	}
	return command.Failed(code, failed.Error, failed.Hint)
}

// keepRun does the additional work of a host in the background: it claims its folder and
// logs to a file there.
func keepRun(a *command.App, s *serveSettings) (end func() error, err error) {
	folder, err := runFolder(a, s.store.DataDir)
	if err != nil {
		return nil, err
	}
	end, err = claim(folder)
	if err != nil {
		return nil, err
	}
	log, err := openLog(filepath.Join(folder, logFile), logBound)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	a.Stderr = log // it stays open for messages after the end of the run
	return end, nil
}
