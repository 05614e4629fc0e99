package world

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// TestSharedWorldsHaveEqualState runs random commands of every kind at random worlds
// with random faults. At the end the memory of each world equals the content of the
// store: a host learns everything that another host did from the entries.
func TestSharedWorldsHaveEqualState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := openCluster(t, 3)
		defer c.close()
		c.must(0, "", CreateMainNode{NodeID: id("owner"), APIKey: protocol.NewSecret("key")})
		for n := range rapid.IntRange(10, 60).Draw(rt, "steps") {
			i := rapid.IntRange(0, 2).Draw(rt, "host")
			switch rapid.IntRange(0, 9).Draw(rt, "fault") {
			case 0:
				c.hosts[i].After.Store(1)
			case 1:
				c.hosts[i].Before.Store(1)
			case 2:
				c.hosts[i].NoFollow.Store(!c.hosts[i].NoFollow.Load())
			case 3:
				if rapid.IntRange(0, 5).Draw(rt, "restart") == 0 {
					c.server.Restart(rapid.IntRange(0, 3).Draw(rt, "lost"))
				}
			}
			w := c.worlds[i]
			caller, command := randomCommand(rt, w, n)
			_, err := w.Do(context.Background(), Request{Caller: caller, SID: w.View().SID}, command)
			if code := protocol.CodeOf(err); code == protocol.CodeInternal || code == protocol.CodeStoreUnavailable {
				rt.Fatalf("%T at %d: %v: %v", command, i, err, errors.Unwrap(err))
			}
		}
		for _, host := range c.hosts {
			host.Before.Store(0)
			host.After.Store(0)
			host.NoFollow.Store(false)
		}
		c.agree()
		// The test may use the writers' data after they have ended.
		c.close()
		for i, w := range c.worlds {
			if diff := cmp.Diff(w.stored(rt).known(), w.known()); diff != "" {
				rt.Fatalf("the state of world %d differs from the store (-store +world):\n%s", i, diff)
			}
		}
	})
}

// randomCommand draws a command of any kind and its caller.
func randomCommand(rt *rapid.T, w *World, n int) (Caller, Command) {
	a := id(fmt.Sprint("a", rapid.IntRange(0, 2).Draw(rt, "agent")))
	owner, agent := Caller{NodeID: id("owner")}, Caller{NodeID: a}
	switch rapid.IntRange(0, 15).Draw(rt, "command") {
	case 0, 1:
		return owner, CreateAgentNode{AgentNodeID: a}
	case 2:
		return owner, DeleteAgent{AgentID: a}
	case 3, 4:
		return agent, leasedRegistration(a, fmt.Sprint("c", n), 20+n)
	case 5:
		return agent, Disconnect{protocol.DisconnectRequest{PlayerID: a}}
	case 6:
		return owner, RegisterMCP{protocol.MCPRegisterRequest{Name: fmt.Sprint("place", n%3)}}
	case 7:
		return owner, ask(fmt.Sprint("r", rapid.IntRange(0, 5).Draw(rt, "request")), owner.NodeID, a)
	case 8:
		return agent, answer(fmt.Sprint("r", rapid.IntRange(0, 5).Draw(rt, "request")), owner.NodeID, a, protocol.IntercomCompleted)
	case 9:
		return agent, journey(a, "tool")
	case 10:
		return owner, newSpace(fmt.Sprint("space", n))
	case 11:
		for _, leaf := range w.View().Tree.All() {
			if isSpaceKey(leaf.Key()) {
				return owner, RemoveSpace{protocol.SpaceRequest{SpaceID: strings.TrimPrefix(leaf.Key(), "space:")}}
			}
		}
	case 12:
		if rapid.IntRange(0, 3).Draw(rt, "reset") == 0 {
			return Caller{Admin: true}, ResetSession{Reason: "admin"}
		}
	case 13:
		digest := sha256.Sum256([]byte{byte(rapid.IntRange(0, 2).Draw(rt, "invitation"))})
		return owner, Invite{InviteRequest: protocol.InviteRequest{ExpiresInSeconds: 60, Uses: 2}, Digest: digest}
	case 14:
		digest := sha256.Sum256([]byte{byte(rapid.IntRange(0, 2).Draw(rt, "invitation"))})
		return Caller{}, CreateMainNode{NodeID: id(fmt.Sprint("invited", n)), Invitation: &digest}
	}
	return agent, line(a, fmt.Sprint("line ", n))
}

// stored returns a world as read from the store alone.
func (w *World) stored(rt *rapid.T) *World {
	fresh := &World{options: w.options, state: newState(&w.options), views: &pastViews{}}
	view, err := fresh.load(context.Background())
	if err != nil {
		rt.Fatalf("load the world: %v", err)
	}
	fresh.view.Store(view)
	fresh.registry = newRegistry(fresh.state)
	fresh.resetSeq.Store(fresh.state.resetSeq)
	for key := range w.state.histories {
		p := &planner{st: fresh.state, options: &fresh.options, ctx: context.Background(), loop: &commitLoop{}}
		if _, err := p.history(history{byPlayer: key.table}, key.playerID); err != nil {
			rt.Fatalf("history of %s: %v", key.playerID, err)
		}
	}
	return fresh
}

// known returns everything that a world keeps in memory, except deadlines, which
// belong to the store.
func (w *World) known() map[string]string {
	s := w.state
	all := map[string]string{
		"view":   fmt.Sprint(w.View().SID, w.View().Rev, w.View().Seq, w.View().Tree.Root(), w.View().Bounds, w.View().Position, w.View().Commit),
		"state":  fmt.Sprint(s.Position, s.Commit, s.SID, s.Rev, s.Seq, s.resetSeq, s.grid, s.Tree.Root(), s.occupants, len(s.cells)),
		"reset":  fmt.Sprint(w.resetSeq.Load()),
		"staged": fmt.Sprint(len(s.repeats), len(s.closedIntercoms), len(s.undo)),
	}
	for key, row := range s.rows {
		b, err := chain.AppendOccupant(nil, row)
		if err != nil {
			panic(err)
		}
		all["row "+key] = string(b)
	}
	for name, v := range map[string]any{
		"players": s.players, "owned": s.owned, "accounts": s.accounts, "used": s.used, "children": s.children,
		"nodes": s.nodes, "aggregates": s.aggregates, "leases": s.leases, "spaces": s.spaces, "intercoms": s.intercoms,
		"invitations": s.invitations, "registry.invitations": w.registry.invitations,
		"registry.nodes": w.registry.nodes, "registry.aggregates": w.registry.aggregates, "registry.children": w.registry.children,
	} {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		all[name] = string(b)
	}
	for key, records := range s.histories {
		for _, r := range records {
			all[fmt.Sprint("history ", key)] += fmt.Sprint(r.seq, " ")
		}
	}
	for key, mcp := range s.placements {
		all[fmt.Sprint("placement ", key)] = mcp
	}
	return all
}
