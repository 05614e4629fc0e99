//go:build full

package manyhosts

import (
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// The states of the subjects of ops, as at a single host that never fails. They are
// compared with ==.
type (
	// agentState is an agent's node, its row and its lease.
	agentState struct {
		node  bool
		name  string // "" while it is not on the map
		doing string // the text of its activity
		lease string // the connection that holds it
		zones int64
	}
	// placementState is an MCP placement under a name. If the id is anyID, no reply
	// contained it.
	placementState struct {
		there   bool
		id, url string
	}
	// requestState is a request to an agent.
	requestState struct{ open, closed bool }
	// spaceState is a space; its amenities are sorted.
	spaceState struct{ amenities string }
	// logState is the seq of the last line that is in a reply.
	logState struct{ seq uint64 }
)

const anyID = "?"

// state is any of them. step reports whether an op can have its result in this
// state, and returns the next state.
type state interface {
	step(o *op) (bool, state)
}

func (s agentState) step(o *op) (bool, state) {
	next := s
	onMap := s.name != ""
	may := s.node
	switch o.verb {
	case register:
		next.name, next.lease = o.mark, o.arg
	case disconnect:
		if o.arg == "" || o.arg == s.lease {
			next.name, next.doing, next.lease = "", "", ""
		}
	case heartbeat:
		may = onMap && s.lease == o.arg
	case act:
		if o.result.code == protocol.CodeRateLimited {
			return true, s // the agent's other activities decide that
		}
		may, next.doing = onMap && (o.arg == "" || o.arg == s.lease), o.mark
	case remove:
		next = agentState{}
		may = o.outcome == unknown || o.result.ok == s.node
	case create:
		may, next.node = !s.node, true
	case zone:
		may, next.zones = onMap, s.zones+1
	case say, travel, ask:
		may = onMap
	case answer:
		return (o.result.code == protocol.CodeForbidden) != s.node, s
	case look:
		return o.result.text == s.name && o.result.doing == s.doing && (!onMap || o.result.zones == s.zones), s
	}
	return settle(o, may, s, next)
}

// settle is the rule for commands: a permitted one is acknowledged and has its
// effect, another is refused and has none. An unanswered command may or may not
// have had its effect.
func settle(o *op, may bool, before, after state) (bool, state) {
	switch {
	case o.outcome == unknown && may:
		return true, after
	case o.outcome == unknown:
		return true, before
	case o.outcome == acked && may:
		return true, after
	}
	return o.outcome == refused && !may, before
}

func (s placementState) step(o *op) (bool, state) {
	same := s.id == o.arg || s.id == anyID
	switch o.verb {
	case place:
		next := placementState{there: true, id: o.result.id, url: o.mark}
		known := s.there && s.id != anyID
		if o.outcome == unknown {
			next.id = anyID
			if s.there {
				next.id = s.id
			}
			return true, next
		}
		return o.outcome == acked && (!known || s.id == next.id), next
	case withdraw:
		if o.outcome == unknown {
			if s.there && s.id == o.arg {
				return true, placementState{}
			}
			return true, s
		}
		if o.result.ok {
			return s.there && same, placementState{}
		}
		return !s.there || s.id != o.arg, s
	}
	if o.result.text == "" {
		return !s.there || s.id != o.arg, s
	}
	return s.there && same && o.result.text == s.url, s
}

func (s requestState) step(o *op) (bool, state) {
	if o.verb == ask {
		return !s.open && !s.closed, requestState{open: true}
	}
	if o.result.code == protocol.CodeForbidden {
		return true, s // the agent's state decides that
	}
	return settle(o, s.open, s, requestState{closed: true})
}

func (s spaceState) step(o *op) (bool, state) {
	has := strings.Fields(s.amenities)
	there, mine := len(has) > 0, slices.Contains(has, o.arg)
	switch o.verb {
	case createSpace:
		return settle(o, !there, s, spaceState{o.arg})
	case addAmenity:
		return settle(o, there && !mine, s, spaceState{joined(append(has, o.arg))})
	case removeAmenity:
		left := slices.DeleteFunc(slices.Clone(has), func(a string) bool { return a == o.arg })
		return settle(o, mine && len(left) > 0, s, spaceState{joined(left)})
	case removeSpace:
		return settle(o, there, s, spaceState{})
	}
	return o.result.text == s.amenities, s
}

func joined(amenities []string) string {
	return strings.Join(slices.Sorted(slices.Values(amenities)), " ")
}

func (s logState) step(o *op) (bool, state) { return o.result.seq > s.seq, logState{o.result.seq} }
