package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// needsTerminal returns an error if there is no terminal, or none to draw on unless plain
// lines are enough.
func needsTerminal(a *command.App, plain bool, instead string) error {
	if !command.IsTerminal(a.Stdin) || !command.IsTerminal(a.Stdout) || !a.MayAsk() {
		return command.Hintf(command.Usagef("this needs a terminal"), "in a script use \"%s\"", instead)
	}
	if plain {
		return nil
	}
	return a.CheckScreen("use \"" + instead + "\"")
}

// asker sends questions beside a program on the terminal, which receives the answers.
type asker struct {
	app     *command.App
	world   *sdk.RemotePlayWorld
	ref     command.AgentRef
	ctx     context.Context //nolint:containedctx // the command's, for questions that keys start
	program *tea.Program
	// send passes a part or the end of an answer to the program.
	send    func(tea.Msg)
	running sync.WaitGroup
	// cancel ends the question in progress; nil for none.
	cancel context.CancelFunc
	// stop ends other work beside the program; nil for none.
	stop context.CancelFunc
}

// partMsg is a part of an answer, answerMsg its end.
type (
	partMsg   string
	answerMsg struct {
		text string
		err  error
	}
)

// ask sends a question; the program receives the parts and the end of the answer.
func (k *asker) ask(q sdk.IntercomQuestion) {
	ctx, cancel := k.app.Limited(k.ctx)
	k.cancel = cancel
	var parts []string
	q.OnPartial = func(part *protocol.IntercomEvent) {
		parts = append(parts, part.Message)
		k.send(partMsg(part.Message))
	}
	k.running.Go(func() {
		defer cancel()
		answer, err := k.world.Ask(ctx, q)
		said := answerMsg{err: k.app.Explain(k.ctx, err)}
		if answer != nil && err == nil {
			var text strings.Builder
			said.err = (&render.Printer{Out: &text, Format: render.FormatTable}).Print(*answerDocument(&command.Caller{}, k.ref, answer, parts))
			said.text = strings.TrimRight(text.String(), "\n")
		}
		k.send(said)
	})
}

// options returns the options of the program on the terminal.
func (k *asker) options(ctx context.Context) []tea.ProgramOption {
	return []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(k.app.Stdin), tea.WithOutput(k.app.Stdout), tea.WithoutSignalHandler()}
}

// show runs the program until it ends, and waits for the work beside it.
func (k *asker) show(ctx context.Context) error {
	_, err := k.program.Run()
	if k.cancel != nil {
		k.cancel()
	}
	if k.stop != nil {
		k.stop()
	}
	k.running.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, tea.ErrInterrupted):
		return command.ErrInterrupted
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("draw on the terminal: %w", err)
	}
	return nil
}
