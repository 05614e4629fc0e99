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
	folder, err := s.run().folder(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("create the folder of the host: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	// The host's banner arrives through this pipe.
	said, out, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start a host: %w", err)
	}
	defer func() { _ = said.Close() }()
	// Its errors are in the log, except those from before it has the folder: the log may be
	// that of another host.
	early, refused, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("start a host: %w", err), out.Close())
	}
	defer func() { _ = early.Close() }()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, append(append([]string{}, a.Args...), //nolint:gosec // this program with its own arguments
		"--"+inBackground, "--output", "ndjson", "--jq", "", "--template", "", "--no-input")...)
	cmd.Args[0] = a.Name
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.Dir, out, refused
	command.Detach(cmd)
	started := cmd.Start()
	if err := errors.Join(started, out.Close(), refused.Close()); err != nil {
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
		return didNotStart(ctx, cmd, early, filepath.Join(folder, logFile))
	}
	result := detachedResult{PID: cmd.Process.Pid, PIDFile: filepath.Join(folder, pidFile), LogFile: filepath.Join(folder, logFile)}
	if err := json.Unmarshal(banner, &result.bannerResult); err != nil {
		return fmt.Errorf("read the status of the host: %w", err)
	}
	warnAgain(a, result.Listen, s)
	own := s.run().again(a)
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
// message with its exit code: the one that it wrote before it had the log, else the end of
// the log.
func didNotStart(ctx context.Context, cmd *exec.Cmd, early io.Reader, path string) error {
	text, err := io.ReadAll(io.LimitReader(early, maxMessage))
	if err := errors.Join(err, cmd.Wait()); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err == nil {
		return command.Hintf(errors.New("the host ended before it served"), "see %s", path)
	}
	if len(text) == 0 {
		if text, err = endOf(path); err != nil {
			return err
		}
	}
	var failed struct {
		Error, Hint string
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if json.Unmarshal([]byte(lines[len(lines)-1]), &failed) != nil || failed.Error == "" {
		failed.Error, failed.Hint = "the host did not start", "see "+path
	}
	code := cmd.ProcessState.ExitCode()
	if code < 0 { // A signal ended it, such as one from a system without free memory.
		code = command.ExitFailed
	}
	return command.Failed(code, failed.Error, failed.Hint)
}

// maxMessage is more than a host writes about its failure, in bytes.
const maxMessage = 64 << 10

// endOf returns the last bytes of a log.
func endOf(path string) (text []byte, err error) {
	file, err := openRunFile(path, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	text, err = io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-maxMessage), maxMessage))
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return text, nil
}

// run returns the flags for the folder of a host in the background.
func (s *serveSettings) run() *runFlags { return &runFlags{s.store.DataDir, s.runDir} }

// keepRun does the additional work of a host in the background: it claims its folder and
// logs to a file there.
func keepRun(a *command.App, s *serveSettings) (end func() error, err error) {
	folder, err := s.run().folder(a)
	if err != nil {
		return nil, err
	}
	end, err = claim(folder)
	if errors.Is(err, errClaimed) {
		other := dataDirFlag
		if s.store.OnServer(a.Sources) {
			other = runDirFlag
		}
		return nil, command.Hintf(err, "\"playctl stop%s\" stops it; to run another one, set a different --%s", s.run().again(a), other)
	}
	if err != nil {
		return nil, err
	}
	log, err := openLog(filepath.Join(folder, logFile), logBound)
	if err == nil {
		err = takeStderr(log.file)
	}
	if err != nil {
		return nil, errors.Join(err, end())
	}
	a.Stderr = log // it stays open for messages after the end of the run
	return end, nil
}
