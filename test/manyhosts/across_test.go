//go:build full

package manyhosts

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// TestReplacedKeyIsRefusedAtEveryHost replaces an account's API key at one host
// after another: from then on no host accepts the previous key.
func TestReplacedKeyIsRefusedAtEveryHost(t *testing.T) {
	t.Parallel()
	s := openSite(t, "everysec", 0)
	s.reset()
	for round := range 4 * hosts {
		old := s.account.Main
		var made protocol.APIKeyReply
		old.Must(t, s.hosts[round%hosts], hostprocess.Request{Method: http.MethodPost, Path: protocol.PathNodeAPIKey, Body: struct{}{}}, &made)
		s.account.Main.APIKey = made.APIKey.Reveal()
		for i, h := range s.hosts {
			h.Guard(s.account.Main.APIKey)
			// A read comes first: a write would let the host learn of the key. Where the store
			// does not answer in time, on a busy machine, nothing is said about the key.
			if a := s.until(h, old, s.reading(protocol.ServicePlay.Session()), storeAnswered); a.Code != protocol.CodeAPIKeyInvalid {
				t.Errorf("round %d: host %d reads the session with the old key: %d %s", round, i, a.Status, a.Code)
			}
			if a := s.until(h, old, s.placing("with the key before"), storeAnswered); a.Code != protocol.CodeAPIKeyInvalid {
				t.Errorf("round %d: host %d replies to the old key with %d %s", round, i, a.Status, a.Code)
			}
			if a := s.until(h, s.account.Main, s.placing("with the new key"), storeAnswered); !a.OK() {
				t.Errorf("round %d: host %d replies to the new key with %d %s", round, i, a.Status, a.Code)
			}
		}
	}
}

// TestLeaseIsValidAtEveryHost lets one agent renew its lease at one host after
// another, one of which is killed, and two other agents not at all: these two are
// removed once each, when their term is over, and the first one is not.
func TestLeaseIsValidAtEveryHost(t *testing.T) {
	t.Parallel()
	s := openSite(t, "everysec", 3)
	begin := s.reset()
	const term = 5
	for i := range 3 {
		agent := s.account.Agents[i]
		s.account.Main.Must(t, s.hosts[i], hostprocess.Request{
			Method: http.MethodPost, Path: protocol.ServicePlay.Players() + "?sid=" + s.sid, Body: map[string]any{
				"name": "Agent", "type": "test", "agentId": agent.ID, "connectionId": "c", "leaseTtlSeconds": term,
				"agent": map[string]any{"type": "test", "toolNames": []string{"chat_tool"}},
			},
		}, nil)
	}
	start := time.Now()
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	for n := 0; len(s.removals(begin)) < 2 || n < 2*term; n++ {
		<-beat.C
		if n == 2 {
			s.hosts[0].Kill()
		}
		s.account.Main.Must(t, s.hosts[1+n%2], hostprocess.Request{
			Method: http.MethodPost, Path: protocol.ServicePlay.Heartbeat() + "?sid=" + s.sid,
			Body: map[string]any{"playerId": s.account.Agents[0].ID, "connectionId": "c"},
		}, nil)
		// The sweep comes within 5 s after the end of a term; the rest is allowed for
		// a busy machine.
		if time.Since(start) > (term+5)*time.Second+patience {
			t.Fatalf("the removed agents are %v", s.removals(begin))
		}
	}
	removed := s.removals(begin)
	for i, want := range []int{0, 1, 1} {
		if got := removed[s.account.Agents[i].ID]; got != want {
			t.Errorf("agent %d was removed %d times, want %d", i, got, want)
		}
	}
}

// removals counts how often each player was removed because its lease had expired.
func (s *site) removals(after store.Position) map[string]int {
	s.t.Helper()
	count := map[string]int{}
	for _, event := range s.read(after).events {
		var data protocol.PlayerRemovedData
		if event.Kind != string(protocol.EventPlayerRemoved) || json.Unmarshal(event.Data, &data) != nil {
			continue
		}
		if data.Reason != protocol.RemovedLease {
			s.t.Errorf("player %.8s was removed by %s", data.PlayerID, data.Reason)
		}
		count[data.PlayerID]++
	}
	return count
}
