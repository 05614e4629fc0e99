package sdk

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// ErrAgentFailed is matched by the error of Ask if the agent, or the host for
// it, answered `failed`.
var ErrAgentFailed = errors.New("the agent failed")

// IntercomQuestion is a question to an agent. To is required, and Text or Tool.
type IntercomQuestion struct {
	// To is the agent's id; it need not be one of the account's.
	To string
	// From is the agent of the account that asks; empty for a person.
	From string
	// Text is the text to say to the agent.
	Text string
	// Tool is the tool to call instead, with Args, a JSON object or nil.
	Tool string
	Args json.RawMessage
	// Realtime asks for a realtime talk instead; the answer's result may hold a
	// client secret, which must not be kept, shown or logged.
	Realtime bool
	// OnPartial is called for each part of the answer before its end. It may be
	// nil.
	OnPartial func(*protocol.IntercomEvent)
}

// Ask asks an agent and waits for its answer; the context bounds the wait, and the
// host gives up after [protocol.MaxIntercomSilenceSeconds] without a part of the answer. If
// the agent answers `failed` the error matches ErrAgentFailed, and the event is returned as well. If
// the host knows that no program answers for the agent the error is immediately a
// *protocol.Error with [protocol.CodeAgentNotAnswering].
func (w *RemotePlayWorld) Ask(ctx context.Context, q IntercomQuestion) (*protocol.IntercomEvent, error) {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	caller := w.client
	if q.From != "" {
		caller = w.callerFor(q.From)
	}
	command, before, err := w.commandFor(ctx, caller, &q)
	if err != nil {
		return nil, err
	}
	a := &asking{ctx: ctx, command: command, before: before, caller: caller, question: &q}
	return a.run()
}

// commandFor returns the command of a question, and a position of the log before it;
// nil on hosts that do not number events.
func (w *RemotePlayWorld) commandFor(ctx context.Context, caller *client.Client, q *IntercomQuestion) (*protocol.IntercomCommand, *uint64, error) {
	command := &protocol.IntercomCommand{
		RequestID: rand.Text(), FromPlayerID: q.From, ToPlayerID: protocol.NormalizeAgentID(q.To),
		Kind: protocol.IntercomChat, Text: q.Text, ToolName: q.Tool, Args: q.Args,
	}
	switch {
	case protocol.TrimSpace(q.To) == "":
		return nil, nil, errors.New("sdk.IntercomQuestion.To is empty: set the id of the agent, which is its PlayerID")
	case len(q.Args) > 0 && !json.Valid(q.Args):
		return nil, nil, errors.New("sdk.IntercomQuestion.Args is not JSON: set an object, such as {\"guests\": 2}, or nil")
	case q.Tool != "":
		command.Kind = protocol.IntercomAssist
	case q.Realtime:
		command.Kind = protocol.IntercomRealtime
	case protocol.TrimSpace(q.Text) == "":
		return nil, nil, errors.New("sdk.IntercomQuestion: set Text or Tool")
	}
	command.FromPlayerID = cmp.Or(command.FromPlayerID, protocol.HumanLabel)
	owner, seq, err := ownerOnMap(ctx, caller, command.ToPlayerID)
	if err != nil {
		return nil, nil, err
	}
	command.MainNodeID = owner
	return command, seq, nil
}

// ownerOnMap returns the owner of an agent on the map, and the log position of that map.
func ownerOnMap(ctx context.Context, c *client.Client, agentID string) (owner string, seq *uint64, err error) {
	snapshot, _, err := c.World(ctx)
	if err != nil {
		return "", nil, err
	}
	for row := range snapshot.Occupants() {
		if agent, ok := row.(*protocol.Agent); ok && agent.AgentID == agentID {
			return agent.NodeID, snapshot.Head().Seq, nil
		}
	}
	return "", nil, protocol.Errorf(protocol.CodePlayerUnknown, "the agent %s is not on the map", agentID)
}

// asking waits for the answer to one command.
type asking struct {
	ctx      context.Context //nolint:containedctx // one call's own
	command  *protocol.IntercomCommand
	before   *uint64 // a position of the log before the command; nil if there is none
	caller   *client.Client
	question *IntercomQuestion
	sent     bool
}

// run sends the command once the stream is open, so that no answer is missed, and
// reads the stream to the answer. A host that delays the stream's headers gets the
// command without waiting for them: the stream begins before it if the host
// numbers its events.
func (a *asking) run() (*protocol.IntercomEvent, error) {
	options := client.StreamOptions{Answers: protocol.AnswersFor()}
	if a.before != nil {
		options.After, options.HasAfter = *a.before, true
	}
	stream := a.caller.Events(a.ctx, options)
	defer stream.Close()
	headers, cancel := context.WithTimeout(a.ctx, headersTimeout)
	defer cancel()
	var lost error
	for {
		signal, err := a.next(headers, stream)
		switch {
		case a.ctx.Err() != nil:
			return nil, errors.Join(context.Cause(a.ctx), lost)
		case final(signal.Err):
			return nil, signal.Err
		case errors.Is(signal.Err, client.ErrGap) && a.sent:
			return nil, fmt.Errorf("%w; the answer may be among them", signal.Err)
		case err != nil, signal.Type == client.SignalOpen, signal.Type == client.SignalCursor:
			if err := a.send(); err != nil {
				return nil, err
			}
		case signal.Type == client.SignalLost:
			lost = signal.Err
		case signal.Type == client.SignalEvent:
			if answer, err := a.event(signal); answer != nil || err != nil {
				return answer, err
			}
		}
	}
}

// next waits for the stream; before the command is sent no longer than for its
// headers.
func (a *asking) next(headers context.Context, stream *client.Stream) (client.Signal, error) {
	if a.sent {
		return stream.Next(a.ctx)
	}
	return stream.Next(headers)
}

func (a *asking) send() error {
	if a.sent {
		return nil
	}
	a.sent = true
	_, err := a.caller.IntercomCommand(a.ctx, a.command, true)
	return err
}

// event returns the answer if the event ends it.
func (a *asking) event(signal client.Signal) (*protocol.IntercomEvent, error) {
	switch {
	case signal.Event.Kind == protocol.EventSessionReset:
		return nil, errors.New("the world started a new session, which does not know the question: ask again")
	case signal.Event.Kind != protocol.EventIntercom:
		return nil, nil //nolint:nilnil // nothing of this question
	}
	var event protocol.IntercomEvent
	if err := signal.Event.Decode(&event); err != nil {
		return nil, fmt.Errorf("an intercom event cannot be read: %w", err)
	}
	if event.RequestID != a.command.RequestID {
		return nil, nil //nolint:nilnil // of another question
	}
	switch event.Status {
	case protocol.IntercomStream:
		if a.question.OnPartial != nil {
			a.question.OnPartial(&event)
		}
	case protocol.IntercomCompleted:
		return &event, nil
	case protocol.IntercomFailed:
		return &event, fmt.Errorf("%w: %s", ErrAgentFailed, event.Error)
	}
	return nil, nil //nolint:nilnil // the answer continues
}
