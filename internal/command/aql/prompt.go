package aql

import (
	"context"
	"errors"
	"io"
	"strings"

	"golang.org/x/term"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

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
	terminal    command.LineEditor
	editor      *term.Terminal
	history     *aqlHistory
}

// promptAQL reads statements from a person and carries out each at once.
func promptAQL(a *command.App, ctx context.Context, flags *aqlFlags, variables map[string]string) (err error) {
	terminal, err := a.OpenTTY()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, terminal.Close()) }()
	editable, ok := terminal.(command.LineEditor)
	if !ok {
		return command.ErrNoTerminal
	}
	session := newAQLSession(a, flags)
	session.collects = false
	p := &aqlPrompt{
		session: session, terminal: editable, history: loadAQLHistory(a),
		interpreter: aql.NewInterpreter(session, variables),
		editor:      term.NewTerminal(clearing{editable}, "aql> "),
	}
	defer p.interpreter.Close()
	p.editor.History = p.history
	p.editor.AutoCompleteCallback = p.complete
	a.Note("AQL: one statement on a line. HELP lists them, Tab completes, EXIT or Ctrl-D leaves.")
	err = p.loop(ctx)
	if failed := p.history.save(); failed != nil {
		a.Warn("the history is not kept: "+failed.Error(), "")
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
			render.Failure(p.session.Stderr, p.session.ErrorLook(), err.Error(), p.session.HintFor(err))
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
	_, text, _ := strings.Cut(newAQLCommand(p.session.App).Long, "\n\n")
	text, _, _ = strings.Cut(text, "\n\nA mistake")
	_, _ = io.WriteString(p.session.Stderr, text+"\n")
}

// complete is called for each key press.
func (p *aqlPrompt) complete(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	if key != '\t' {
		return "", 0, false
	}
	known := aql.Known{Variables: p.interpreter.Variables(), Agents: p.session.CompleteAgents(), Contexts: p.session.contextNames()}
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
	store, err := s.CredentialsStore()
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
