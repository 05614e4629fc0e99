package stream

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/suggest"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// shortKind returns an event's kind without the prefix before its colon.
func shortKind(kind protocol.EventKind) string {
	_, short, _ := strings.Cut(string(kind), ":")
	return short
}

// shortKinds returns all kinds in their short form.
func shortKinds() []string {
	var names []string
	for _, kind := range protocol.EventKinds() {
		names = append(names, shortKind(kind))
	}
	return names
}

// parseKind parses a kind of event, whole or short.
func parseKind(text string) (protocol.EventKind, error) {
	for _, kind := range protocol.EventKinds() {
		if text == string(kind) || text == shortKind(kind) {
			return kind, nil
		}
	}
	known := shortKinds()
	err := command.Usagef("%q is not a kind of event", text)
	if near := suggest.Nearest(text, known); near != "" {
		return "", command.Hintf(err, "did you mean %s?", near)
	}
	return "", command.Hintf(err, "the kinds are %s", strings.Join(known, ", "))
}

// eventFields are the fields of an event for filters and conditions. Its data is parsed
// at the first access to a field; data that cannot be parsed has no fields.
type eventFields struct {
	event  *sdk.Event
	fields map[string]any
}

func (m *eventFields) read() {
	if err := m.event.Decode(&m.fields); err != nil || m.fields == nil {
		m.fields = map[string]any{}
	}
	if m.event.HasSeq {
		// The data of a chat line has the seq already, other data does not.
		m.fields["seq"] = json.Number(strconv.FormatUint(m.event.Seq, 10))
	}
}

// field is the value at a path such as "data.stepCount"; nil if there is none.
func (m *eventFields) field(path string) any {
	if m.fields == nil {
		m.read()
	}
	var value any = m.fields
	for name := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}

func (m *eventFields) text(path string) string {
	text, _ := m.field(path).(string)
	return text
}

// playerFields are the paths of the ids that events name, also for kinds that only a
// newer host sends.
var playerFields = allPlayerFields()

func allPlayerFields() []string {
	var paths []string
	for _, event := range protocol.Events() {
		if event.Subject != "" {
			paths = append(paths, event.Subject)
		}
		paths = append(paths, event.Others...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// players returns the ids that the event names.
func (m *eventFields) players() []string {
	var ids []string
	for _, path := range playerFields {
		if id := m.text(path); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// naming returns the names of an id, without the id itself.
type naming func(id string) []string

// isAbout reports whether the event is about a player, given by its label, name, id or a
// prefix of its id.
func (m *eventFields) isAbout(player string, names naming) bool {
	for _, id := range m.players() {
		if isID(id, player) || slices.Contains(names(id), player) {
			return true
		}
	}
	return false
}

// isID reports whether a text is an id, or a prefix of a node's id.
func isID(id, text string) bool {
	prefix := strings.ToLower(text)
	return id == text || len(prefix) >= command.LeastPrefix && len(id) == 64 && strings.HasPrefix(id, prefix)
}

// selection selects the printed events.
type selection struct {
	kinds  []protocol.EventKind
	player string
	caller *command.Caller
}

// newSelection parses --kinds and --player; who may be nil.
func newSelection(kinds []string, player string, caller *command.Caller) (*selection, error) {
	s := &selection{player: player, caller: caller}
	for _, text := range kinds {
		kind, err := parseKind(text)
		if err != nil {
			return nil, err
		}
		s.kinds = append(s.kinds, kind)
	}
	return s, nil
}

// namesOf joins the names from the world with the labels of the context.
func (s *selection) namesOf(names *render.Names) naming {
	return func(id string) []string {
		found := []string{names.Of(id)}
		if s.caller != nil {
			if label := s.caller.NameOf(id); label != "" {
				found = append(found, label)
			}
		}
		return found
	}
}

func (s *selection) takes(m *eventFields, names *render.Names) bool {
	if len(s.kinds) > 0 && !slices.Contains(s.kinds, m.event.Kind) {
		return false
	}
	return s.player == "" || m.isAbout(s.player, s.namesOf(names))
}
