package host

import (
	"net/http"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// A client that requests it learns at once that no program answers; other clients
// get the same replies as before.
func TestIfAnsweringRefusesWithoutProgram(t *testing.T) {
	f := newFixture(t)
	owner, stranger := f.main(), f.main()
	agent := f.player(owner)
	n := f.serve()
	asked := 0
	ask := func(query string) *reply {
		asked++
		body := map[string]any{"op": "intercomCommand", "payload": map[string]any{
			"requestId": "r" + itoa(uint64(asked)), "mainNodeId": owner.id, "fromPlayerId": "__human__", "toPlayerId": agent.id,
			"kind": "chat", "text": "Hello?",
		}}
		return f.post(f.play("/sdk/rpc")+query, body, as(stranger))
	}
	listed := func(who identity) protocol.AnsweringAgent {
		var reply protocol.ListAnsweringReply
		f.rpc("listAnswering", map[string]any{}, as(who)).into(&reply)
		if len(reply.Agents) != 1 || reply.Agents[0].PlayerID != agent.id {
			t.Fatalf("listAnswering returns %+v", reply.Agents)
		}
		return reply.Agents[0]
	}
	const wanted = "&" + protocol.QueryIfAnswering + "=1"
	ask(wanted).refused(protocol.CodeAgentNotAnswering)
	ask("").ok()
	defer n.subscribe(as(owner), "&answers=").close()
	ask(wanted).refused(protocol.CodeAgentNotAnswering)
	if got := listed(stranger); got.Answering != protocol.AnsweringNo || got.AskedAt != "" {
		t.Errorf("a stranger gets %+v", got)
	}
	if got := listed(owner); got.AskedAt == "" {
		t.Errorf("the owner gets %+v", got)
	}
	defer n.subscribe(as(agent), "&answers="+agent.id).close()
	ask(wanted).ok()
	if got := listed(stranger); got.Answering != protocol.AnsweringYes {
		t.Errorf("with a program a stranger gets %+v", got)
	}
}

func TestStreamWithoutAnswersParameterMayAnswer(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	agent := f.player(owner)
	n := f.serve()
	defer n.subscribe(as(owner), "").close()
	f.do(http.MethodPost, f.play("/sdk/rpc")+"&ifAnswering=1", map[string]any{"op": "intercomCommand", "payload": map[string]any{
		"requestId": "r1", "mainNodeId": owner.id, "fromPlayerId": owner.id, "toPlayerId": agent.id, "kind": "chat", "text": "Hello?",
	}}, as(owner)).ok()
}
