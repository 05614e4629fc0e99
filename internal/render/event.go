package render

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/playctl/playctl/protocol"
)

// Event is one event of a world for output.
type Event struct {
	Kind protocol.EventKind
	// Data is the event's JSON as received.
	Data []byte
	// Seen is the time when the event arrived, for kinds without a time. Zero for past
	// events.
	Seen time.Time
}

// sentence is an event in words: a verb, and the rest. Without a verb the event has no
// line.
type sentence struct {
	verb string
	tone tone
	text string
}

// Layout of an event line: the time, the verb, the text.
const (
	clockWidth = 8
	verbWidth  = 8
	textColumn = clockWidth + columnGap + verbWidth + columnGap
)

// EventLine returns an event on a line, or on several if the window is too narrow.
// Names are those that the Names have learned so far. It returns "" for a step of a
// question between its first and its last one.
func EventLine(look Look, names *Names, event Event) string {
	said := names.describe(event)
	if said.verb == "" {
		return ""
	}
	clock := look.Clock(event.time())
	verb := said.verb + strings.Repeat(" ", max(0, verbWidth-len(said.verb)))
	gap := strings.Repeat(" ", columnGap)
	text := Clean(said.text)
	return look.Faint(clock) + gap + look.paint(said.tone, verb) + gap + hang(text, textColumn, look.Width) + "\n"
}

// formatters write the text of each kind of event.
var formatters = map[protocol.EventKind]func(*Names, []byte) (sentence, error){
	protocol.EventPlayerAdded:     (*Names).joined,
	protocol.EventPlayerRemoved:   (*Names).playerRemoved,
	protocol.EventPersonAdded:     (*Names).walked,
	protocol.EventPersonRemoved:   (*Names).personLeft,
	protocol.EventMCPRegistered:   (*Names).placed,
	protocol.EventMCPUnregistered: (*Names).mcpUnregistered,
	protocol.EventAgentSignal:     (*Names).signaled,
	protocol.EventInteraction:     (*Names).interaction,
	protocol.EventJourney:         (*Names).journeyed,
	protocol.EventActivity:        (*Names).acted,
	protocol.EventSpaceChanged:    (*Names).spaceChanged,
	protocol.EventIntercom:        (*Names).intercom,
	protocol.EventSessionReset:    (*Names).reset,
	protocol.EventSessionResync:   (*Names).resynced,
}

// maxNames bounds the number of remembered names; a world has at most as many
// occupants as its operator allows, but a stream of years has more.
const maxNames = 10_000

// Names maps the ids of occupants in events to names. The zero value has none.
type Names struct {
	byID map[string]string
}

// HasLine reports whether an event has a line.
func (n *Names) HasLine(event Event) bool { return n.describe(event).verb != "" }

// Learn remembers the name of an id.
func (n *Names) Learn(id, name string) {
	if id == "" || name == "" {
		return
	}
	if n.byID == nil || len(n.byID) >= maxNames {
		n.byID = map[string]string{}
	}
	n.byID[id] = name
}

// named are the kinds of events with a row that has a name.
var named = []protocol.EventKind{protocol.EventPlayerAdded, protocol.EventPersonAdded, protocol.EventMCPRegistered}

// LearnFrom remembers the name in an event's row, if it has one. Other events, which are
// far more frequent, are not read for it.
func (n *Names) LearnFrom(event Event) {
	if slices.Contains(named, event.Kind) {
		_ = n.describe(event)
	}
}

// Of returns the name of an id, else the id, shortened.
func (n *Names) Of(id string) string {
	if name, ok := n.byID[id]; ok {
		return name
	}
	return ShortID(id)
}

// describe puts an event into words. An event whose data cannot be read is shown by
// its kind: no line is lost.
func (n *Names) describe(event Event) sentence {
	describe, known := formatters[event.Kind]
	if !known {
		return sentence{verb: "event", tone: faint, text: string(event.Kind)}
	}
	said, err := describe(n, event.Data)
	if err != nil {
		return sentence{verb: "event", tone: warn, text: string(event.Kind) + " with data that cannot be read"}
	}
	return said
}

// EventTime returns the time of an event by the host's clock, from its data; "" if it
// states none.
func EventTime(data []byte) string {
	stated, err := read[struct {
		At     string `json:"at"`
		TS     string `json:"ts"`
		Notify struct {
			UpdatedAt string `json:"updatedAt"`
		} `json:"playerChainNotify"`
	}](data)
	if err != nil {
		return ""
	}
	return cmp.Or(stated.At, stated.TS, stated.Notify.UpdatedAt)
}

// time returns the time of the event, else when it arrived; "" if neither is known.
func (e *Event) time() string {
	if at := EventTime(e.Data); at != "" || e.Seen.IsZero() {
		return at
	}
	return e.Seen.Format(time.RFC3339)
}
