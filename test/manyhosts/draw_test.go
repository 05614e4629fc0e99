//go:build full

package manyhosts

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// likely are the verbs, each as often as its weight. A create takes a host as long
// as a hundred others, whether it is refused or not.
var likely = []verb{
	register, register, register, register, register, disconnect, heartbeat, say, say, say, say, travel, travel, act, act, act, zone, zone,
	remove, create, ask, ask, answer, answer, place, place, place, withdraw, createSpace, createSpace, addAmenity, removeAmenity, removeSpace,
	look, look, look, look, look,
}

// draw chooses the next op and its request.
func (w *worker) draw() (*op, hostprocess.Request, hostprocess.Node) {
	w.done++
	o := &op{
		worker: w.number, number: w.done, verb: likely[w.random.IntN(len(likely))], keyed: w.random.IntN(4) > 0,
		mark: fmt.Sprintf("s%dw%dn%d", w.seed, w.number, w.done),
	}
	r := hostprocess.Request{Method: http.MethodPost}
	switch o.verb {
	case register, disconnect, heartbeat, say, travel, act, zone, remove, create, ask:
		w.drawAgent(o, &r)
	case answer:
		w.drawAnswer(o, &r)
	case place, withdraw:
		w.drawPlacement(o, &r)
	case createSpace, addAmenity, removeAmenity, removeSpace:
		w.drawSpace(o, &r)
	case look:
		w.drawLook(o, &r)
	}
	if o.verb == heartbeat || o.verb == act || o.verb == look {
		o.keyed = false
	}
	if o.keyed {
		r.Key = fmt.Sprintf("key-%s-%d", o.mark, w.random.Uint64())
	}
	return o, r, w.account.Main
}

func (w *worker) at(path string) string { return path + "?" + url.Values{"sid": {w.sid}}.Encode() }

func (w *worker) rpc(o protocol.Op, payload map[string]any) map[string]any {
	return map[string]any{"op": o, "payload": payload}
}

func (w *worker) drawAgent(o *op, r *hostprocess.Request) {
	i := w.random.IntN(agents)
	if o.verb == remove || o.verb == create {
		// Creating a node is slow, so only one is deleted and created again.
		i = agents - 1
	}
	node := w.account.Agents[i]
	o.subject = fmt.Sprint(agentSubject, i)
	service := protocol.ServicePlay
	r.Path = w.at(service.RPC())
	switch o.verb {
	case register:
		body := map[string]any{
			"name": o.mark, "type": "test", "agentId": node.ID,
			"agent": map[string]any{"type": "test", "toolNames": []string{"chat_tool"}},
		}
		if w.random.IntN(2) == 0 {
			o.arg = "c-" + o.mark
			body["connectionId"], body["leaseTtlSeconds"] = o.arg, 300
		}
		r.Path, r.Body = w.at(service.Players()), body
	case disconnect:
		body := map[string]any{"playerId": node.ID}
		if o.arg = w.lease(o.subject); o.arg != "" && w.random.IntN(2) == 0 {
			body["connectionId"] = o.arg
		} else {
			o.arg = ""
		}
		r.Path, r.Body = w.at(service.Disconnect()), body
	case heartbeat:
		if o.arg = w.lease(o.subject); o.arg == "" {
			o.arg = "nobody"
		}
		r.Path, r.Body = w.at(service.Heartbeat()), map[string]any{"playerId": node.ID, "connectionId": o.arg}
	case say:
		r.Body = w.rpc(protocol.OpRecordInteraction, map[string]any{"playerId": node.ID, "role": "assistant", "text": o.mark})
	case travel:
		now := "2026-01-02T03:04:05.678Z"
		r.Body = w.rpc(protocol.OpRecordJourney, map[string]any{"playerId": node.ID, "journey": map[string]any{
			"startedAt": now, "completedAt": now,
			"steps": []any{map[string]any{"type": "destination", "content": o.mark, "messageId": "m"}},
		}})
	case act:
		r.Body = w.drawActivity(o, node.ID)
	case zone:
		r.Path = w.at(service.ProximityAction())
		r.Body = map[string]any{"fromPlayerId": "__somebody__", "toPlayerId": node.ID, "action": "zone"}
	case remove:
		r.Method, r.Path = http.MethodDelete, protocol.PathAgents+"?"+url.Values{"id": {node.ID}}.Encode()
	case create:
		r.Path, r.Body = protocol.PathAgentNode, map[string]any{"agentNodeId": node.ID, "agentNodePasswHash": node.Hash}
	case ask:
		r.Body = w.rpc(protocol.OpIntercomCommand, map[string]any{
			"requestId": o.mark, "mainNodeId": w.account.Main.ID, "fromPlayerId": "__somebody__", "toPlayerId": node.ID,
			"kind": "chat", "text": "hello",
		})
	}
}

// drawActivity names the connection of the agent's last registration, or none.
func (w *worker) drawActivity(o *op, playerID string) map[string]any {
	states := protocol.ActivityStates()
	payload := map[string]any{
		"playerId": playerID, "state": states[w.random.IntN(len(states))], "text": o.mark, "usage": map[string]any{"toolCalls": w.done},
	}
	if w.random.IntN(2) == 0 {
		if o.arg = w.lease(o.subject); o.arg != "" {
			payload["connectionId"] = o.arg
		}
	}
	return w.rpc(protocol.OpRecordActivity, payload)
}

func (w *worker) lease(subject string) string {
	w.common.mu.Lock()
	defer w.common.mu.Unlock()
	return w.common.leases[subject]
}

// drawAnswer answers a request, or one that was never sent. Some are left open, so
// that another worker answers them too.
func (w *worker) drawAnswer(o *op, r *hostprocess.Request) {
	asked := request{id: "nobody-asked"}
	w.common.mu.Lock()
	if n := len(w.common.open); n > 0 {
		asked = w.common.open[w.random.IntN(n)]
		if w.random.IntN(2) == 0 {
			w.common.open = w.common.open[:n-1]
		}
	}
	w.common.mu.Unlock()
	o.subject, o.agent = requestSubject+asked.id, fmt.Sprint(agentSubject, asked.agent)
	r.Path = w.at(protocol.ServicePlay.RPC())
	r.Body = w.rpc(protocol.OpIntercomResponse, map[string]any{
		"requestId": asked.id, "mainNodeId": w.account.Main.ID, "toPlayerId": "__somebody__",
		"fromPlayerId": w.account.Agents[asked.agent].ID, "kind": "chat", "status": "completed", "message": o.mark,
		"ts": "2026-01-02T03:04:05.678Z",
	})
}

func (w *worker) drawPlacement(o *op, r *hostprocess.Request) {
	name := fmt.Sprint("p", w.random.IntN(3))
	o.subject = placementSubject + name
	if o.verb == place {
		r.Path = w.at(protocol.ServicePlay.MCPRegister())
		r.Body = map[string]any{"name": name, "url": address(o.mark)}
		return
	}
	o.arg = w.placed(o.subject)
	r.Path, r.Body = w.at(protocol.ServicePlay.MCPUnregister()), map[string]any{"id": o.arg}
}

// placed returns the last id of a placement.
func (w *worker) placed(subject string) string {
	w.common.mu.Lock()
	defer w.common.mu.Unlock()
	if id := w.common.ids[subject]; id != "" {
		return id
	}
	return "nowhere"
}

func (w *worker) drawSpace(o *op, r *hostprocess.Request) {
	id := fmt.Sprint("s", w.random.IntN(2))
	o.subject = spaceSubject + id
	o.arg = protocol.Amenities()[w.random.IntN(len(protocol.Amenities()))]
	r.Path = w.at(protocol.ServicePlay.RPC())
	switch o.verb {
	case createSpace:
		r.Body = w.rpc(protocol.OpRegisterSpaceNode, map[string]any{
			"id": id, "name": o.mark, "designKey": "d", "owner": map[string]any{"displayName": "Somebody"},
			"amenities": []string{o.arg},
		})
	case addAmenity:
		r.Body = w.rpc(protocol.OpAddSpaceAmenity, map[string]any{"spaceId": id, "kind": o.arg})
	case removeAmenity:
		r.Body = w.rpc(protocol.OpRemoveSpaceAmenity, map[string]any{"spaceId": id, "kind": o.arg})
	case removeSpace:
		r.Body = w.rpc(protocol.OpRemoveSpace, map[string]any{"spaceId": id})
	}
}

// drawLook reads a state at least as new as all earlier replies.
func (w *worker) drawLook(o *op, r *hostprocess.Request) {
	r.Path, r.MinRev = w.at(protocol.ServicePlay.RPC()), w.history.newest()
	var key string
	switch w.random.IntN(3) {
	case 0:
		i := w.random.IntN(agents)
		o.subject = fmt.Sprint(agentSubject, i)
		key = protocol.AgentKey(w.account.Main.ID, w.account.Agents[i].ID)
	case 1:
		o.subject = fmt.Sprint(placementSubject, "p", w.random.IntN(3))
		o.arg = w.placed(o.subject)
		key = protocol.MCPKey(o.arg)
	default:
		id := fmt.Sprint("s", w.random.IntN(2))
		o.subject = spaceSubject + id
		r.Body = w.rpc(protocol.OpInspectSpace, map[string]any{"spaceId": id})
		return
	}
	r.Body = w.rpc(protocol.OpGetPlayerChainNode, map[string]any{"stableKey": key})
}
