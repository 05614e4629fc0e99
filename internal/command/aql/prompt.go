package aql

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

// prompt is the prompt for statements.
type prompt struct {
	*session
	terminal command.LineEditor
	editor   *term.Terminal
	history  *history
	// ctx is the prompt's context, for requests of the completion.
	ctx context.Context //nolint:containedctx // the editor calls back without one
}

// promptAQL reads statements from a person and runs each immediately.
func promptAQL(ctx context.Context, a *command.App, flags *aqlFlags, variables map[string]string) (err error) {
	terminal, err := a.OpenTTY()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, terminal.Close()) }()
	editable, ok := terminal.(command.LineEditor)
	if !ok {
		return command.ErrNoTerminal
	}
	input := &keys{ReadWriter: editable, history: loadHistory(a)}
	input.editor = term.NewTerminal(input, plainPrompt)
	p := &prompt{session: newSession(a, flags, variables), terminal: editable, history: input.history, editor: input.editor, ctx: ctx}
	p.collects = false
	defer p.close()
	p.editor.History = p.history
	p.editor.AutoCompleteCallback = p.complete
	a.Note("AQL: one statement per line. HELP lists them, Tab completes, Ctrl-R searches, EXIT or Ctrl-D leaves.")
	err = p.loop(ctx)
	if failed := p.history.save(); failed != nil {
		a.Warn("the history is not saved: "+failed.Error(), "")
	}
	return err
}

// loop reads statements until the person leaves. It prints the error of a failed
// statement and continues.
func (p *prompt) loop(ctx context.Context) error {
	for number := 1; ; number++ {
		line, err := p.edit(ctx)
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
		program, err := aql.ParseAt("prompt", number, line)
		if err == nil {
			err = p.run(ctx, program)
		}
		if err != nil {
			if context.Cause(ctx) != nil {
				return context.Cause(ctx)
			}
			render.Failure(p.Stderr, p.ErrorLook(), err.Error(), p.HintFor(err))
		}
	}
}

// edit reads a line. Meanwhile the editor follows the window's size.
func (p *prompt) edit(ctx context.Context) (string, error) {
	fit := func() {
		if width, height, err := p.terminal.Size(); err == nil && width > 0 && height > 0 {
			// It fails if the screen cannot be redrawn; the next key redraws it.
			_ = p.editor.SetSize(width, height)
		}
	}
	fit()
	resized, stop := p.Resizes()
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-resized:
				fit()
			case <-done:
				return
			}
		}
	})
	defer func() {
		stop()
		close(done)
		watching.Wait()
	}()
	return p.terminal.Edit(ctx, p.editor)
}

// promptWords are the words of the prompt besides statements.
var promptWords = []string{"HELP ", "EXIT ", "QUIT "}

// leaves reports whether a line ends the session.
func leaves(line string) bool {
	word := strings.TrimSpace(line)
	return strings.EqualFold(word, "EXIT") || strings.EqualFold(word, "QUIT")
}

// help shows the statements.
func (p *prompt) help() {
	_, text, _ := strings.Cut(newAQLCommand(p.App).Long, "\n\n")
	text, _, _ = strings.Cut(text, "\n\nA mistake")
	if width, _, err := p.terminal.Size(); err == nil && width > 0 {
		text = command.Reflow(text, width)
	}
	_, _ = io.WriteString(p.Stderr, text+"\n")
}

// complete is called for each key press.
func (p *prompt) complete(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	if key != '\t' {
		return "", 0, false
	}
	known := aql.Known{
		Variables: p.variables(), Agents: p.names(command.Agents(command.SeekOwn)), Spaces: p.names(command.Spaces),
		Contexts: p.ContextNames,
	}
	start, words := aql.Complete(line[:pos], known)
	if typed := strings.TrimSpace(line[:pos]); start == 0 && typed != "" {
		for _, word := range promptWords {
			if strings.HasPrefix(word, strings.ToUpper(typed)) {
				words = append(words, word)
			}
		}
	}
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

// names returns the words of an offer, which are requested on demand.
func (p *prompt) names(offer command.Offer) func() []string {
	return func() []string {
		var names []string
		for _, found := range p.host.Offers(p.ctx, offer, command.Word{}) {
			name, _, _ := strings.Cut(found, "\t")
			names = append(names, name)
		}
		return names
	}
}

// sharedPrefix returns the common prefix of all words.
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

// maxHistory is the greatest number of lines in the history.
const maxHistory = 1000

// history has the lines typed at the prompt, for the arrow keys, except lines with a
// passphrase.
type history struct {
	path string
	// lines are in order, the oldest first; the last added lines are from this session.
	lines []string
	added int
}

// loadHistory reads the history of earlier sessions. A file that cannot be read counts as
// empty.
func loadHistory(a *command.App) *history {
	folder := a.StateFolder()
	if folder == "" {
		return &history{}
	}
	h := &history{path: filepath.Join(folder, "aql_history")}
	h.lines = h.read()
	return h
}

func (h *history) read() []string {
	text, err := os.ReadFile(h.path)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// Add implements term.History.
func (h *history) Add(line string) {
	line = strings.TrimSpace(line)
	if line == "" || leaves(line) || aql.HoldsSecret(line) || len(h.lines) > 0 && h.At(0) == line {
		return
	}
	h.lines = append(h.lines, line)
	h.added++
}

// Len implements term.History.
func (h *history) Len() int { return len(h.lines) }

// At implements term.History: 0 is the newest line.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

// save adds the session's lines to the file, which another session may have written
// meanwhile. Only at the end of the session it is known which lines contain a text that
// was used as a passphrase.
func (h *history) save() error {
	session := aql.WithoutSecrets(h.lines[len(h.lines)-h.added:])
	if h.path == "" || len(session) == 0 {
		return nil
	}
	lines := append(h.read(), session...)
	lines = lines[max(0, len(lines)-maxHistory):]
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	return creds.WriteSecretFile(h.path, []byte(strings.Join(lines, "\n")+"\n"), true)
}
