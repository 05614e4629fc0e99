//go:build full

package manyhosts

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// record is the content of the store after a scenario.
type record struct {
	events map[uint64]store.Event
	// revs are the revs of all events, and roots the roots of all revs.
	revs  map[uint64]uint64
	roots map[uint64]string
	// made are the seqs of the events of each op, by verb and mark.
	made map[string][]uint64
	// jumps are the points at which the numbers jump, in their order.
	jumps []jump
	// first is the seq before the scenario and last the one at its end.
	first, last uint64
	rev         uint64
	root        string
	leaves      uint32
}

// jump is where a world continued after Redis may have lost writes: events up to
// kept are stored, the next ones come after resumed.
type jump struct{ kept, resumed uint64 }

// ahead is how far numbers advance after a loss (protocol reference, "Words").
const ahead = 1 << 20

// read reads the entries after a position.
func (s *site) read(after store.Position) *record {
	s.t.Helper()
	was := &record{events: map[uint64]store.Event{}, revs: map[uint64]uint64{}, roots: map[uint64]string{}, made: map[string][]uint64{}}
	journal := s.store()
	defer func() { s.must(journal.Close()) }()
	for e, err := range journal.Read(s.t.Context(), max(after, 1)-1) {
		s.must(err)
		before := e.Seq - uint64(len(e.Events))
		switch {
		case e.Position <= after:
			was.first, was.last = e.Seq, e.Seq
			continue
		case before != was.last && before-was.last < ahead:
			s.t.Fatalf("entry %d begins after seq %d, the one before it ends at %d", e.Position, before, was.last)
		case before != was.last:
			was.jumps = append(was.jumps, jump{was.last, before})
		}
		for i, event := range e.Events {
			seq := before + 1 + uint64(i)
			was.events[seq], was.revs[seq] = event, e.Rev
			if key := madeBy(event); key != "" {
				was.made[key] = append(was.made[key], seq)
			}
		}
		was.last, was.rev, was.root, was.leaves = e.Seq, e.Rev, fmt.Sprintf("%x", e.Root), e.LeafCount
		was.roots[e.Rev] = was.root
	}
	return was
}

// dump lists the newest entries of the store for failure messages.
func (s *site) dump() string {
	s.t.Helper()
	journal := s.store()
	defer func() { s.must(journal.Close()) }()
	head, err := journal.Head(s.t.Context())
	s.must(err)
	const most = 60
	var b strings.Builder
	for e, err := range journal.Read(s.t.Context(), max(head, most)-most) {
		s.must(err)
		fmt.Fprintf(&b, "%d commit %.4x after %.4x seq %d rev %d root %.4x of %d:", e.Position, e.Commit, e.Prev, e.Seq, e.Rev, e.Root, e.LeafCount)
		for _, event := range e.Events {
			fmt.Fprintf(&b, " %s %.60s", event.Kind, event.Data)
		}
		for _, row := range e.Rows {
			fmt.Fprintf(&b, " [%.12s… %d bytes]", row.Key, len(row.JSON))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// madeBy returns the verb and the mark of the op that caused an event, "" if the
// event does not contain them.
func madeBy(e store.Event) string {
	var data struct {
		Text   string `json:"text"`
		Player struct {
			Name string `json:"name"`
		} `json:"player"`
		MCP struct {
			URL string `json:"url"`
		} `json:"mcp"`
		Journey struct {
			Steps []struct {
				Content string `json:"content"`
			} `json:"steps"`
		} `json:"journey"`
		Activity struct {
			Text string `json:"text"`
		} `json:"activity"`
		RequestID string `json:"requestId"`
		Status    string `json:"status"`
		Message   string `json:"message"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return ""
	}
	switch protocol.EventKind(e.Kind) {
	case protocol.EventInteraction:
		return key(say, data.Text)
	case protocol.EventJourney:
		return key(travel, data.Journey.Steps[0].Content)
	case protocol.EventActivity:
		return key(act, data.Activity.Text)
	case protocol.EventPlayerAdded:
		return key(register, data.Player.Name)
	case protocol.EventMCPRegistered:
		return key(place, mark(data.MCP.URL))
	case protocol.EventIntercom:
		switch data.Status {
		case protocol.IntercomForwarded:
			return key(ask, data.RequestID)
		case protocol.IntercomCompleted:
			return key(answer, data.Message)
		}
	}
	return ""
}

func key(v verb, mark string) string { return string(v) + " " + mark }

// marked are the verbs whose ops create one event with their mark.
var marked = map[verb]bool{say: true, travel: true, act: true, register: true, place: true, ask: true, answer: true}
