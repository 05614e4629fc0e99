package sdk_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
	"github.com/playctl/playctl/test/property"
)

// unreliableTransport is an unreliable network to a host: streams break after any number of
// bytes, and reads are late.
type unreliableTransport struct {
	*switchable
	mu     sync.Mutex
	random *rand.Rand
}

func (u *unreliableTransport) draw(n int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.random.IntN(n)
}

func (u *unreliableTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	stream := r.URL.Path == protocol.ServicePlay.Events()
	if !stream && u.draw(3) == 0 {
		timer := time.NewTimer(time.Duration(u.draw(900)) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
	response, err := u.switchable.RoundTrip(r)
	if err == nil && stream {
		response.Body = &shortBody{ReadCloser: response.Body, left: 1 + u.draw(4000), clean: u.draw(2) == 0}
	}
	return response, err
}

// shortBody ends after any number of bytes.
type shortBody struct {
	io.ReadCloser
	left  int
	clean bool
}

func (b *shortBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		if b.clean {
			return 0, io.EOF
		}
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// schedule runs random commands in a world in a file, which is closed and opened
// again from time to time.
type schedule struct {
	t         *testing.T
	random    *rand.Rand
	path      string
	transport *switchable
	host      *playworld.PlayWorld
	writer    *sdk.RemotePlayWorld
	roots     map[uint64]chain.Digest
	agents    map[string]*sdk.Agent
	mcps      map[string]string
}

func newSchedule(t *testing.T, seed uint64) *schedule {
	t.Helper()
	s := &schedule{
		t: t, random: rand.New(rand.NewPCG(seed, 1)), path: filepath.Join(t.TempDir(), "world"), transport: &switchable{},
		roots: map[uint64]chain.Digest{}, agents: map[string]*sdk.Agent{}, mcps: map[string]string{},
	}
	s.open()
	t.Cleanup(func() { _ = s.host.Close(context.Background()) })
	s.writer = openWorld(t, s.host, func(o *sdk.Options) { o.Transport = s.transport })
	return s
}

func (s *schedule) open() {
	host, err := playworld.New(context.Background(), playworld.Options{
		Path: s.path, RootKey: strings.Repeat("5e", 32), NoRepository: true, AdminToken: protocol.NewSecret(adminToken),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.host = host
	s.transport.set(host.Transport())
	recordRoot(s.t, host, s.roots)
}

func (s *schedule) restart() {
	if err := s.host.Close(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	s.open()
}

// step runs one random step.
func (s *schedule) step() {
	ctx := context.Background()
	name := fmt.Sprintf("p%d", s.random.IntN(12))
	var err error
	switch s.random.IntN(14) {
	case 0, 1, 2:
		s.agents[name] = addAgent(s.t, s.writer, name, func(o *sdk.AgentOptions) {
			o.Group = []string{"", "shop"}[s.random.IntN(2)]
			o.Name = fmt.Sprintf("%s the %d", name, s.random.IntN(100))
			o.Permanent = true // a lease that lapses changes the map behind this test's back
		})
	case 3, 4:
		if a := s.agents[name]; a != nil {
			delete(s.agents, name)
			err = a.Disconnect(ctx)
		}
	case 5, 6:
		s.mcps[name], err = s.writer.RegisterMCP(ctx, sdk.MCP{Name: name, URL: fmt.Sprintf("https://%d.example.org", s.random.IntN(9))})
	case 7:
		_, err = s.writer.UnregisterMCP(ctx, s.mcps[name]+"x")
		if id := s.mcps[name]; id != "" {
			delete(s.mcps, name)
			_, err = s.writer.UnregisterMCP(ctx, id)
		}
	case 8, 9:
		if a := s.agents[name]; a != nil {
			_, err = a.Say(ctx, strings.Repeat("ab ", 1+s.random.IntN(300)))
		}
	case 10:
		if a := s.agents[name]; a != nil {
			_, err = a.RecordJourney(ctx, oneStep())
		}
	case 11:
		if s.random.IntN(4) == 0 {
			s.restart()
		}
	case 12, 13:
		if a := s.agents[name]; a != nil {
			err = s.act(a)
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	recordRoot(s.t, s.host, s.roots)
}

// act reports a random activity at once; the agent's own methods send it later.
func (s *schedule) act(a *sdk.Agent) error {
	c, err := client.New(client.Options{BaseURL: s.host.BaseURL(), Transport: s.transport})
	if err != nil {
		return err
	}
	states := protocol.ActivityStates()
	_, err = c.RecordActivity(context.Background(), protocol.RecordActivityRequest{
		PlayerID: a.PlayerID(), State: states[s.random.IntN(len(states))], Text: fmt.Sprintf("<%d> & \u2028é", s.random.IntN(9)),
		Usage: &protocol.Usage{CostUSD: new(s.random.Float64())},
	})
	return err
}

// With random commands, connections that break at any byte, late reads and host
// restarts, every subscriber ends with the host's exact map, has never shown a
// different one as verified, and has seen every event once and in order.
func TestEverySubscriberEndsWithHostMap(t *testing.T) {
	seeds := 3
	if property.Full {
		seeds = 30
	}
	modes := []*rewriter{
		{}, {session: without(protocol.CapChainInline)}, {session: without(protocol.CapChainNodes)},
		{session: without(protocol.CapChainAtRev, protocol.CapMinRev)},
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSchedule(t, uint64(seed))
				var followers []*follower
				for i, mode := range modes {
					m := &rewriter{session: mode.session, next: &unreliableTransport{switchable: s.transport, random: rand.New(rand.NewPCG(uint64(seed), uint64(2+i)))}}
					followers = append(followers, follow(t, s.host, m, func(o *sdk.SubscribeOptions) { o.NoInline = i > 0 }))
				}
				for range 150 {
					s.step()
					wait(t, time.Duration(s.random.IntN(1500))*time.Millisecond)
				}
				wait(t, 5*time.Minute)
				for i, f := range followers {
					f.host = s.host
					f.checkEqual()
					f.checkVerified(s.roots)
					f.checkComplete()
					if stats := f.sub.State().Stats; stats.Heals != 0 || t.Failed() {
						t.Errorf("subscriber %d: stats %+v, errors %v", i, stats, f.errors())
					}
				}
			})
		})
	}
}

// checkComplete checks that no event is missing between the first event seen and the
// log's end.
func (f *follower) checkComplete() {
	f.t.Helper()
	f.checkOrder()
	end, err := f.host.Snapshot()
	if err != nil {
		f.t.Fatal(err)
	}
	if n := len(f.events()); n == 0 || f.events()[n-1].Seq != *end.Head().Seq {
		f.t.Errorf("%d events, the log ends at %d", n, *end.Head().Seq)
	}
}

// A connection breaks at each byte of a stream in turn: at every byte, nothing is
// lost, repeated or assumed. A run tests some of the bytes, which differ from
// run to run.
func TestStreamBrokenAtAnyByte(t *testing.T) {
	step := 47
	if property.Full {
		step = 7
	}
	const enough = 8200 // bytes of the whole scenario
	for at := 1 + rand.IntN(step); at < enough; at += step {
		synctest.Test(t, func(t *testing.T) {
			host := openHost(t)
			first := true
			m := &rewriter{next: roundTrip(func(r *http.Request) (*http.Response, error) {
				response, err := host.Transport().RoundTrip(r)
				if err == nil && r.URL.Path == protocol.ServicePlay.Events() && first {
					first = false
					response.Body = &shortBody{ReadCloser: response.Body, left: at, clean: at%2 == 0}
				}
				return response, err
			})}
			f := follow(t, host, m, nil)
			createEvents(t, host, synctest.Wait)
			wait(t, 10*time.Second)
			f.checkEqual()
			f.checkOrder()
			stats := f.sub.State().Stats
			// Before the cursor has arrived there is no position to resume from, and
			// the copy is not read until the stream has started.
			resumed := stats.FullReads == 1 && at >= len("retry: 2000\n:\n")
			if stats.Heals != 0 || stats.FullReads > 2 || resumed && len(f.events()) != 10 {
				t.Errorf("broken at byte %d: %d events, stats %+v, errors %v", at, len(f.events()), stats, f.errors())
			}
		})
	}
}
