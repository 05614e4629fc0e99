package world

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

func ask(requestID, owner, agent string) IntercomCommand {
	return IntercomCommand{IntercomCommand: protocol.IntercomCommand{
		RequestID: requestID, MainNodeID: owner, FromPlayerID: protocol.HumanLabel, ToPlayerID: agent,
		Kind: protocol.IntercomAssist, ToolName: "assist_find", Args: json.RawMessage(`{"q":1}`),
	}}
}

func answer(requestID, owner, agent, status string) IntercomResponse {
	r := protocol.IntercomResponse{
		RequestID: requestID, MainNodeID: owner, FromPlayerID: agent, ToPlayerID: protocol.HumanLabel,
		Kind: protocol.IntercomAssist, Status: status, TS: "2026-01-02T03:04:05.000Z",
		Result: json.RawMessage(`{"message":"found","realtimeWebrtc":{"clientSecret":"ek_hidden"}}`),
	}
	if status == protocol.IntercomFailed {
		r.Error = "no"
	}
	return IntercomResponse{r}
}

// statuses lists the statuses of the intercom events after a seq.
func (f *fixture) statuses(after uint64) []string {
	f.t.Helper()
	var out []string
	for _, e := range f.events(after) {
		var data protocol.IntercomEvent
		if err := json.Unmarshal(e.Data, &data); err != nil {
			f.t.Fatal(err)
		}
		if data.FromPlayerID == protocol.HumanLabel {
			f.t.Errorf("the ids of %s are not swapped", data.Status)
		}
		out = append(out, data.Status)
	}
	return out
}

func TestRequestIsForwardedAndAnsweredOnce(t *testing.T) {
	f := open(t)
	owner, stranger := f.main("owner"), f.main("stranger")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	cursor, rev := f.View().Seq, f.View().Rev

	f.as(stranger, ask("r1", owner, a))
	f.as(stranger, ask("r1", owner, a))
	_, err := f.try(owner, ask("r1", owner, a))
	wantCode(t, err, protocol.CodeForbidden)
	_, err = f.try(stranger, answer("r1", owner, a, protocol.IntercomCompleted))
	wantCode(t, err, protocol.CodeForbidden)
	f.as(a, answer("r1", owner, a, protocol.IntercomStream))
	f.as(owner, answer("r1", owner, a, protocol.IntercomCompleted))
	_, err = f.try(a, answer("r1", owner, a, protocol.IntercomCompleted))
	wantCode(t, err, protocol.CodeRequestUnknown)
	f.reopen()
	f.as(stranger, ask("r1", owner, a))

	want := []string{"started", "forwarded", "stream", "completed"}
	if got := f.statuses(cursor); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	if f.View().Rev != rev {
		t.Error("an intercom changed the map's rev")
	}
}

func TestRequestAudience(t *testing.T) {
	f := open(t)
	owner, asker, other := f.main("owner"), f.main("asker"), f.main("other")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	cursor := f.View().Seq
	f.as(asker, ask("r1", owner, a))
	for _, e := range f.events(cursor) {
		for caller, want := range map[Caller]bool{
			{NodeID: a}: true, {NodeID: owner}: true, {NodeID: asker}: true, {Admin: true}: true,
			{NodeID: other}: false, {Viewer: "v"}: false, {}: false,
			{Unchecked: true}: true, {Unchecked: true, NodeID: other}: false,
		} {
			if e.VisibleTo(caller) != want {
				t.Errorf("visible to %+v: %v, want %v", caller, !want, want)
			}
		}
	}
}

func TestRealtimeSecretReachesOnlyAskersLiveStream(t *testing.T) {
	f := open(t)
	owner, asker := f.main("owner"), f.main("asker")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	f.as(asker, ask("r1", owner, a))
	cursor := f.View().Seq
	f.as(a, answer("r1", owner, a, protocol.IntercomCompleted))

	events, _, err := f.Events().Since(cursor, nil)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	const secret = "ek_hidden"
	e := events[0]
	if frame := whole(e.FrameFor(Caller{NodeID: asker}, true, true)); !strings.Contains(string(frame), secret) {
		t.Error("the asker's live stream lacks the secret")
	}
	for name, frame := range map[string][]byte{
		"replay to the asker": whole(e.FrameFor(Caller{NodeID: asker}, true, false)),
		"the agent":           whole(e.FrameFor(Caller{NodeID: a}, true, true)),
		"the administrator":   whole(e.FrameFor(Caller{Admin: true}, false, true)),
		"data":                e.Data,
		"journal":             inlineFrame(f.events(cursor)[0]),
	} {
		if strings.Contains(string(frame), secret) {
			t.Errorf("%s: contains the secret", name)
		}
	}
	for _, table := range store.Tables() {
		for pair, err := range f.journal.Scan(context.Background(), table, store.Range{}) {
			if err != nil || strings.Contains(string(pair.Value), secret) {
				t.Errorf("table %s contains the secret (%v)", table, err)
			}
		}
	}
}

func TestUnansweredRequestFails(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	cursor := f.View().Seq
	f.as(owner, ask("r1", owner, a))
	f.clock.Advance(119 * time.Second)
	f.as(a, answer("r1", owner, a, protocol.IntercomStream))
	f.clock.Advance(119 * time.Second)
	f.sweep()
	if got := f.statuses(cursor); len(got) != 3 {
		t.Fatalf("events %v: a partial answer does not restart the time", got)
	}
	f.clock.Advance(time.Second)
	f.sweep()
	f.sweep()
	if got := f.statuses(cursor); len(got) != 4 || got[3] != "failed" {
		t.Fatalf("events %v, want one failed at the end", got)
	}
	f.clock.Advance(24 * time.Hour)
	f.sweep()
	for pair, err := range f.journal.Scan(context.Background(), store.Intercom, store.Range{}) {
		t.Errorf("the table still has %q (%v)", pair.Key, err)
	}
}

func TestInvalidIntercomIsRefused(t *testing.T) {
	f := open(t)
	owner, stranger := f.main("owner"), f.main("stranger")
	a, absent := f.agent(owner, "a"), f.agent(owner, "absent")
	f.as(a, registration(a))
	wrongTool, wrongOwner, asAgent := ask("r", owner, a), ask("r", stranger, a), ask("r", owner, a)
	wrongTool.ToolName, asAgent.FromPlayerID = "assist_fly", a
	for name, c := range map[string]struct {
		caller  string
		command Command
		code    protocol.Code
	}{
		"an unknown tool":          {stranger, wrongTool, protocol.CodeToolUnknown},
		"a wrong owner":            {stranger, wrongOwner, protocol.CodePlayerUnknown},
		"an agent not on the map":  {stranger, ask("r", owner, absent), protocol.CodePlayerUnknown},
		"as a foreign agent":       {stranger, asAgent, protocol.CodeForbidden},
		"a tool through the route": {stranger, AssistTool{protocol.AssistToolRequest{TargetPlayerID: a, ToolName: "nope"}}, protocol.CodeToolUnknown},
	} {
		seq := f.View().Seq
		_, err := f.try(c.caller, c.command)
		if protocol.CodeOf(err) != c.code || f.View().Seq != seq {
			t.Errorf("%s: %v, want %s and no event", name, err, c.code)
		}
	}
}

func TestMainNodeAsksUnderItsOwnID(t *testing.T) {
	f := open(t)
	owner, asker, stranger := f.main("owner"), f.main("asker"), f.main("stranger")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	question := ask("r1", owner, a)
	question.FromPlayerID = asker
	f.as(asker, question)
	question.RequestID = "r2"
	_, err := f.try(stranger, question)
	wantCode(t, err, protocol.CodeForbidden)
}
