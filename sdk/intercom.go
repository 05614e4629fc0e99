package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// Limits of an intercom subscription whose options set none.
const (
	// defaultIntercomTimeout is less than the host's own limit, so that a command that
	// waited for others can still be answered.
	defaultIntercomTimeout     = (protocol.MaxIntercomSilenceSeconds - 20) * time.Second
	defaultIntercomConcurrency = 16
)

// MaxIntercomConcurrency is the largest Concurrency of IntercomOptions.
const MaxIntercomConcurrency = 1 << 16

// ErrAnswered is the cause of an executor's ended context if its command was
// answered already: by the host after its timeout, or by another program of the
// account.
var ErrAnswered = errors.New("the command was already answered")

// ErrTookTooLong is the cause of an executor's ended context if its time is over.
var ErrTookTooLong = errors.New("the command was not completed in time")

// IntercomAnswer is an agent's answer, or a part of one.
type IntercomAnswer struct {
	// Message is the text of the answer.
	Message string
	// Result is a JSON object, at most 64 KiB; nil for none.
	Result json.RawMessage
}

// IntercomExecutor carries out one command. An error is reported to the asker as
// `failed` with the error's text, so it should say nothing that the asker must not read.
// It should return soon after its context has ended.
type IntercomExecutor func(ctx context.Context, call *IntercomCall) (IntercomAnswer, error)

// IntercomOptions configure a subscription to commands. Execute is required.
type IntercomOptions struct {
	// Execute is called for each command, from several goroutines at the same time.
	Execute IntercomExecutor
	// Agents are the agents whose commands are carried out; empty means all agents that the world has when
	// a command comes, except for those of [RemotePlayWorld.Agent]. At a host that checks credentials, a
	// world without MainNodeCredentials has to name them.
	Agents []*Agent
	// AgentIDs name agents that are not in the world yet; set only one of Agents and AgentIDs.
	AgentIDs []string
	// Timeout bounds one command; if 0 it is 20 s less than the time after which the host
	// gives up without an answer or a part of one, [protocol.MaxIntercomSilenceSeconds].
	Timeout time.Duration
	// Concurrency bounds how many commands are carried out at the same time, 16 if 0, at
	// most MaxIntercomConcurrency; others wait.
	Concurrency int
	// OnError is called for errors, one call at a time. The subscription continues. It
	// must not close the subscription or its world. If it is nil, errors are logged to
	// the world's Logger as warnings.
	OnError func(error)
	// OnConnection is called, like OnError, when a stream of commands is lost, once
	// however many reconnects fail, and when it is open again.
	OnConnection func(open bool)
}

func (o *IntercomOptions) check() error {
	switch {
	case o.Execute == nil:
		return errors.New("sdk.IntercomOptions.Execute is nil: set the function that runs commands")
	case len(o.Agents) > 0 && len(o.AgentIDs) > 0:
		return errors.New("sdk.IntercomOptions: set Agents or AgentIDs, not both")
	case o.Timeout < 0:
		return errors.New("sdk.IntercomOptions.Timeout is negative")
	case o.Concurrency < 0:
		return errors.New("sdk.IntercomOptions.Concurrency is negative")
	case o.Concurrency > MaxIntercomConcurrency:
		return fmt.Errorf("sdk.IntercomOptions.Concurrency is more than %d", MaxIntercomConcurrency)
	}
	o.AgentIDs = slices.Clone(o.AgentIDs)
	for i, id := range o.AgentIDs {
		o.AgentIDs[i] = protocol.NormalizeAgentID(id)
	}
	o.Timeout = cmp.Or(o.Timeout, defaultIntercomTimeout)
	o.Concurrency = cmp.Or(o.Concurrency, defaultIntercomConcurrency)
	return nil
}

// answers returns the agents for which this program declares that it answers.
func (o *IntercomOptions) answers(w *RemotePlayWorld) protocol.Answers {
	ids := slices.Clone(o.AgentIDs)
	for _, a := range o.Agents {
		ids = append(ids, a.PlayerID())
	}
	if len(ids) == 0 {
		return protocol.AnswersHeld(w.program)
	}
	return protocol.AnswersFor(ids...)
}

// IntercomSubscription carries out commands until it is closed; Close waits for
// its executors and for their answers.
type IntercomSubscription struct {
	subscription
	ready    chan struct{}
	listener *intercomListener
}

// SubscribeIntercomCommands carries out the commands to the world's agents. One
// stream of the main node serves them all; only a world without a main node needs
// one for each agent. It resumes after a lost connection and continues in a new
// session.
//
// Agents with functions of their own, those of [RemotePlayWorld.Agent], do not need it.
//
// Each command is carried out at most once by this subscription, even if a host sends
// it again. It is answered as `failed` if the executor returns an error, panics or
// takes too long. The subscription ends with ctx, with Close and with the world; the
// contexts of commands in progress end, and the commands are answered as `failed`
// unless they finish before.
func (w *RemotePlayWorld) SubscribeIntercomCommands(ctx context.Context, options IntercomOptions) (*IntercomSubscription, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	listener := newIntercomListener(w, &options)
	listener.sources = w.intercomSources(&options)
	return listener.start(ctx)
}

// Ready returns a channel that is closed when the host's stream is open for the first time, or every
// stream if there are several: commands that are sent from then on are carried out. A host of the
// agent-play service delays its reply until the first event: there half a second without a refusal
// counts as open.
func (s *IntercomSubscription) Ready() <-chan struct{} { return s.ready }

// intercomSources returns the clients whose streams have the agents' commands.
func (w *RemotePlayWorld) intercomSources(o *IntercomOptions) []*client.Client {
	if !w.main.IsZero() {
		return []*client.Client{w.client}
	}
	var sources []*client.Client
	known := map[string]bool{}
	add := func(c *client.Client) {
		if !known[c.Node()] {
			known[c.Node()] = true
			sources = append(sources, c)
		}
	}
	for _, a := range o.Agents {
		add(a.client)
	}
	for _, node := range w.agentNodes {
		if slices.Contains(o.AgentIDs, node.NodeID) || len(o.Agents)+len(o.AgentIDs) == 0 {
			add(w.client.As(node))
		}
	}
	if len(sources) == 0 {
		return []*client.Client{w.client}
	}
	return sources
}
