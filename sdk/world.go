package sdk

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// RemotePlayWorld is a world at a host, seen by one account. Its methods may be
// called from several goroutines. Close ends it.
type RemotePlayWorld struct {
	options Options
	client  *client.Client
	main    client.Credentials

	// life ends when Close begins; tasks are the goroutines that end with it.
	life  context.Context //nolint:containedctx // the agents' heartbeats live as long as the world
	end   context.CancelCauseFunc
	tasks sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	agents     map[string]*Agent
	placements *placements
	// sessions counts the changes of session that were noticed.
	sessions uint64
	onClose  []func()

	closing  sync.Once
	closeErr error
}

// New makes a world. It checks the options and connects to nothing: Connect
// finds out whether the host is there and takes the credentials.
func New(options Options) (*RemotePlayWorld, error) {
	w := &RemotePlayWorld{options: options, agents: map[string]*Agent{}}
	c, main, err := w.options.client(w.sessionChanged)
	if err != nil {
		return nil, err
	}
	w.main = main
	w.client = c
	w.placements = newPlacements(w)
	w.life, w.end = context.WithCancelCause(context.Background())
	if c.Exposed() {
		w.warn("credentials will cross the network in clear text: use an https:// address", "host", c.Host())
	}
	return w, nil
}

// Connect checks that the host answers and takes the main node's credentials
// and the API key, and gives the world's session. Other methods connect by
// themselves.
func (w *RemotePlayWorld) Connect(ctx context.Context) (*protocol.SessionReply, error) {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return w.client.Session(ctx)
}

// Snapshot reads the whole world. Where the host states a root, the snapshot is
// proved equal to what the host had; one that is not is read once more, and is
// a *chain.MismatchError if it still differs.
func (w *RemotePlayWorld) Snapshot(ctx context.Context) (*chain.Snapshot, error) {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	snapshot, err := w.readVerified(ctx)
	if _, differs := errors.AsType[*chain.MismatchError](err); differs {
		return w.readVerified(ctx)
	}
	return snapshot, err
}

// GetWorldSnapshot is Snapshot under the name of its operation.
func (w *RemotePlayWorld) GetWorldSnapshot(ctx context.Context) (*chain.Snapshot, error) {
	return w.Snapshot(ctx)
}

func (w *RemotePlayWorld) readVerified(ctx context.Context) (*chain.Snapshot, error) {
	text, _, err := w.client.WorldSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	snapshot, stated, err := chain.ParseSnapshot(text)
	if err != nil {
		return nil, fmt.Errorf("the host's snapshot: %w", err)
	}
	if stated.MerkleRootHex == "" {
		return snapshot, nil
	}
	if err := snapshot.Verify(stated.MerkleRootHex, stated.MerkleLeafCount); err != nil {
		return nil, err
	}
	return snapshot, nil
}

// begin starts a call: its context also ends when the world is closed. The
// caller calls done at its end.
func (w *RemotePlayWorld) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, nil, ErrClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(w.life, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }, nil
}

// start runs a task that ends with the world; false if the world is closed.
func (w *RemotePlayWorld) start(task func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.tasks.Go(task)
	return true
}

// sessionChanged is told by the client that the host has a new session: what
// this program had on the map is gone, and is put there again.
func (w *RemotePlayWorld) sessionChanged(sid string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions++
	w.options.Logger.Info("the host has a new session: agents and placements register again", "sid", sid)
	for _, a := range w.agents {
		a.wake()
	}
	w.placements.wake()
}

// warn tells the program of something that works but should not stay so.
func (w *RemotePlayWorld) warn(text string, args ...any) {
	w.options.Logger.Warn(text, args...) //nolint:sloglint // every caller passes a constant
	if w.options.OnWarning != nil {
		w.options.OnWarning(text)
	}
}
