package sdk

import (
	"cmp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/playctl/playctl/protocol"
)

// parts are the unsent parts of an answer: one is sent at a time, in order, and parts
// added meanwhile are joined into the next.
type parts struct {
	send func(text string) error

	mu      sync.Mutex
	changed sync.Cond
	all     strings.Builder
	tooLong bool
	waiting string
	sending bool
	failed  error
}

func newParts(send func(text string) error) *parts {
	p := &parts{send: send}
	p.changed.L = &p.mu
	return p
}

// add queues a part for sending. It blocks only while the queued text is longer than one
// part may be.
func (p *parts) add(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.failed == nil && len(p.waiting) > protocol.MaxIntercomTextBytes {
		p.changed.Wait()
	}
	if p.failed != nil || text == "" {
		return p.failed
	}
	if p.tooLong = p.tooLong || p.all.Len()+len(text) > protocol.MaxIntercomTextBytes; !p.tooLong {
		p.all.WriteString(text)
	}
	p.waiting += text
	if !p.sending {
		p.sending = true
		go p.drain()
	}
	return nil
}

// drain sends the queued parts.
func (p *parts) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.changed.Broadcast()
	for p.failed == nil && p.waiting != "" {
		text := cut(p.waiting, protocol.MaxIntercomTextBytes)
		p.waiting = p.waiting[len(text):]
		p.changed.Broadcast()
		p.mu.Unlock()
		err := p.send(text)
		p.mu.Lock()
		p.failed = err
	}
	p.sending = false
}

// cut returns the beginning of a text, of at most that many bytes, without splitting a
// character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for most-end < utf8.UTFMax-1 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// sent waits until every part was sent, or one could not be. Later parts are refused.
func (p *parts) sent() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.sending {
		p.changed.Wait()
	}
	failed := p.failed
	p.failed = cmp.Or(failed, ErrAnswered)
	return failed
}

// whole returns all parts together; empty if they are longer than an answer may be.
func (p *parts) whole() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tooLong {
		return ""
	}
	return p.all.String()
}
