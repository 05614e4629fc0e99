package stream

import (
	"slices"
	"testing"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// printed is a display that remembers the kinds of the events that it was given.
type printed struct {
	display
	kinds []protocol.EventKind
}

func (d *printed) event(result eventResult, _ render.Event, _ *render.Names, _ render.Status) error {
	d.kinds = append(d.kinds, result.Event)
	return nil
}

// --player selects every event that names the player, also if the player joined after the
// start.
func TestEventsOfAPlayer(t *testing.T) {
	t.Parallel()
	events := []struct {
		kind protocol.EventKind
		data string
	}{
		{protocol.EventPersonAdded, `{"person":{"kind":"human","id":"p1","name":"Robin"}}`},
		{protocol.EventAgentSignal, `{"playerId":"bob","kind":"chat","data":{"fromPlayerId":"p1"}}`},
		{protocol.EventPersonRemoved, `{"personId":"p1","reason":"disconnect"}`},
		{protocol.EventPlayerAdded, `{"player":{"kind":"agent","agentId":"bob","name":"Bob"}}`},
		{protocol.EventInteraction, `{"playerId":"bob","role":"user","text":"Hello"}`},
		{protocol.EventJourney, `{"playerId":"bob","journey":{"steps":[]},"path":[]}`},
		{protocol.EventIntercom, `{"requestId":"r","fromPlayerId":"bob","toPlayerId":"__human__"}`},
		{protocol.EventPlayerRemoved, `{"playerId":"bob","reason":"disconnect"}`},
		{protocol.EventMCPRegistered, `{"mcp":{"kind":"mcp","id":"m1","name":"weather"}}`},
		{protocol.EventMCPUnregistered, `{"id":"m1","reason":"admin"}`},
		{protocol.EventSpaceChanged, `{"spaceId":"s1","action":"created"}`},
		{protocol.EventSessionReset, `{"reason":"admin","sid":"s"}`},
	}
	for player, want := range map[string][]protocol.EventKind{
		"p1":        {protocol.EventPersonAdded, protocol.EventAgentSignal, protocol.EventPersonRemoved},
		"Robin":     {protocol.EventPersonAdded, protocol.EventAgentSignal, protocol.EventPersonRemoved},
		"Bob":       {protocol.EventPlayerAdded, protocol.EventInteraction, protocol.EventJourney, protocol.EventIntercom, protocol.EventPlayerRemoved},
		"__human__": {protocol.EventIntercom},
		"weather":   {protocol.EventMCPRegistered, protocol.EventMCPUnregistered},
		"s1":        {protocol.EventSpaceChanged},
		"s":         nil,
	} {
		shown := &printed{}
		tail := &tailer{
			shown: shown, present: 100, flags: &tailFlags{follow: true}, caller: &command.Caller{}, pick: &selection{player: player}, quiet: stoppedTimer(),
		}
		for i, e := range events {
			if _, err := tail.event(&sdk.Event{Kind: e.kind, Seq: uint64(i) + 1, HasSeq: true, Data: []byte(e.data)}); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(shown.kinds, want) {
			t.Errorf("of %s tail prints %v, want %v", player, shown.kinds, want)
		}
	}
}
