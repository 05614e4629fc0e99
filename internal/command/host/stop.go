package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/render"
)

// stoppedResult is what "playctl stop" prints.
type stoppedResult struct {
	PID    int    `json:"pid"`     // the process id that the host had
	Folder string `json:"dataDir"` // the folder of its log and its process id
}

// folderUsage is the help of --data-dir of a command for a running host.
const folderUsage = "the `folder` of the host's store, as for \"playctl serve\""

func newStopCommand(a *command.App) *cobra.Command {
	var run runFlags
	cmd := &cobra.Command{
		Use:     "stop",
		GroupID: command.GroupHost,
		Short:   "Stop a host that runs in the background",
		Long: `Gracefully shut down the host that "playctl serve --detach" started, and wait for --timeout at most
until it has stopped. If it takes longer, the exit code is 1; a second "playctl stop" ends it at
once.`,
		Example: command.Example("playctl stop", "playctl stop --data-dir world", "playctl stop --run-dir second"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			folder, err := run.folder(a)
			if err != nil {
				return err
			}
			ctx, cancel := a.Limited(cmd.Context())
			defer cancel()
			pid, err := runningIn(ctx, folder)
			if err != nil {
				return err
			}
			if err := a.Waiting("Stopping the host", func() error { return end(ctx, folder, pid) }); err != nil {
				return err
			}
			return a.PrintSentence(stoppedResult{PID: pid, Folder: folder}, "The host has stopped (process %d).", pid)
		},
	}
	run.register(cmd.Flags(), a)
	return cmd
}

// end signals a host to end, and waits until it has ended.
func end(ctx context.Context, folder string, pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("find the host: %w", err)
	}
	if path := filepath.Join(folder, pidFile); !hasOpen(pid, path) {
		return command.Hintf(fmt.Errorf("process %d, which %s names, is not the host: it does not have the file open, so it was not stopped", pid, path),
			"find out which program holds a lock of that file")
	}
	if err := process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("end the host (process %d): %w", pid, err)
	}
	for {
		now, err := runningIn(ctx, folder)
		if errors.Is(err, errNoHost) || err == nil && now != pid {
			return nil
		}
		if err == nil && pause.For(ctx, stopStep) {
			continue
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return command.Hintf(fmt.Errorf("the host (process %d) has not stopped yet: %w", pid, ctx.Err()), "a second \"playctl stop\" ends it at once")
		}
		return errors.Join(err, context.Cause(ctx))
	}
}

// These are the intervals of checks for the end of a host, and for new lines of a log.
const (
	stopStep = 20 * time.Millisecond
	logStep  = 200 * time.Millisecond
)

// logsResult is what "playctl logs" prints.
type logsResult struct {
	LogFile string   `json:"logFile"` // the file of the log
	Lines   []string `json:"lines"`   // its last lines
}

// logLine is one line of the log in NDJSON.
type logLine struct {
	Line string `json:"line"` // one line of the log
}

func newLogsCommand(a *command.App) *cobra.Command {
	var run runFlags
	var lines int
	var follow bool
	cmd := &cobra.Command{
		Use:     "logs",
		GroupID: command.GroupHost,
		Short:   "Show the log of a host that runs in the background",
		Long: `Show the end of the log of the host that "playctl serve --detach" started, even after it has
stopped. With --follow it prints new lines as they are written, until Ctrl-C or until the host
stops. The log is ` + logFile + ` in the folder of --run-dir or else of the store, up to 8 MiB; earlier
lines are beside it, in ` + logFile + olderLog + `.`,
		Example: command.Example("playctl logs", "playctl logs --lines 20", "playctl logs --follow"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case lines < 0:
				return command.Usagef("--lines cannot be negative")
			case follow && a.Printer.Format != render.FormatTable && a.Printer.Format != render.FormatNDJSON:
				return command.Usagef("--follow has no end: use --output ndjson")
			}
			folder, err := run.folder(a)
			if err != nil {
				return err
			}
			return showLog(cmd.Context(), a, folder, lines, follow)
		},
	}
	run.register(cmd.Flags(), a)
	cmd.Flags().IntVarP(&lines, "lines", "n", 100, "how many lines from the end")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "print new lines as they are written")
	return cmd
}

func showLog(ctx context.Context, a *command.App, folder string, lines int, follow bool) (err error) {
	path := filepath.Join(folder, logFile)
	file, err := openRunFile(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return command.Hintf(fmt.Errorf("there is no log in %s", folder), "a host that \"playctl serve --detach\" starts writes one; others log to standard error")
	}
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, err := io.ReadAll(io.LimitReader(file, 2*logBound))
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	read := int64(len(text))
	all, rest := wholeLines(text)
	result := logsResult{LogFile: path, Lines: all[max(0, len(all)-lines):]}
	if err := a.Printer.Print(result.document()); err != nil || !follow {
		return err
	}
	ctx, stop := a.WhileRead(ctx)
	defer stop()
	for running := true; running; {
		// Lines from before the end of the host are read after it.
		if _, err := runningIn(ctx, folder); errors.Is(err, errNoHost) {
			running = false
		}
		info, err := file.Stat()
		if err != nil {
			return fmt.Errorf("follow the log: %w", err)
		}
		if info.Size() < read {
			read, rest = 0, nil // the log was restarted
		}
		text, err := io.ReadAll(io.NewSectionReader(file, read, 2*logBound))
		if err != nil {
			return fmt.Errorf("follow the log: %w", err)
		}
		read += int64(len(text))
		var next []string
		next, rest = wholeLines(append(rest, text...))
		if len(next) > 0 {
			if err := a.Printer.Print((&logsResult{LogFile: path, Lines: next}).document()); err != nil {
				return err
			}
			continue
		}
		if running && !pause.For(ctx, logStep) {
			return context.Cause(ctx)
		}
	}
	return nil
}

// wholeLines splits a text into its complete lines and the rest.
func wholeLines(text []byte) (lines []string, rest []byte) {
	end := bytes.LastIndexByte(text, '\n') + 1
	if end > 0 {
		lines = strings.Split(string(text[:end-1]), "\n")
	}
	return lines, bytes.Clone(text[end:])
}

func (r *logsResult) document() render.Document {
	doc := render.Document{Data: r, Items: []any{}}
	if r.Lines == nil {
		r.Lines = []string{}
	}
	for _, line := range r.Lines {
		doc.Items = append(doc.Items, logLine{line})
		doc.Views = append(doc.Views, render.Text(render.Clean(line)+"\n"))
	}
	return doc
}
