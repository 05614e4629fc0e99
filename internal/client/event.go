package client

import (
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/protocol"
)

// Event is one event of the stream.
type Event = protocol.StreamEvent

// ErrLost is matched by errors about a connection that broke or could not be
// opened. The stream opens another one.
var ErrLost = errors.New("connection lost, reconnecting")

// ErrGap is matched by errors about events that the host no longer has or never
// kept.
var ErrGap = errors.New("events were missed")

// SignalType says what a Signal is about.
type SignalType int

// The types of signals.
const (
	// SignalConnecting: the stream begins to open a connection.
	SignalConnecting SignalType = iota
	// SignalOpen: the host has answered with a stream of a session.
	SignalOpen
	// SignalCursor: the host stated the position after which the next events come.
	SignalCursor
	// SignalEvent: an event.
	SignalEvent
	// SignalLost: the connection ended or could not be opened. The stream opens
	// another one after a while.
	SignalLost
)

// String returns the name of the type.
func (t SignalType) String() string {
	names := [...]string{"connecting", "open", "cursor", "event", "lost"}
	if t < 0 || int(t) >= len(names) {
		return fmt.Sprintf("SignalType(%d)", int(t))
	}
	return names[t]
}

// Signal is an item of a Stream.
type Signal struct {
	Type SignalType
	// Event is the event of a SignalEvent.
	Event Event
	// Resumes is set on SignalConnecting and SignalOpen: the stream requested the
	// events after Cursor. If it is false, events between two connections are lost to
	// this stream.
	Resumes bool
	// SID is the session of a SignalOpen.
	SID string
	// Cursor is the position of a SignalCursor, or the requested one.
	Cursor uint64
	// Err is for people: an ErrLost if a connection did not end cleanly, an ErrGap if
	// events are missing before this signal.
	Err error
	// Wait is how long the stream waits after a SignalLost.
	Wait time.Duration
}
