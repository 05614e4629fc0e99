package redis

import (
	"fmt"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

// stored is an entry in the form of the stream.
type stored struct {
	id     string
	fields map[string]string
}

// fromReply parses the result of XRANGE within a script.
func fromReply(reply any) []stored {
	list, _ := reply.([]any)
	found := make([]stored, 0, len(list))
	for _, item := range list {
		pair, _ := item.([]any)
		if len(pair) != 2 {
			found = append(found, stored{})
			continue
		}
		s := stored{id: text(pair[0]), fields: map[string]string{}}
		values, _ := pair[1].([]any)
		for i := 0; i+1 < len(values); i += 2 {
			s.fields[text(values[i])] = text(values[i+1])
		}
		found = append(found, s)
	}
	return found
}

func fromMessages(messages []goredis.XMessage) []stored {
	found := make([]stored, len(messages))
	for i, m := range messages {
		found[i] = stored{m.ID, make(map[string]string, len(m.Values))}
		for name, value := range m.Values {
			found[i].fields[name] = text(value)
		}
	}
	return found
}

func (s *stored) position() (store.Position, error) {
	number, whole := strings.CutSuffix(s.id, "-0")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || !whole || number != strconv.FormatUint(n, 10) {
		return 0, fmt.Errorf("%w: the stream has an entry %q", store.ErrCorrupt, s.id)
	}
	return store.Position(n), nil
}

// commitID parses the id of a commit.
func commitID(field string) (id store.CommitID, ok bool) {
	copy(id[:], field)
	return id, len(field) == len(id)
}

// decode decodes the entry, with its records if requested.
func (s *stored) decode(records bool) (store.Entry, error) {
	position, err := s.position()
	if err != nil {
		return store.Entry{}, err
	}
	e, err := store.DecodeEntry([]byte(s.fields["e"]))
	if err != nil {
		return store.Entry{}, store.DamagedEntry(position, err)
	}
	commit, named := commitID(s.fields["c"])
	prev, follows := commitID(s.fields["p"])
	e.Commit, e.Prev = commit, prev
	if e.Position != position || !named || !follows || !s.states(&e) {
		return store.Entry{}, store.DamagedEntry(position, fmt.Errorf("%w: it is not what its fields say", store.ErrCorrupt))
	}
	if mirror := s.fields["r"]; records && mirror != "" {
		carried, err := store.DecodeEntry([]byte(mirror))
		if err != nil {
			return store.Entry{}, store.DamagedEntry(position, fmt.Errorf("its records: %w", err))
		}
		e.Records = carried.Records
	}
	return e, nil
}

// states reports whether the fields for scripts are those of the entry.
func (s *stored) states(e *store.Entry) bool {
	return s.fields["s"] == strconv.FormatUint(e.Seq, 10) && s.fields["v"] == strconv.FormatUint(e.Rev, 10) &&
		s.fields["n"] == strconv.Itoa(len(e.Events)) && s.fields["m"] == bit(e.MapChanged)
}

// checkPrev returns an ErrDiverged if the entry after a tip follows another commit.
func checkPrev(e *store.Entry, tip store.Tip) error {
	if e.Prev != tip.Commit {
		return fmt.Errorf("%w: entry %d follows another commit than that of position %d", store.ErrDiverged, e.Position, tip.Position)
	}
	return nil
}

// after decodes entries that must follow a tip, each of them the one before.
func after(found []stored, tip store.Tip) ([]store.Entry, error) {
	entries := make([]store.Entry, 0, len(found))
	for i := range found {
		position, err := found[i].position()
		if err != nil {
			return nil, err
		}
		if position != tip.Position+1 {
			return nil, fmt.Errorf("%w: after position %d comes %d", store.ErrTrimmed, tip.Position, position)
		}
		e, err := found[i].decode(true)
		if err != nil {
			return nil, err
		}
		if err := checkPrev(&e, tip); err != nil {
			return nil, err
		}
		entries = append(entries, e)
		tip = store.Tip{Position: position, Commit: e.Commit}
	}
	return entries, nil
}
