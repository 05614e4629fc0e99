package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/render"
)

// lineEditor is a terminal at which lines can be edited.
type lineEditor interface {
	tty
	io.ReadWriter
	// Edit reads one line with the editor. Ctrl-D on an empty line and the end of
	// ctx give io.EOF.
	Edit(ctx context.Context, editor *term.Terminal) (string, error)
	// Size is the terminal's, in columns and rows.
	Size() (width, height int, err error)
}

// Read and Write make the terminal a stream.
func (t *terminalFile) Read(into []byte) (int, error) { return t.in.Read(into) }

// Write implements io.Writer.
func (t *terminalFile) Write(text []byte) (int, error) { return t.out.Write(text) }

// Size implements lineEditor. It goes around File.Fd, as makeRaw does.
func (t *terminalFile) Size() (width, height int, err error) {
	conn, err := t.out.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { width, height, failed = term.GetSize(int(fd)) })
	return width, height, errors.Join(err, failed)
}

// Edit implements lineEditor. The terminal is raw only meanwhile: while a
// statement runs, Ctrl-C is a signal again.
func (t *terminalFile) Edit(ctx context.Context, editor *term.Terminal) (line string, err error) {
	restore, err := t.makeRaw()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, restore()) }()
	wake := context.AfterFunc(ctx, func() {
		// As in Ask.
		_ = t.in.SetReadDeadline(time.Unix(1, 0))
	})
	defer wake()
	line, err = editor.ReadLine()
	if ctx.Err() != nil || errors.Is(err, os.ErrClosed) {
		return "", io.EOF
	}
	return line, err //nolint:wrapcheck // io.EOF, or what the terminal says itself
}

// clearing is a terminal's input where Ctrl-C clears the line, as in a shell:
// the editor would take it as the end.
type clearing struct{ io.ReadWriter }

// Read implements io.Reader.
func (c clearing) Read(into []byte) (int, error) {
	// One key press is one read of few bytes, so there is room for one more.
	const ctrlC, end, ctrlU = 0x03, 0x05, 0x15
	if len(into) < 2 {
		return c.ReadWriter.Read(into) //nolint:wrapcheck // a stream passes errors on
	}
	n, err := c.ReadWriter.Read(into[:len(into)/2])
	var out []byte
	for _, b := range into[:n] {
		if b == ctrlC {
			out = append(out, end, ctrlU)
			continue
		}
		out = append(out, b)
	}
	return copy(into, out), err
}

// aqlPrompt is a person typing statements.
type aqlPrompt struct {
	session     *aqlSession
	interpreter *aql.Interpreter
	terminal    lineEditor
	editor      *term.Terminal
	history     *aqlHistory
}

// promptAQL reads statements from a person and carries out each at once.
func (a *app) promptAQL(ctx context.Context, flags *aqlFlags, variables map[string]string) (err error) {
	terminal, err := a.OpenTTY()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, terminal.Close()) }()
	editable, ok := terminal.(lineEditor)
	if !ok {
		return errNoTerminal
	}
	session := newAQLSession(a, flags)
	session.collects = false
	p := &aqlPrompt{
		session: session, terminal: editable, history: a.loadAQLHistory(),
		interpreter: aql.NewInterpreter(session, variables),
		editor:      term.NewTerminal(clearing{editable}, "aql> "),
	}
	defer p.interpreter.Close()
	p.editor.History = p.history
	p.editor.AutoCompleteCallback = p.complete
	a.note("AQL: one statement on a line. HELP lists them, Tab completes, EXIT or Ctrl-D leaves.")
	err = p.loop(ctx)
	if failed := p.history.save(); failed != nil {
		a.warn("the history is not kept: "+failed.Error(), "")
	}
	return err
}

// loop goes on until the person leaves. A statement that fails is told, and the
// next one may do better.
func (p *aqlPrompt) loop(ctx context.Context) error {
	for number := 1; ; number++ {
		if width, height, err := p.terminal.Size(); err == nil && width > 0 && height > 0 {
			// It fails where the screen cannot be painted anew; the next key does.
			_ = p.editor.SetSize(width, height)
		}
		line, err := p.terminal.Edit(ctx, p.editor)
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			_, _ = io.WriteString(p.terminal, "\r\n")
			return nil
		case err != nil:
			return err
		}
		if leaves(line) {
			return nil
		}
		if strings.EqualFold(strings.TrimSpace(line), "HELP") {
			p.help()
			continue
		}
		if err := p.carryOut(ctx, number, line); err != nil {
			if context.Cause(ctx) != nil {
				return context.Cause(ctx)
			}
			render.Failure(p.session.Stderr, p.session.errorLook(), err.Error(), p.session.hintFor(err))
		}
	}
}

// leaves reports whether a line ends the session.
func leaves(line string) bool {
	word := strings.TrimSpace(line)
	return strings.EqualFold(word, "EXIT") || strings.EqualFold(word, "QUIT")
}

func (p *aqlPrompt) carryOut(ctx context.Context, number int, line string) error {
	program, err := aql.ParseAt("prompt", number, line)
	if err != nil {
		return err
	}
	return p.interpreter.Run(ctx, program)
}

// help shows the statements.
func (p *aqlPrompt) help() {
	_, text, _ := strings.Cut(newAQLCommand(p.session.app).Long, "\n\n")
	text, _, _ = strings.Cut(text, "\n\nA mistake")
	_, _ = io.WriteString(p.session.Stderr, text+"\n")
}

// complete is called for each key press.
func (p *aqlPrompt) complete(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	if key != '\t' {
		return "", 0, false
	}
	known := aql.Known{Variables: p.interpreter.Variables(), Agents: p.session.completeAgents(), Contexts: p.session.contextNames()}
	start, words := aql.Complete(line[:pos], known)
	if len(words) == 0 {
		return line, pos, true
	}
	word := sharedPrefix(words)
	if len(words) > 1 && len(word) <= pos-start {
		_, _ = io.WriteString(p.editor, strings.Join(words, " ")+"\n")
		return line, pos, true
	}
	return line[:start] + word + line[pos:], start + len(word), true
}

// contextNames are the names of the contexts in the credentials file, none
// where it cannot be read.
func (s *aqlSession) contextNames() []string {
	store, err := s.credentialsStore()
	if err != nil {
		return nil
	}
	file, err := store.Load()
	if err != nil {
		return nil
	}
	return file.Names()
}

// sharedPrefix is what all words start with.
func sharedPrefix(words []string) string {
	prefix := words[0]
	for _, word := range words[1:] {
		n := 0
		for n < len(prefix) && n < len(word) && prefix[n] == word[n] {
			n++
		}
		prefix = strings.ToValidUTF8(prefix[:n], "")
	}
	return prefix
}
