package sdk

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// AgentOptions put an agent on the map. AgentID or credentials with an id, Name
// and Tools are required.
type AgentOptions struct {
	// AgentID is the agent's node id. It may be empty if Credentials have it.
	AgentID string
	// Credentials are the agent's own; if nil the main node acts for it, which works
	// but lets every agent of the account act for every other.
	Credentials *NodeCredentials
	// Name is the agent's name on the map.
	Name string
	// Type is the agent's platform; the framework's name if empty.
	Type string
	// Tools are the agent's tools.
	Tools *FrameworkRegistration
	// EnableP2A reports whether people may talk to the agent directly.
	EnableP2A bool
	// RealtimeInstructions are for realtime talk; at most 8 KiB.
	RealtimeInstructions string
	// ParentID is the id of the agent that started this one, empty for none. It need not be
	// on the map.
	ParentID string
	// Group is what people sort agents by, such as a project: at most
	// [protocol.MaxGroupChars] characters, or empty.
	Group string
	// OwnActivity leaves what the agent does to the program, from the beginning; see
	// [Agent.Working].
	OwnActivity bool
	// LeaseTTL is how long the host keeps the agent without a heartbeat,
	// [protocol.DefaultLeaseTTLSeconds] if 0. The host grants 5 s to 300 s.
	LeaseTTL time.Duration
	// Permanent registers without a lease: the agent stays on the map, even after this
	// program has ended, until it is removed.
	Permanent bool
	// OnLost is called once if the agent cannot be kept on the map because the host
	// refuses to register it again. It may disconnect the agent; it must not close the
	// world. It may be nil.
	OnLost func(err error)
}

// Agent is an agent that this program keeps on the map.
type Agent struct {
	world   *RemotePlayWorld
	client  *client.Client
	request protocol.RegisterRequest
	onLost  func(error)
	renewal chan struct{}
	leaving context.Context //nolint:containedctx // ends the heartbeats when the agent is disconnected
	stop    context.CancelFunc
	kept    chan struct{} // closed when the heartbeats have ended
	program *agentProgram // answers for it; nil if an executor does
	arrived chan struct{} // closed when its registration has finished
	// activity sends what it does now.
	activity *activitySender
	// gone is set when its registration failed, or when it leaves and its program no
	// longer answers.
	gone atomic.Bool
	// contested is set once the agent was reported as held by another program. It
	// belongs to the heartbeats.
	contested bool

	mu    sync.Mutex
	reply *protocol.RegisterReply
	lost  error
}

// AddAgent puts an agent on the map and keeps it there until it is disconnected or
// the world is closed: its lease is renewed after a third of its term, and it
// registers again when the host no longer knows it. An agent that is added twice
// is one agent, held by the newer call.
func (w *RemotePlayWorld) AddAgent(ctx context.Context, options AgentOptions) (*Agent, error) {
	a, err := w.newAgent(&options)
	if err != nil {
		return nil, err
	}
	if err := w.hold(ctx, a); err != nil {
		return nil, err
	}
	return a, nil
}

// hold registers an agent and keeps it.
func (w *RemotePlayWorld) hold(ctx context.Context, a *Agent) error {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		a.stop()
		return err
	}
	defer done()
	sessions := w.expect(a)
	switch err = a.register(ctx); {
	case err == nil:
		err = w.adopt(ctx, a, sessions)
	case ctx.Err() != nil && a.request.ConnectionID != "":
		a.withdraw(ctx)
	default:
		a.stop()
	}
	w.settle(a, err)
	if err == nil {
		w.showsIdle(a)
	}
	return err
}

// expect records that an agent is being registered: a question can reach it before this
// program has read the reply. It returns the number of noticed session changes.
func (w *RemotePlayWorld) expect(a *Agent) (sessions uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arriving[a.PlayerID()] = a
	return w.sessions
}

// settle releases pending questions to the agent with the result of its registration.
func (w *RemotePlayWorld) settle(a *Agent, err error) {
	if err != nil {
		a.gone.Store(true)
	}
	close(a.arrived)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.arriving[a.PlayerID()] == a {
		delete(w.arriving, a.PlayerID())
	}
}

// answers waits for the agent's registration, and reports whether it succeeded before
// ctx ended.
func (a *Agent) answers(ctx context.Context) bool {
	select {
	case <-a.arrived:
		return !a.gone.Load()
	case <-ctx.Done():
		return false
	}
}

// AddPlayer does what AddAgent does, under its older name.
//
// Deprecated: use AddAgent.
func (w *RemotePlayWorld) AddPlayer(ctx context.Context, options AgentOptions) (*Agent, error) {
	return w.AddAgent(ctx, options)
}

func (w *RemotePlayWorld) newAgent(o *AgentOptions) (*Agent, error) {
	if o.Tools == nil {
		return nil, errors.New("sdk.AgentOptions.Tools is nil: create it with NewFrameworkRegistration")
	}
	if err := within("sdk.AgentOptions.Name", o.Name, protocol.MaxNameChars); err != nil {
		return nil, err
	}
	node, err := w.agentNode(o)
	if err != nil {
		return nil, err
	}
	a := &Agent{
		world: w, client: w.client.As(node.caller), onLost: o.OnLost,
		renewal: make(chan struct{}, 1), kept: make(chan struct{}), arrived: make(chan struct{}),
		request: protocol.RegisterRequest{
			Name: o.Name, Type: cmp.Or(o.Type, o.Tools.Framework()), Agent: o.Tools.spec(), AgentID: node.agentID,
			MainNodeID: w.main.NodeID, EnableP2A: protocol.P2AOff, RealtimeInstructions: o.RealtimeInstructions,
			ParentID: o.ParentID, Group: o.Group,
		},
	}
	a.leaving, a.stop = context.WithCancel(w.life)
	if o.EnableP2A {
		a.request.EnableP2A = protocol.P2AOn
	}
	if !o.Permanent {
		a.request.ConnectionID = w.program + "-" + rand.Text()
		a.request.LeaseTTLSeconds = int((o.LeaseTTL + time.Second - 1) / time.Second)
	}
	a.activity = newActivitySender(a)
	a.activity.answering.own = o.OwnActivity
	return a, nil
}

// agentNode is an agent's id with the credentials that act for it.
type agentNode struct {
	agentID string
	caller  client.Credentials
}

// agentNode returns an agent's id with the credentials that act for it: the agent's own
// if it has some, else the main node's, with a warning.
func (w *RemotePlayWorld) agentNode(o *AgentOptions) (agentNode, error) {
	agentID := protocol.NormalizeAgentID(o.AgentID)
	if o.Credentials != nil {
		own := *o.Credentials
		own.NodeID = cmp.Or(own.NodeID, agentID)
		node, err := own.resolve()
		if err != nil {
			return agentNode{}, fmt.Errorf("sdk.AgentOptions.Credentials: %w", err)
		}
		if agentID != "" && agentID != node.NodeID {
			return agentNode{}, errors.New("sdk.AgentOptions: AgentID and Credentials.NodeID name different nodes")
		}
		return agentNode{node.NodeID, node}, nil
	}
	if agentID == "" {
		return agentNode{}, errors.New("sdk.AgentOptions: set AgentID, or Credentials that have it")
	}
	caller := w.main
	if !caller.IsZero() {
		w.warn("an agent has no credentials of its own, so the main node's are used", "agentId", agentID)
	}
	if w.client.Service() != protocol.ServicePlay && !caller.IsZero() {
		// The agent-play service knows the owner by its hash, next to the agent's id.
		caller.NodeID = agentID
	}
	return agentNode{agentID, caller}, nil
}

// register puts the agent on the map or updates its row.
func (a *Agent) register(ctx context.Context) error {
	reply, err := a.client.Register(ctx, &a.request)
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.reply = reply
	a.mu.Unlock()
	a.activity.registered()
	return nil
}

// withdraw undoes a canceled registration: the host may have carried it out nevertheless,
// and would keep the agent until its lease expires.
func (a *Agent) withdraw(ctx context.Context) {
	a.client = a.client.WithRetry(retry.Policy{Attempts: 1})
	_ = a.leaveUnkept(ctx) // an agent that is not registered cannot leave
}

// leaveUnkept removes an agent without heartbeats from the map, even if ctx has ended.
func (a *Agent) leaveUnkept(ctx context.Context) error {
	close(a.kept)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), disconnectTimeout)
	defer cancel()
	return a.leave(limited)
}

// adopt adds a registered agent to the world. If the session changed meanwhile,
// the agent was not woken and registers again.
func (w *RemotePlayWorld) adopt(ctx context.Context, a *Agent, sessions uint64) error {
	id := a.PlayerID()
	w.mu.Lock()
	closed := w.closed
	before := w.agents[id]
	if !closed {
		w.agents[id] = a
		w.tasks.Go(a.keep)
		if w.sessions != sessions {
			a.wake()
		}
	}
	w.mu.Unlock()
	if closed {
		return errors.Join(ErrClosed, a.leaveUnkept(ctx))
	}
	if before != nil {
		before.stop()
	}
	return nil
}

// PlayerID returns the agent's id on the map, which is its node id.
func (a *Agent) PlayerID() string { return a.request.AgentID }

// Registration returns the host's reply to the newest registration. It is shared:
// do not modify it.
func (a *Agent) Registration() *protocol.RegisterReply {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reply
}

// Err returns why the agent could not be kept, nil while it is kept.
func (a *Agent) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lost
}

// Say records what the agent said; a blank text is an error.
func (a *Agent) Say(ctx context.Context, text string) (*protocol.RecordInteractionReply, error) {
	if protocol.TrimSpace(text) == "" {
		return nil, errors.New("the text is blank, so nothing was said")
	}
	return a.world.RecordInteraction(ctx, protocol.RecordInteractionRequest{
		PlayerID: a.PlayerID(), Role: protocol.RoleAssistant, Text: text,
	})
}

// RecordJourney records a journey of the agent.
func (a *Agent) RecordJourney(ctx context.Context, journey protocol.Journey) (*protocol.RecordJourneyReply, error) {
	return a.world.RecordJourney(ctx, protocol.RecordJourneyRequest{PlayerID: a.PlayerID(), Journey: journey})
}

// Disconnect removes the agent from the map, unless a newer registration holds it, and
// ends its heartbeats. Calls of functions of [RemotePlayWorld.Agent] are ended and
// answered before. It may be called again.
func (a *Agent) Disconnect(ctx context.Context) error {
	a.world.programs.remove(ctx, a)
	a.world.mu.Lock()
	holder := a.world.agents[a.PlayerID()]
	if holder == a {
		delete(a.world.agents, a.PlayerID())
	}
	a.world.mu.Unlock()
	if holder != nil && holder != a {
		a.stop()
		<-a.kept
		return nil
	}
	return a.leave(ctx)
}

// leave ends the heartbeats first: a heartbeat in progress must not register the
// agent again after it was disconnected.
func (a *Agent) leave(ctx context.Context) error {
	a.stop()
	<-a.kept
	a.activity.flush(ctx)
	_, err := a.client.Disconnect(ctx, protocol.DisconnectRequest{
		PlayerID: a.PlayerID(), ConnectionID: a.request.ConnectionID,
	})
	if protocol.HasCode(err, protocol.CodePlayerUnknown) {
		return nil
	}
	return err
}
