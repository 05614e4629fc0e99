package sdk

import (
	"context"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// RecordInteraction records what a player said. It is recorded once, also where
// the host's answer is lost and the call repeats. Seq of the reply is the
// event's; nil where the text was blank and nothing was recorded.
func (w *RemotePlayWorld) RecordInteraction(
	ctx context.Context, r protocol.RecordInteractionRequest,
) (*protocol.RecordInteractionReply, error) {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return w.callerFor(r.PlayerID).RecordInteraction(ctx, r)
}

// RecordJourney records a player's journey, once.
func (w *RemotePlayWorld) RecordJourney(
	ctx context.Context, r protocol.RecordJourneyRequest,
) (*protocol.RecordJourneyReply, error) {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return w.callerFor(r.PlayerID).RecordJourney(ctx, r)
}

// callerFor is who writes for a player: the agent itself where this world added
// it, else the main node.
func (w *RemotePlayWorld) callerFor(playerID string) *client.Client {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.agents[protocol.NormalizeAgentID(playerID)]; ok {
		return a.client
	}
	return w.client
}
