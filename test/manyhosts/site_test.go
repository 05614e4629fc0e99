//go:build full

package manyhosts

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
	"github.com/playctl/playctl/test/redistest"
)

const (
	hosts = 3
	// agents is the number of agents in a scenario.
	agents = 4
)

// patience is the time limit for anything that must happen: longer under the race
// detector, with which a host derives a node id twenty times more slowly.
var patience = func() time.Duration {
	if os.Getenv(hostprocess.EnvRace) != "" {
		return 4 * time.Minute
	}
	return 30 * time.Second
}()

// site is a Redis server and the hosts of one world on it, each connected through a
// proxy of its own.
type site struct {
	t       *testing.T
	redis   *redistest.Server
	synced  bool // every write
	proxies [hosts]*redistest.Proxy
	hosts   [hosts]*hostprocess.Host
	account *hostprocess.Account
	admin   hostprocess.Node
	client  *http.Client
	sid     string
}

// siteRootKey is the root key of all sites: with it each node is derived once.
var siteRootKey = sync.OnceValue(creds.GenerateRootKey)

// openSite starts a Redis server that syncs its log with a policy, the hosts, and
// an account with some agents.
func openSite(t *testing.T, fsync string, agents int) *site {
	t.Helper()
	s := &site{t: t, synced: fsync == "always", redis: redistest.Start(t, redistest.AOF(fsync)...)}
	dir, rootKey := t.TempDir(), siteRootKey()
	s.must(creds.WriteRootFile(filepath.Join(dir, "root"), rootKey, false))
	s.admin = hostprocess.Node{AdminToken: "pt_" + creds.GenerateRootKey()}
	s.must(os.WriteFile(filepath.Join(dir, "token"), []byte(s.admin.AdminToken), 0o600))
	s.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	for i := range hosts {
		s.proxies[i] = s.redis.Before(t)
		s.hosts[i] = hostprocess.Start(t, hostprocess.Options{
			Args: []string{
				"--store", "redis://" + s.proxies[i].Addr, "--root-file", filepath.Join(dir, "root"),
				"--admin-token-file", filepath.Join(dir, "token"), "--log-level", "warn",
			},
			Secrets: []string{s.admin.AdminToken},
		})
	}
	s.account = hostprocess.NewAccount(t, s.hosts[0], rootKey, "site", agents)
	for _, h := range s.hosts {
		h.Guard(s.account.Secrets()...)
	}
	return s
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// reset begins a new session and returns the store's position after it.
func (s *site) reset() store.Position {
	s.t.Helper()
	var session protocol.SessionReply
	s.admin.Must(s.t, s.hosts[0], hostprocess.Request{Method: http.MethodGet, Path: protocol.ServicePlay.Session()}, &session)
	var reply protocol.ResetReply
	s.admin.Must(s.t, s.hosts[0], hostprocess.Request{
		Method: http.MethodPost, Path: protocol.ServicePlay.Reset() + "?sid=" + session.SID, Body: struct{}{},
	}, &reply)
	s.sid = reply.SID
	journal := s.store()
	head, err := journal.Head(s.t.Context())
	s.must(err)
	s.must(journal.Close())
	return head
}

// store opens the world on Redis, over connections that no fault cuts.
func (s *site) store() *redis.Journal {
	s.t.Helper()
	address, err := redis.ParseAddress(s.redis.URL())
	s.must(err)
	journal, err := redis.Open(s.t.Context(), redis.Options{Address: address, Timeout: patience})
	s.must(err)
	return journal
}

// zones returns the zone signals that each agent's record counts when a scenario
// begins: nodes and their records survive sessions.
func (s *site) zones() map[string]int64 {
	s.t.Helper()
	var reply protocol.AgentsReply
	s.account.Main.Must(s.t, s.hosts[0], hostprocess.Request{Method: http.MethodGet, Path: protocol.PathAgents}, &reply)
	counts := map[string]int64{}
	for i, node := range s.account.Agents {
		for _, a := range reply.Agents {
			if a.AgentID == node.ID {
				counts[fmt.Sprint(agentSubject, i)] = a.ZoneCount
			}
		}
	}
	return counts
}

// until repeats a request to a host until the reply is good, for 30 s at most.
func (s *site) until(h *hostprocess.Host, n hostprocess.Node, r hostprocess.Request, good func(*hostprocess.Answer) bool) *hostprocess.Answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	// Each attempt uses a new connection, and some waits last many seconds.
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		a, err := n.Do(ctx, s.client, h.URL(), r)
		if err == nil && good(a) {
			return a
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if err == nil {
				err = fmt.Errorf("status %d: %s", a.Status, a.Body)
			}
			s.t.Fatalf("%s %s: no expected reply after %v: %v\n%s", r.Method, r.Path, patience, err, h.Output())
		}
	}
}
