//go:build full

package manyhosts

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// TestDeletionHoldsAtEveryHostBeforeReply deletes agents at one host after
// another: from the reply on, each host refuses them, and their streams end. A
// stopped host is waited for at most 3 s, is named, and refuses the agent as soon
// as it continues.
func TestDeletionHoldsAtEveryHostBeforeReply(t *testing.T) {
	t.Parallel()
	s := openSite(t, "everysec", hosts+1)
	s.reset()
	for i, h := range s.hosts {
		agent := s.account.Agents[i]
		ended := s.streams(agent)
		if a := s.delete(h, agent); a.Header.Get(protocol.HeaderUnconfirmed) != "" {
			t.Errorf("a deletion was not confirmed by %s hosts:\n%s", a.Header.Get(protocol.HeaderUnconfirmed), h.Output())
		}
		s.refused(agent, s.hosts[:]...)
		for range s.hosts {
			if err := <-ended; err != nil {
				t.Errorf("a stream of a deleted agent: %v", err)
			}
		}
	}

	s.revoke()

	stopped, agent := s.hosts[2], s.account.Agents[hosts]
	a, took := s.whileStopped(stopped, s.account.Main, deleting(agent))
	if took < 3*time.Second || took > 10*time.Second {
		t.Errorf("a deletion with a stopped host took %v, want between 3 s and 10 s", took)
	}
	if got := a.Header.Get(protocol.HeaderUnconfirmed); got != "1" {
		t.Errorf("%q hosts are reported as late, want 1", got)
	}
	s.refused(agent, stopped, s.hosts[0], s.hosts[1])
	revoked, _ := s.whileStopped(stopped, s.account.Main, hostprocess.Request{
		Method: http.MethodDelete, Path: protocol.ServicePlay.WatchToken() + "?sid=" + s.sid + "&id=" + s.watchToken(s.hosts[0]), Key: "revoke",
	})
	if got := revoked.Header.Get(protocol.HeaderUnconfirmed); !revoked.OK() || got != "1" {
		t.Errorf("a revoked token: %d, %q hosts late, want 1", revoked.Status, got)
	}
	if name := fmt.Sprintf("process %d on ", stopped.PID()); !strings.Contains(s.hosts[0].Output(), name) {
		t.Errorf("the host does not log that it waited for %q:\n%s", name, s.hosts[0].Output())
	}
	metrics := s.ask(s.hosts[0], s.admin, s.reading(protocol.PathMetrics))
	if !strings.Contains(string(metrics.Body), "\nplayctl_withdrawals_unconfirmed_total 2\n") {
		t.Error("the metric does not count the unconfirmed deletions")
	}
}

// revoke revokes a watch token at each host: from the reply on, no host accepts it.
func (s *site) revoke() {
	s.t.Helper()
	path := protocol.ServicePlay.WatchToken() + "?sid=" + s.sid
	for _, h := range s.hosts {
		var made struct {
			Token string `json:"token"`
		}
		var list protocol.WatchTokensReply
		s.account.Main.Must(s.t, h, hostprocess.Request{Method: http.MethodPost, Path: path, Body: struct{}{}}, &made)
		h.Guard(made.Token)
		s.account.Main.Must(s.t, h, hostprocess.Request{Method: http.MethodGet, Path: path}, &list)
		enter := hostprocess.Request{
			Method: http.MethodPost, Path: protocol.ServicePlay.WatchSession(), Body: map[string]any{"token": made.Token},
		}
		hostprocess.Node{}.Must(s.t, h, enter, nil)
		s.account.Main.Must(s.t, h, hostprocess.Request{Method: http.MethodDelete, Path: path + "&id=" + list.Tokens[0].ID}, nil)
		for _, at := range s.hosts {
			if a := s.ask(at, hostprocess.Node{}, enter); a.Status != http.StatusUnauthorized {
				s.t.Errorf("a revoked token gets %d %s", a.Status, a.Code)
			}
		}
	}
}

// watchToken creates a watch token and returns its id.
func (s *site) watchToken(h *hostprocess.Host) string {
	s.t.Helper()
	path := protocol.ServicePlay.WatchToken() + "?sid=" + s.sid
	var made struct {
		Token string `json:"token"`
	}
	var list protocol.WatchTokensReply
	s.account.Main.Must(s.t, h, hostprocess.Request{Method: http.MethodPost, Path: path, Body: struct{}{}}, &made)
	h.Guard(made.Token)
	s.account.Main.Must(s.t, h, hostprocess.Request{Method: http.MethodGet, Path: path}, &list)
	return list.Tokens[0].ID
}

// streams opens a stream of a node at each host, and reports how each one ended.
func (s *site) streams(n hostprocess.Node) (ended chan error) {
	s.t.Helper()
	ended = make(chan error, hosts)
	for _, h := range s.hosts {
		go func() {
			a, err := n.Do(s.t.Context(), s.client, h.URL(), s.reading(protocol.ServicePlay.Events()))
			if err == nil && !a.OK() {
				err = fmt.Errorf("%d %s", a.Status, a.Code)
			}
			ended <- err
		}()
		s.until(h, s.admin, s.reading(protocol.PathMetrics), func(a *hostprocess.Answer) bool {
			return strings.Contains(string(a.Body), "\nplayctl_stream_subscribers 1\n")
		})
	}
	return ended
}

func deleting(agent hostprocess.Node) hostprocess.Request {
	return hostprocess.Request{
		Method: http.MethodDelete, Path: protocol.PathAgents + "?" + url.Values{"id": {agent.ID}}.Encode(), Key: "delete-" + agent.ID,
	}
}

// delete deletes an agent at a host. If the store does not answer in time on a busy
// machine, it is repeated, as clients do: with its key it is carried out once.
func (s *site) delete(h *hostprocess.Host, agent hostprocess.Node) *hostprocess.Answer {
	s.t.Helper()
	a := s.until(h, s.account.Main, deleting(agent), storeAnswered)
	if !a.OK() {
		s.t.Fatalf("a deletion: %d %s", a.Status, a.Code)
	}
	return a
}

func storeAnswered(a *hostprocess.Answer) bool { return a.Code != protocol.CodeStoreUnavailable }

// whileStopped sends a request to the first host while another host is stopped that
// has just registered, so that it is waited for: a host whose registration has
// expired is not, which can happen on a busy machine. It returns how long the reply
// took.
func (s *site) whileStopped(stopped *hostprocess.Host, n hostprocess.Node, r hostprocess.Request) (a *hostprocess.Answer, took time.Duration) {
	s.t.Helper()
	for range 10 {
		s.untilRegistered(stopped)
		s.must(syscall.Kill(stopped.PID(), syscall.SIGSTOP))
		// The signal stops one thread, which stops the others when it runs: the test
		// waits for the process, which might otherwise still answer on a busy
		// machine.
		_, err := syscall.Wait4(stopped.PID(), nil, syscall.WUNTRACED, nil)
		s.must(err)
		start := time.Now()
		a = s.ask(s.hosts[0], n, r)
		took = time.Since(start)
		s.must(syscall.Kill(stopped.PID(), syscall.SIGCONT))
		if storeAnswered(a) {
			break
		}
	}
	return a, took
}

// untilRegistered waits until the store has a registration of a host that lasts
// another 4 s; one lasts 5 s and is renewed every second.
func (s *site) untilRegistered(h *hostprocess.Host) {
	s.t.Helper()
	const enough = 4 * time.Second
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for name := fmt.Sprintf("process %d on ", h.PID()); ; {
		all, _ := s.redis.Do("hvals", "play:{default}:hosts").([]any)
		for _, one := range all {
			until, who, _ := strings.Cut(fmt.Sprint(one), " ")
			if ends, err := strconv.ParseInt(until, 10, 64); err == nil && strings.HasPrefix(who, name) && time.Until(time.UnixMilli(ends)) > enough {
				return
			}
		}
		if !pause.For(ctx, 10*time.Millisecond) {
			s.t.Fatalf("%q is not registered: %v\n%s", name, all, h.Output())
		}
	}
}

// refused fails unless the hosts refuse a deleted node, each at the first call.
func (s *site) refused(n hostprocess.Node, by ...*hostprocess.Host) {
	s.t.Helper()
	for i, h := range by {
		if a := s.ask(h, n, s.reading(protocol.ServicePlay.Snapshot())); a.Status != http.StatusUnauthorized {
			s.t.Errorf("host %d of %d replies to a deleted agent with %d", i, len(by), a.Status)
		}
	}
}
