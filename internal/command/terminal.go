package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/playctl/playctl/internal/render"
)

// LineEditor is a terminal with line editing.
type LineEditor interface {
	TTY
	io.ReadWriter
	// Edit reads one line with the editor. It returns io.EOF for Ctrl-D on an empty line and
	// for the end of ctx.
	Edit(ctx context.Context, editor *term.Terminal) (string, error)
	// Size returns the size of the terminal, in columns and rows.
	Size() (width, height int, err error)
}

// KeyTerminal is a terminal from which single keys can be read.
type KeyTerminal interface {
	TTY
	io.Reader
	// Raw stops the terminal from showing and interpreting typed keys; restore undoes it.
	Raw() (restore func() error, err error)
	// Wake ends a read that is in progress, if the system supports it.
	Wake() error
}

// terminalFile is the controlling terminal, with separate files for reading and writing
// on systems that have two names for it.
type terminalFile struct {
	in, out *os.File
}

// Read implements io.Reader.
func (t *terminalFile) Read(into []byte) (int, error) { return t.in.Read(into) }

// Write implements io.Writer.
func (t *terminalFile) Write(text []byte) (int, error) { return t.out.Write(text) }

// Wake implements KeyTerminal.
func (t *terminalFile) Wake() error { return t.in.SetReadDeadline(time.Unix(1, 0)) }

// Size implements LineEditor. It does not use File.Fd, as Raw does not.
func (t *terminalFile) Size() (width, height int, err error) {
	conn, err := t.out.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { width, height, failed = term.GetSize(int(fd)) })
	return width, height, errors.Join(err, failed)
}

// Edit implements LineEditor. The terminal is raw only during the edit: while a statement
// runs, Ctrl-C is a signal again.
func (t *terminalFile) Edit(ctx context.Context, editor *term.Terminal) (line string, err error) {
	restore, err := t.Raw()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, restore()) }()
	wake := context.AfterFunc(ctx, func() {
		_ = t.Wake() // as in Ask
	})
	defer wake()
	line, err = editor.ReadLine()
	if ctx.Err() != nil || errors.Is(err, os.ErrClosed) {
		return "", io.EOF
	}
	return line, err //nolint:wrapcheck // io.EOF, or the error of the terminal itself
}

// TTY is the controlling terminal, independent of the standard streams.
type TTY interface {
	// Ask shows a question and reads one line, without echo if hidden. It returns
	// ErrInterrupted for Ctrl-C, Ctrl-D and the end of ctx.
	Ask(ctx context.Context, question string, hidden bool) (string, error)
	Close() error
}

// OpenTTY opens the controlling terminal.
func OpenTTY() (TTY, error) {
	if runtime.GOOS != "windows" {
		file, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return nil, fmt.Errorf("open the terminal: %w", err)
		}
		return &terminalFile{in: file, out: file}, nil
	}
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open the terminal: %w", err)
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the terminal: %w", err), in.Close())
	}
	return &terminalFile{in: in, out: out}, nil
}

// Ask implements TTY. The terminal is raw during the question, so that Ctrl-C arrives as
// a character and the terminal is always restored.
func (t *terminalFile) Ask(ctx context.Context, question string, hidden bool) (answer string, err error) {
	restore, err := t.Raw()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, restore()) }()
	wake := context.AfterFunc(ctx, func() {
		// If the system cannot interrupt a read, the next key press ends it.
		_ = t.Wake()
	})
	defer wake()

	width, _, err := t.Size()
	if err != nil {
		width = 0 // the question needs no width
	}
	// The editor redraws only the last line of the question.
	above, prompt := lastLine(render.Wrap(render.Shielded(question), 0, width) + " ")
	if _, err := io.WriteString(t.out, strings.ReplaceAll(above, "\n", "\r\n")); err != nil {
		return "", fmt.Errorf("write to the terminal: %w", err)
	}
	line := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{t.in, t.out}, prompt)
	if hidden {
		answer, err = line.ReadPassword(prompt)
	} else {
		answer, err = line.ReadLine()
	}
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, io.EOF), ctx.Err() != nil:
		_, _ = io.WriteString(t.out, "\r\n")
		return "", ErrInterrupted
	}
	return "", fmt.Errorf("read from the terminal: %w", err)
}

// lastLine splits a text at the beginning of its last line.
func lastLine(text string) (before, last string) {
	at := strings.LastIndexByte(text, '\n') + 1
	return text[:at], text[at:]
}

// Raw implements KeyTerminal. It does not use File.Fd, which would make the file's reads
// uninterruptible.
func (t *terminalFile) Raw() (restore func() error, err error) {
	conn, err := t.in.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("set up the terminal: %w", err)
	}
	var state *term.State
	var failed error
	err = conn.Control(func(fd uintptr) { state, failed = term.MakeRaw(int(fd)) })
	if err := errors.Join(err, failed); err != nil {
		return nil, fmt.Errorf("set up the terminal: %w", err)
	}
	return func() error {
		var failed error
		err := conn.Control(func(fd uintptr) { failed = term.Restore(int(fd), state) })
		return errors.Join(err, failed)
	}, nil
}

// Close implements TTY.
func (t *terminalFile) Close() error {
	if t.in == t.out {
		return t.in.Close()
	}
	return errors.Join(t.in.Close(), t.out.Close())
}

// ErrNoTerminal means that a question could not be asked.
var ErrNoTerminal = errors.New("there is no terminal for a prompt")

// MayAsk reports whether questions can be asked: one of the standard streams is a
// terminal and no setting forbids questions.
func (a *App) MayAsk() bool {
	return !a.Settings.noInput && (IsTerminal(a.Stdin) || IsTerminal(a.Stderr))
}

// EndInterruptedLine ends the line in which a terminal shows ^C, if Ctrl-C ended ctx.
func (a *App) EndInterruptedLine(ctx context.Context) {
	if cause := context.Cause(ctx); errors.Is(cause, ErrInterrupted) && !errors.Is(cause, ErrTerminated) && IsTerminal(a.Stderr) {
		_, _ = io.WriteString(a.Stderr, "\n") // a terminal that is gone needs none
	}
}

// CheckScreen returns an error if standard output is not a terminal that can be drawn on;
// instead is what to do then.
func (a *App) CheckScreen(instead string) error {
	switch {
	case !IsTerminal(a.Stdout):
		return Hintf(Usagef("this needs a terminal as standard output"), "in a pipe, %s", instead)
	case a.Env("TERM") == "dumb":
		return Hintf(Usagef("this draws on the terminal, but TERM is \"dumb\", which is a terminal that only shows lines"),
			"set TERM to the name of your terminal, such as xterm-256color, or %s", instead)
	}
	return nil
}

// Ask asks one question at the terminal, or fails with ErrNoTerminal.
func (a *App) Ask(ctx context.Context, question string, hidden bool) (answer string, err error) {
	if !a.MayAsk() {
		return "", ErrNoTerminal
	}
	terminal, err := a.OpenTTY()
	if err != nil {
		return "", errors.Join(ErrNoTerminal, err)
	}
	defer func() { err = errors.Join(err, terminal.Close()) }()
	return terminal.Ask(ctx, question, hidden)
}
