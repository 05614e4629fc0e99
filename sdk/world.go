// Package sdk drives a world host from a Go program: it puts agents on the map
// and keeps them there, registers MCP placements, records what agents say and
// do, and follows the world with a copy that is verified against the host's.
//
//	world, err := sdk.Connect(ctx)
//	ada, err := world.Agent(ctx, "Ada", sdk.Chat(answer), sdk.Func("book", "Books a table", book))
//
// A [RemotePlayWorld] keeps the session: when the host begins another one, the
// world's agents and MCP placements register again automatically. It keeps the
// agents' leases with heartbeats until it is closed.
//
// Errors are [*github.com/playctl/playctl/protocol.Error] if the host
// refused something, and match [ErrUnreachable] if it gave no answer.
// Secrets are of type [github.com/playctl/playctl/protocol.Secret], which prints
// as a placeholder; no error and no log line holds one.
package sdk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

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
	// agentNodes are the agents of a world without a main node.
	agentNodes []client.Credentials
	// named are the credentials of known agents, by name.
	named map[string]*NodeCredentials
	// program is the prefix of the connection ids of its agents, by which a host knows
	// the agents for which its streams answer.
	program string

	// life ends when Close begins; tasks are the goroutines that end with it.
	life  context.Context //nolint:containedctx // the agents' heartbeats live as long as the world
	end   context.CancelCauseFunc
	tasks sync.WaitGroup

	mu     sync.Mutex
	closed bool
	agents map[string]*Agent
	// arriving are the agents whose registration has not been answered yet.
	arriving   map[string]*Agent
	placements *placements
	programs   *programs
	// listeners are those that answer questions.
	listeners []*intercomListener
	// sessions counts the noticed session changes.
	sessions uint64
	onClose  []func()

	closing  sync.Once
	closeErr error
}

// New returns a world. It checks the options and does not connect: Connect checks
// that the host answers and accepts the credentials.
func New(options Options) (*RemotePlayWorld, error) {
	w := &RemotePlayWorld{options: options, agents: map[string]*Agent{}, arriving: map[string]*Agent{}, program: rand.Text()}
	var err error
	if w.main, w.agentNodes, err = w.options.nodes(); err != nil {
		return nil, err
	}
	caller := w.main
	if len(w.agentNodes) > 0 {
		caller = w.agentNodes[0]
	}
	if w.client, err = w.options.client(caller, w.sessionChanged, w.unconfirmed); err != nil {
		return nil, err
	}
	w.placements = &placements{world: w, renewal: make(chan struct{}, 1), byName: map[string]placement{}, names: map[string]string{}}
	w.programs = &programs{world: w, listeners: map[string]*IntercomSubscription{}}
	w.life, w.end = context.WithCancelCause(context.Background())
	if w.client.Exposed() {
		w.warn("credentials will cross the network in clear text: use an https:// address", "host", w.client.Host())
	}
	return w, nil
}

// Connect checks that the host answers and accepts the main node's credentials
// and the API key, and returns the world's session. Other methods connect
// automatically.
func (w *RemotePlayWorld) Connect(ctx context.Context) (*protocol.SessionReply, error) {
	session, err := during(ctx, w, w.client.Session)
	if protocol.HasCode(err, protocol.CodeCredentialsMissing) {
		return nil, fmt.Errorf("%w: set sdk.Options.MainNodeCredentials", err)
	}
	return session, err
}

// Snapshot reads the whole world. If the host states a root, the snapshot is
// verified against it. A snapshot that differs is read once more; if it still
// differs, the error is a *chain.MismatchError.
func (w *RemotePlayWorld) Snapshot(ctx context.Context) (*chain.Snapshot, error) {
	return during(ctx, w, func(ctx context.Context) (*chain.Snapshot, error) {
		snapshot, err := w.readVerified(ctx)
		if _, differs := errors.AsType[*chain.MismatchError](err); differs {
			return w.readVerified(ctx)
		}
		return snapshot, err
	})
}

func (w *RemotePlayWorld) readVerified(ctx context.Context) (*chain.Snapshot, error) {
	snapshot, stated, err := w.client.World(ctx)
	if err != nil {
		return nil, err
	}
	if stated.MerkleRootHex == "" {
		return snapshot, nil
	}
	if snapshot, err = w.client.WithGenesis(ctx, snapshot); err != nil {
		return nil, err
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

// during performs a call that also ends when the world is closed.
func during[T any](ctx context.Context, w *RemotePlayWorld, call func(context.Context) (T, error)) (T, error) {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer done()
	return call(ctx)
}

// duringWith is during for a call with an argument.
func duringWith[A, T any](ctx context.Context, w *RemotePlayWorld, call func(context.Context, A) (T, error), argument A) (T, error) {
	return during(ctx, w, func(ctx context.Context) (T, error) { return call(ctx, argument) })
}

// isOK returns whether the host's reply says that there was something to remove.
func isOK(reply *protocol.OKReply, err error) (bool, error) { return err == nil && reply.OK, err }

// start runs a task that ends with the world; it returns false if the world is closed.
func (w *RemotePlayWorld) start(task func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.tasks.Go(task)
	return true
}

// sessionChanged is called when the host has a new session: this program's rows
// are no longer on the map, and are registered again.
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

// unconfirmed is called when hosts of the world may still accept deleted or replaced
// credentials.
func (w *RemotePlayWorld) unconfirmed(hosts int) {
	w.warn("not all hosts of the world have confirmed a deletion or revocation: until they do, they may accept old credentials", "hosts", hosts)
}

// warn reports a state that works but should be corrected.
func (w *RemotePlayWorld) warn(text string, args ...any) {
	w.options.Logger.Warn(text, args...) //nolint:sloglint // every caller passes a constant
	if w.options.OnWarning != nil {
		w.options.OnWarning(text)
	}
}

// RecordInteraction records a chat line of a player. It is recorded once, even if
// the host's reply is lost and the call is retried. Seq of the reply is the seq of
// the event; nil if the text was blank and nothing was recorded.
func (w *RemotePlayWorld) RecordInteraction(
	ctx context.Context, r protocol.RecordInteractionRequest,
) (*protocol.RecordInteractionReply, error) {
	return duringWith(ctx, w, w.callerFor(r.PlayerID).RecordInteraction, r)
}

// RecordJourney records a player's journey, once.
func (w *RemotePlayWorld) RecordJourney(
	ctx context.Context, r protocol.RecordJourneyRequest,
) (*protocol.RecordJourneyReply, error) {
	return duringWith(ctx, w, w.callerFor(r.PlayerID).RecordJourney, r)
}

// callerFor returns the client that writes for a player: the agent's own if this
// world added it, else the main node's.
func (w *RemotePlayWorld) callerFor(playerID string) *client.Client {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.agents[protocol.NormalizeAgentID(playerID)]; ok {
		return a.client
	}
	return w.client
}

// asked returns the agent with an id: the one on the map, else one that is being
// registered; nil if there is none.
func (w *RemotePlayWorld) asked(id string) *Agent {
	id = protocol.NormalizeAgentID(id)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range []*Agent{w.agents[id], w.arriving[id]} {
		if a != nil && !a.gone.Load() {
			return a
		}
	}
	return nil
}

// disconnectTimeout bounds the disconnects when a world is closed, if no deadline
// does: agents at an unreachable host leave the map when their leases expire.
const disconnectTimeout = 3 * time.Second

// OnClose adds a function that Close calls once, after the functions that were
// added before. On a world that is closed it is called immediately.
func (w *RemotePlayWorld) OnClose(f func()) {
	w.mu.Lock()
	if !w.closed {
		w.onClose = append(w.onClose, f)
		w.mu.Unlock()
		return
	}
	w.mu.Unlock()
	f()
}

// Close removes the world's agents from the map, ends its heartbeats and subscriptions and waits for
// them. Calls in progress end with ErrClosed. The error names agents that could not be disconnected;
// they leave the map when their leases expire. Close may be called again: it then waits for the first
// call to end and returns its error.
func (w *RemotePlayWorld) Close(ctx context.Context) error {
	w.closing.Do(func() { w.closeErr = w.shutdown(ctx) })
	return w.closeErr
}

func (w *RemotePlayWorld) shutdown(ctx context.Context) error {
	w.mu.Lock()
	w.closed = true
	agents, onClose := w.agents, w.onClose
	w.agents = map[string]*Agent{}
	w.mu.Unlock()
	w.end(ErrClosed)
	w.tasks.Wait()
	err := disconnectAll(ctx, agents)
	for _, f := range onClose {
		f()
	}
	w.client.Close()
	return err
}

// disconnectAll removes agents from the map concurrently.
func disconnectAll(ctx context.Context, agents map[string]*Agent) error {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, disconnectTimeout)
		defer cancel()
	}
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		failed  error
	)
	for _, a := range agents {
		running.Go(func() {
			if err := a.leave(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, fmt.Errorf("disconnect the agent %s: %w", a.PlayerID(), err))
			}
		})
	}
	running.Wait()
	return failed
}

// Hold keeps a program running while its agents stay on the map.
type Hold struct{ world *RemotePlayWorld }

// Hold returns the world's hold.
func (w *RemotePlayWorld) Hold() Hold { return Hold{world: w} }

// For waits for a time. It returns nil when the time has passed, the context's
// cause when that ends first, and ErrClosed when the world is closed.
func (h Hold) For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	return h.wait(ctx, timer.C)
}

// Forever waits until the context ends, and returns its cause, or until the
// world is closed, and returns ErrClosed.
func (h Hold) Forever(ctx context.Context) error { return h.wait(ctx, nil) }

func (h Hold) wait(ctx context.Context, passed <-chan time.Time) error {
	select {
	case <-passed:
		return nil
	case <-h.world.life.Done():
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// GetPlayerChainNode reads one node of the player chain, such as the row whose stable
// key is "agent:<nodeId>:<agentId>". If the host states the rev of the row, Rev is
// not nil. A key without a row is a removed row, or an Error with the code
// stable_key_unknown; a node for another key is refused.
func (w *RemotePlayWorld) GetPlayerChainNode(ctx context.Context, stableKey string) (chain.NodeReply, error) {
	reply, err := during(ctx, w, func(ctx context.Context) (chain.NodeReply, error) {
		return w.client.ChainNode(ctx, stableKey, client.At{})
	})
	if err != nil {
		return chain.NodeReply{}, err
	}
	return reply, chain.AnswersFor(reply.Node, stableKey)
}
