package world

import (
	"cmp"
	"errors"
	"io"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// Limits are the operator's bounds of a world. Zero means no limit, except for those of
// which setDefaults has a default.
type Limits struct {
	// Occupants is the cap on agents plus mcp rows; 100 by default.
	Occupants int
	// People is the cap on the rows of people; 50 by default.
	People int
	// OccupantsPerOwner is the cap for each main node.
	OccupantsPerOwner int
	// Account is the cap for each account, and World that for all accounts together.
	Account, World Amounts
	// HistoryRate is how many bytes a second an account may write, in the long run:
	// history, rows, events and everything else that its commands add to the store.
	HistoryRate int
	// ActivityRate is how many changes of agents' activities to working or idle the world
	// takes a second, 20 by default; a negative number means no limit, for one agent neither.
	ActivityRate int
	// History is how many interactions and how many journeys are kept for each
	// agent; 1,000 by default.
	History int
	// WatchTokens is how many tokens for the watch page a main node has at most; 64 by
	// default.
	WatchTokens int
	// APIKeys is how many API keys an account has at most besides the default one, those
	// that have expired included; 32 by default.
	APIKeys int
	// Invitations is how many open invitations a main node has at most, 50 by default,
	// and TotalInvitations how many the world has, 1,000 by default, those included that
	// are used up or have expired, which are removed first.
	Invitations, TotalInvitations int
}

// The defaults of Limits.
const (
	DefaultOccupants        = 100
	DefaultPeople           = 50
	DefaultActivityRate     = 20
	DefaultHistory          = 1000
	DefaultWatchTokens      = 64
	DefaultAPIKeys          = 32
	DefaultInvitations      = 50
	DefaultTotalInvitations = 1000
)

// DefaultMemoryBudget is for a machine with 512 MiB.
const DefaultMemoryBudget = 32 << 20

// Options configure a World.
type Options struct {
	// Journal stores the world. The world does not close it.
	Journal store.Journal
	// Name is this host's name for people among the hosts of the world; empty for
	// none.
	Name string
	// RootKey is the chain's genesis text and the world's mainNodeId.
	RootKey string
	// Now is the host's clock. If the journal has a server, the server's time is used.
	Now func() time.Time
	// Random is the source of the sid and of the ids of placements.
	Random io.Reader
	Limits Limits
	// NoRepository turns ownership checks off, for local play.
	NoRepository bool
	// MemoryBudget is how many bytes of memory events for streams may take:
	// DefaultMemoryBudget by default.
	MemoryBudget int
	// RingEvents is how many encoded events stay in memory for streams at most,
	// 16,384 by default; older ones are read from the journal.
	RingEvents int
	// CheckpointEvery is the number of entries between checkpoints, 4,096 by
	// default.
	CheckpointEvery int
	// Observer receives the engine's measurements; nil for none.
	Observer Observer
	// Damaged is called once for each record and entry of the store that is found
	// damaged, from any goroutine, and must return at once. If it is set, the whole store
	// is read after the start to find them; nil for none.
	Damaged func(err error)
}

// Observer receives the engine's measurements. Its methods are called from the
// goroutines of the writer and of checkpoints, at the same time too, and must return at
// once.
type Observer interface {
	// Committed is called after each batch: its commands, entries and events,
	// and how long the append took.
	Committed(commands, entries, events int, took time.Duration)
	// AppendFailed is called when a commit did not succeed.
	AppendFailed(err error)
	// ActivityReported is called for each activity that an agent reported: whether it
	// changed the row, left it as it was, or was refused by a limit.
	ActivityReported(state string, result ActivityResult)
	// CheckpointDone is called after each checkpoint; err is nil if it succeeded.
	CheckpointDone(took time.Duration, err error)
}

// ActivityResult is what became of a reported activity.
type ActivityResult string

// The results of a reported activity.
const (
	ActivityChanged   ActivityResult = "changed"
	ActivityUnchanged ActivityResult = "unchanged"
	ActivityRefused   ActivityResult = "refused"
)

func (o *Options) check() error {
	switch {
	case o.Journal == nil:
		return errors.New("world: Options.Journal is missing")
	case o.RootKey == "":
		return errors.New("world: Options.RootKey is empty")
	case o.Now == nil:
		return errors.New("world: Options.Now is missing")
	case o.Random == nil:
		return errors.New("world: Options.Random is missing")
	}
	o.Limits.setDefaults()
	o.MemoryBudget = cmp.Or(o.MemoryBudget, DefaultMemoryBudget)
	o.RingEvents = cmp.Or(o.RingEvents, 16_384)
	o.CheckpointEvery = cmp.Or(o.CheckpointEvery, 4_096)
	if o.Observer == nil {
		o.Observer = noObserver{}
	}
	return nil
}

// setDefaults sets the limits that have a default and are zero.
func (l *Limits) setDefaults() {
	l.Occupants = cmp.Or(l.Occupants, DefaultOccupants)
	l.People = cmp.Or(l.People, DefaultPeople)
	l.ActivityRate = cmp.Or(l.ActivityRate, DefaultActivityRate)
	l.History = cmp.Or(l.History, DefaultHistory)
	l.WatchTokens = cmp.Or(l.WatchTokens, DefaultWatchTokens)
	l.APIKeys = cmp.Or(l.APIKeys, DefaultAPIKeys)
	l.Invitations = cmp.Or(l.Invitations, DefaultInvitations)
	l.TotalInvitations = cmp.Or(l.TotalInvitations, DefaultTotalInvitations)
}

type noObserver struct{}

func (noObserver) Committed(_, _, _ int, _ time.Duration)  {}
func (noObserver) AppendFailed(error)                      {}
func (noObserver) ActivityReported(string, ActivityResult) {}
func (noObserver) CheckpointDone(_ time.Duration, _ error) {}
