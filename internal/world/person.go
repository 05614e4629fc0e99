package world

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/playctl/playctl/protocol"
)

// walkTerm is the least time between two changes of a person's row.
const walkTerm = protocol.MinPersonSeconds * time.Second

// PutPerson puts the person of the calling viewer on the map, changes the row, or
// renews its lease.
type PutPerson struct{ protocol.PersonRequest }

// RemovePerson removes the person of the calling viewer from the map.
type RemovePerson struct{}

// personIDBytes is how much of a digest a person's id shows: 128 bits, as a viewer's
// id has.
const personIDBytes = 16

// personID returns the public id of a viewer's person. The viewer's id cannot be derived
// from it.
func personID(viewer string) string {
	digest := sha256.Sum256([]byte("playctl person v1\x00" + viewer))
	return hex.EncodeToString(digest[:personIDBytes])
}

// ownPerson is the id of the calling viewer's person.
func (p *planner) ownPerson() (string, error) {
	if p.req.Caller.Viewer == "" {
		return "", protocol.Errorf(protocol.CodeForbidden, "only a viewer who may act has a person on the map")
	}
	return personID(p.req.Caller.Viewer), nil
}

// person is the row of a stable key, nil if no person on the map has it.
func (s *state) person(key string) *protocol.Human {
	row, _ := s.rows[key].(*protocol.Human)
	return row
}

func (c PutPerson) plan(p *planner) (any, error) {
	id, err := p.ownPerson()
	if err != nil {
		return nil, err
	}
	row := &protocol.Human{ID: id, Name: c.Name}
	if err := p.putPersonAt(row, cell{x: int64(c.X), y: int64(c.Y)}); err != nil {
		return nil, err
	}
	encoded, changed, err := p.putRow(row)
	if err != nil {
		return nil, err
	}
	if changed {
		if err := p.checkWalk(row.StableKey()); err != nil {
			return nil, err
		}
		if err := p.checkMapBytes(p.st.RootKey); err != nil {
			return nil, err
		}
		p.emitBytes(protocol.EventPersonAdded, wrapObject("person", encoded))
	}
	reply := &protocol.PersonReply{Person: encoded, LeaseTTLSeconds: c.LeaseTTLSeconds}
	return reply, p.holdFor(row.StableKey(), lease{TTLSeconds: c.LeaseTTLSeconds})
}

// putPersonAt puts a person on the wanted cell, or on a free one near it.
func (p *planner) putPersonAt(row *protocol.Human, want cell) error {
	size, key := p.st.grid, row.StableKey()
	if p.st.person(key) == nil {
		if limit := p.options.Limits.People; p.st.people >= limit {
			return protocol.Errorf(protocol.CodePeopleLimit, "there is no room for another person on the map: the limit is %d", limit)
		}
		size = p.growForOne()
	}
	switch {
	case want.x >= size.width:
		return protocol.FieldError("x", "must be on the map: from 0 to %d", size.width-1)
	case want.y >= size.height:
		return protocol.FieldError("y", "must be on the map: from 0 to %d", size.height-1)
	}
	at := size.near(want, func(c cell) bool {
		holder, taken := p.st.cells[c]
		return taken && holder != key
	})
	row.X, row.Y = float64(at.x), float64(at.y)
	return nil
}

// checkWalk refuses a change of a person's row so soon after the one before.
func (p *planner) checkWalk(key string) error {
	last, walked := p.st.walks[key]
	since := time.Duration(p.now.UnixMilli()-last) * time.Millisecond
	if !walked || since < 0 || since >= walkTerm {
		return nil
	}
	e := protocol.Errorf(protocol.CodeRateLimited,
		"a person may arrive, move or change their name at most once every %v: retry after the time in Retry-After", walkTerm)
	e.RetryAfter = walkTerm - since
	return e
}

// noteWalk records when a person's row changed, and forgets the people whose rows may
// change again.
func (s *state) noteWalk(key string, at int64) {
	if !strings.HasPrefix(key, protocol.HumanKeyPrefix) {
		return
	}
	for other, then := range s.walks {
		if since := at - then; since < 0 || since >= walkTerm.Milliseconds() {
			delete(s.walks, other)
		}
	}
	prev, walked := s.walks[key]
	s.walks[key] = at
	s.undo = append(s.undo, func() {
		if delete(s.walks, key); walked {
			s.walks[key] = prev
		}
	})
}

func (RemovePerson) plan(p *planner) (any, error) {
	id, err := p.ownPerson()
	if err != nil {
		return nil, err
	}
	row := p.st.person(protocol.HumanKey(id))
	if row == nil {
		return &protocol.OKReply{OK: false}, nil
	}
	return &protocol.OKReply{OK: true}, p.takePersonOff(row, protocol.RemovedDisconnect)
}

// takePersonOff removes a person's row and lease with the event that says why.
func (p *planner) takePersonOff(row *protocol.Human, reason string) error {
	key := row.StableKey()
	p.dropRow(key)
	p.dropLease(key)
	return p.emit(protocol.EventPersonRemoved, &protocol.PersonRemovedData{PersonID: row.ID, Reason: reason})
}
