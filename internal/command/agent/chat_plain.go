package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// plain is the conversation on a terminal that only shows lines, and edits them itself.
func (m *chatModel) plain(ctx context.Context) (err error) {
	tty, err := m.app.OpenTTY()
	if err != nil {
		return errors.Join(command.ErrNoTerminal, err)
	}
	defer func() { err = errors.Join(err, tty.Close()) }()
	terminal, ok := tty.(command.KeyTerminal)
	if !ok {
		return command.ErrNoTerminal
	}
	wake := context.AfterFunc(ctx, func() {
		_ = terminal.Wake() // if the system cannot interrupt a read, the next line ends it
	})
	defer wake()
	var broken error
	write := func(text string) {
		_, failed := io.WriteString(m.app.Stdout, text)
		broken = errors.Join(broken, failed)
	}
	m.print = func(text string) tea.Cmd {
		write(text + "\n")
		return nil
	}
	messages := make(chan tea.Msg)
	m.send = func(msg tea.Msg) { messages <- msg }
	defer m.running.Wait()

	m.welcome()
	lines := bufio.NewScanner(terminal)
	lines.Buffer(nil, protocol.MaxIntercomTextBytes+len("\n"))
	for broken == nil {
		write(m.input.Prompt)
		if !lines.Scan() {
			write("\n")
			break
		}
		if m.enter(strings.TrimSpace(lines.Text())) != nil {
			break // to quit is the only command that is left
		}
		for m.asking {
			m.Update(<-messages)
		}
	}
	if broken != nil {
		return fmt.Errorf("write to the terminal: %w", broken)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return lines.Err() //nolint:wrapcheck // the error of the terminal itself
}
