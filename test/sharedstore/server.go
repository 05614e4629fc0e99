// Package sharedstore is a store that several hosts share, in memory, with the
// faults of a server and of connections to it. Tests of hosts use it, and compare
// other stores with it.
package sharedstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
)

// Server is a journal that several hosts share, in memory: each of them gets a
// handle with Host. A test can restart it and make it lose acknowledged commits.
type Server struct {
	now func() time.Time

	mu      sync.Mutex
	journal *memory.Journal
	// newest is the position of the newest checkpoint.
	newest store.Position
	// run is the server's run and headRun that of the last commit.
	run, headRun int
	tip          store.Tip
	// commits is the data of an entry that is not in the entry.
	commits   map[store.Position]committed
	deadlines map[store.Deadline]deadline
	past      []moment
	locks     map[string]lock
	tokens    uint64
	// hosts are the hosts that serve, by id.
	hosts map[string]presence
	// asked is when a host last requested the due deadlines of a table.
	asked map[store.Table]time.Time
	// wake is closed with every commit and restart.
	wake      chan struct{}
	listeners map[chan []byte]struct{}
}

type committed struct {
	commit, prev store.CommitID
	records      []store.Record
}

type deadline struct {
	at   time.Time
	term time.Duration
}

// lock is a fence with its holder.
type lock struct {
	holder string
	token  uint64
	until  time.Time
}

// presence is a host that serves until a time.
type presence struct {
	name  string
	until time.Time
}

// moment is the state of the server before a commit, for a restart that loses it.
type moment struct {
	journal   *memory.Journal
	newest    store.Position
	tip       store.Tip
	deadlines map[store.Deadline]deadline
}

// maxLost is the greatest number of commits that a restart can lose.
const maxLost = 256

// absence is the time without a request for due deadlines after which every
// deadline gets its full term again.
const absence = 5 * time.Second

// NewServer creates an empty shared journal with this clock.
func NewServer(retention store.Retention, now func() time.Time) *Server {
	return &Server{
		journal: memory.Open(retention), now: now, run: 1, headRun: 1, commits: map[store.Position]committed{},
		deadlines: map[store.Deadline]deadline{}, locks: map[string]lock{}, hosts: map[string]presence{}, asked: map[store.Table]time.Time{},
		wake: make(chan struct{}), listeners: map[chan []byte]struct{}{},
	}
}

// Restart restarts the server, which loses the last commits, as many of them as it
// still knows.
func (s *Server) Restart(lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run++
	if lost = min(lost, len(s.past)); lost > 0 {
		m := s.past[len(s.past)-lost]
		s.past = s.past[:len(s.past)-lost]
		for p := range s.commits {
			if p > m.tip.Position {
				delete(s.commits, p)
			}
		}
		s.journal, s.newest, s.tip, s.deadlines = m.journal, m.newest, m.tip, m.deadlines
	}
	s.wakeAll()
}

// prolong sets the deadlines of a table to their full terms; called with the lock
// held.
func (s *Server) prolong(table store.Table) {
	now := s.now()
	for key, d := range s.deadlines {
		if full := now.Add(d.term); key.Table == table && d.at.Before(full) {
			s.deadlines[key] = deadline{full, d.term}
		}
	}
}

// wakeAll ends the waits of followers; called with the lock held.
func (s *Server) wakeAll() {
	close(s.wake)
	s.wake = make(chan struct{})
}

// commit carries out a batch or refuses it.
func (s *Server) commit(ctx context.Context, b *store.Batch) (store.Tip, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	missed, err := s.missed(b.After)
	if err != nil {
		return store.Tip{}, err
	}
	if len(missed) > 0 {
		return store.Tip{}, &store.OvertakenError{Entries: missed}
	}
	// Only a host that knows the journal to its end has to know of a restart.
	if b.Resumed != strconv.Itoa(s.run) && (s.headRun != s.run || b.Resumed != "") {
		return store.Tip{}, s.restarted()
	}
	if err := s.refuse(b); err != nil {
		return store.Tip{}, err
	}
	if len(b.Entries) > 0 {
		before, err := s.remember(ctx)
		if err != nil {
			return store.Tip{}, err
		}
		if err := s.journal.Append(ctx, s.tip.Position, b.Entries); err != nil {
			return store.Tip{}, err
		}
		s.past = append(s.past, before)
		if len(s.past) > maxLost {
			s.past = s.past[1:]
		}
	}
	for i := range b.Entries {
		s.note(&b.Entries[i], b.Commit)
	}
	if err := s.renew(ctx, b.Renewals); err != nil {
		return store.Tip{}, err
	}
	s.headRun = s.run
	if len(b.Entries) > 0 {
		s.wakeAll()
	}
	return s.tip, nil
}

// restarted returns the error for a restart; called with the lock held.
func (s *Server) restarted() error {
	return &store.RestartedError{Run: strconv.Itoa(s.run), At: s.now()}
}

// refuse returns why a batch on the right tip is not carried out.
func (s *Server) refuse(b *store.Batch) error {
	if b.Fence != nil && s.locks[b.Fence.Name].token != b.Fence.Token {
		return store.ErrFenced
	}
	var early []store.Deadline
	for _, d := range b.Expired {
		if known, ok := s.deadlines[d]; ok && known.at.After(s.now()) {
			early = append(early, d)
		}
	}
	if len(early) > 0 {
		return &store.NotDueError{Deadlines: early}
	}
	return nil
}

func (s *Server) remember(ctx context.Context) (moment, error) {
	copied, err := s.journal.Snapshot(ctx)
	if err != nil {
		return moment{}, err
	}
	journal, ok := copied.(*memory.Journal)
	if !ok {
		return moment{}, fmt.Errorf("a snapshot in memory is a %T", copied)
	}
	return moment{journal: journal, newest: s.newest, tip: s.tip, deadlines: maps.Clone(s.deadlines)}, nil
}

// current returns the current journal; a restart may replace it.
func (s *Server) current() *memory.Journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal
}

// renew restarts the deadlines of the records that exist after the entries.
func (s *Server) renew(ctx context.Context, renewals []store.Renewal) error {
	for _, r := range renewals {
		value, err := s.journal.Get(ctx, r.Table, []byte(r.Key))
		if err != nil {
			return err
		}
		if value != nil {
			s.deadlines[r.Deadline] = deadline{s.now().Add(r.Term), r.Term}
		}
	}
	return nil
}

// note stores the further data of an entry, and its deadlines.
func (s *Server) note(e *store.Entry, commit store.CommitID) {
	for i := range e.Records {
		s.setDeadline(&e.Records[i])
	}
	c := committed{commit: commit, prev: s.tip.Commit, records: store.Mirrored(e.Records)}
	for i := range c.records {
		r := &c.records[i]
		r.Key = slices.Clone(r.Key)
		if r.Value != nil {
			r.Value = append([]byte{}, r.Value...)
		}
	}
	s.commits[e.Position] = c
	s.tip = store.Tip{Position: e.Position, Commit: commit}
}

func (s *Server) setDeadline(r *store.Record) {
	if r.Clears() {
		maps.DeleteFunc(s.deadlines, func(d store.Deadline, _ deadline) bool { return d.Table == r.Table })
		return
	}
	key := store.Deadline{Table: r.Table, Key: string(r.Key)}
	delete(s.deadlines, key)
	if r.Value != nil && r.Term > 0 {
		s.deadlines[key] = deadline{s.now().Add(r.Term), r.Term}
	}
}

// missed returns the entries after a tip; called with the lock held.
func (s *Server) missed(after store.Tip) ([]store.Entry, error) {
	if after.Position > s.tip.Position {
		return nil, fmt.Errorf("%w: it ends at %d, before %d", store.ErrDiverged, s.tip.Position, after.Position)
	}
	if c, kept := s.commits[after.Position]; after.Position > 0 && kept && c.commit != after.Commit {
		return nil, fmt.Errorf("%w: another commit wrote entry %d", store.ErrDiverged, after.Position)
	}
	entries, err := s.entriesAfter(context.Background(), after.Position)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		if entries[i].Position != after.Position+1+store.Position(i) {
			return nil, fmt.Errorf("%w: %d", store.ErrTrimmed, after.Position+1)
		}
	}
	return entries, nil
}

// read returns the entries after a position, all at one moment: a restart may
// replace them.
func (s *Server) read(ctx context.Context, after store.Position) ([]store.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entriesAfter(ctx, after)
}

// entriesAfter returns the entries after a position; called with the lock held.
func (s *Server) entriesAfter(ctx context.Context, after store.Position) ([]store.Entry, error) {
	var entries []store.Entry
	for e, err := range s.journal.Read(ctx, after) {
		if err != nil {
			return entries, err
		}
		entries = append(entries, s.complete(e))
	}
	return entries, nil
}

func (s *Server) complete(e store.Entry) store.Entry {
	c := s.commits[e.Position]
	e.Commit, e.Prev, e.Records = c.commit, c.prev, append([]store.Record(nil), c.records...)
	return e
}
