package stream

import (
	"errors"
	"io"
	"sync"

	"github.com/playctl/playctl/internal/command"
)

// The keys that mean something while the map fills the terminal. Ctrl-C and Ctrl-Z
// are among them: a terminal that shows no typing sends no signals for them either.
const (
	keyQuit      = 'q'
	keyInterrupt = 0x03
	keySuspend   = 0x1a
)

// keyboard reads what is typed at a terminal that does not show it.
type keyboard struct {
	terminal command.KeyTerminal
	restore  func() error
	pressed  chan byte
	done     chan struct{}
	reading  sync.WaitGroup
}

// openKeyboard takes the keys of the terminal that the person sits at; nil where
// there is none.
func openKeyboard(a *command.App) (*keyboard, error) {
	if !command.IsTerminal(a.Stdin) {
		return nil, nil //nolint:nilnil // without keys the map is as good
	}
	terminal, err := a.OpenTTY()
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // as above
	}
	keyed, ok := terminal.(command.KeyTerminal)
	if !ok {
		return nil, terminal.Close()
	}
	k := &keyboard{terminal: keyed, pressed: make(chan byte), done: make(chan struct{})}
	if err := k.take(); err != nil {
		return nil, errors.Join(err, terminal.Close())
	}
	k.reading.Go(k.read)
	return k, nil
}

func (k *keyboard) read() {
	key := make([]byte, 1)
	for {
		if _, err := io.ReadFull(k.terminal, key); err != nil {
			return
		}
		select {
		case k.pressed <- key[0]:
		case <-k.done:
			return
		}
	}
}

// keys are those that are pressed, nil for none.
func (k *keyboard) keys() <-chan byte {
	if k == nil {
		return nil
	}
	return k.pressed
}

// take stops the terminal from showing what is typed, leave lets it again.
func (k *keyboard) take() (err error) {
	if k == nil {
		return nil
	}
	k.restore, err = k.terminal.Raw()
	return err
}

func (k *keyboard) leave() error {
	if k == nil || k.restore == nil {
		return nil
	}
	err := k.restore()
	k.restore = nil
	return err
}

// close gives the terminal back. If a read cannot be woken up, it ends with the
// next key.
func (k *keyboard) close() error {
	if k == nil {
		return nil
	}
	close(k.done)
	err := k.leave()
	if k.terminal.Wake() == nil {
		k.reading.Wait()
	}
	return errors.Join(err, k.terminal.Close())
}
