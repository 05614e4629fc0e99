package stream

import (
	"errors"
	"io"
	"sync"

	"github.com/playctl/playctl/internal/command"
)

// These keys have a function while the map fills the terminal. Ctrl-C and Ctrl-Z are
// among them, because a terminal in raw mode sends no signals for them.
const (
	keyQuit      = 'q'
	keyInterrupt = 0x03
	keySuspend   = 0x1a
)

// keyboard reads keys from a terminal in raw mode.
type keyboard struct {
	terminal command.KeyTerminal
	restore  func() error
	pressed  chan byte
	done     chan struct{}
	reading  sync.WaitGroup
}

// openKeyboard opens the controlling terminal for keys; it returns nil if there is none.
func openKeyboard(a *command.App) (*keyboard, error) {
	if !command.IsTerminal(a.Stdin) {
		return nil, nil //nolint:nilnil // the map works without keys
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

// keys returns the pressed keys, nil for none.
func (k *keyboard) keys() <-chan byte {
	if k == nil {
		return nil
	}
	return k.pressed
}

// take switches the terminal to raw mode, leave restores it.
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

// close restores the terminal. If a read cannot be interrupted, it ends with the next
// key.
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
