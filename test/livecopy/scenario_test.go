//go:build full

package livecopy

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// step is one event in a scenario.
type step struct {
	what string
	// who is the agent or the placement of the step.
	who int
	// version makes repeated steps differ.
	version int
}

// steps are the possible steps, each as often as its weight.
var steps = []string{
	"register", "register", "register", "disconnect", "place", "place", "withdraw", "say", "say", "travel",
	"restart", "crash", "reset", "wait", "wait",
}

func drawStep(t *rapid.T) step {
	s := step{rapid.SampledFrom(steps).Draw(t, "what"), rapid.IntRange(0, 5).Draw(t, "who"), rapid.IntRange(0, 99).Draw(t, "version")}
	if s.what == "reset" && s.version > 30 {
		s.what = "register" // a reset makes everything before it unreachable
	}
	return s
}

// author carries out a scenario. Its agents and placements have no lease, so that the
// map matches the scenario.
type author struct {
	site      *site
	transport *http.Transport
	world     *sdk.RemotePlayWorld
	tools     *sdk.FrameworkRegistration
	agents    map[int]*sdk.Agent
	placed    map[int]string
	readers   []*subscriber
	// last is the id of the last change's row, "" before that change.
	last string
}

func newAuthor(s *site) *author {
	s.t.Helper()
	tools, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: protocol.ChatTool})
	s.must(err)
	a := &author{site: s, transport: &http.Transport{}, tools: tools}
	a.begin()
	return a
}

// begin opens a world without agents. A world that held agents would register them
// again whenever it detected a new session.
func (a *author) begin() {
	a.world, a.agents, a.placed = a.site.openWorld(a.transport), map[int]*sdk.Agent{}, map[int]string{}
}

func (a *author) close() {
	a.leave()
	a.transport.CloseIdleConnections()
}

// leave removes the agents from the map, then closes the world: closing alone would
// leave them to their leases if the disk is slow.
func (a *author) leave() {
	a.site.t.Helper()
	for _, agent := range a.agents {
		a.site.must(agent.Disconnect(context.Background()))
	}
	a.site.must(a.world.Close(context.Background()))
}

// closeReaders closes the subscribers.
func (a *author) closeReaders() {
	for _, f := range a.readers {
		f.close()
	}
}

func (a *author) do(s step) {
	a.site.t.Helper()
	ctx := context.Background()
	var err error
	agent := a.agents[s.who]
	switch s.what {
	case "register":
		a.agents[s.who], err = a.world.AddAgent(ctx, sdk.AgentOptions{
			AgentID: fmt.Sprint("agent-", s.who), Name: fmt.Sprintf("Agent %d.%d", s.who, s.version), Tools: a.tools, Permanent: true,
		})
	case "disconnect":
		if agent != nil {
			delete(a.agents, s.who)
			err = agent.Disconnect(ctx)
		}
	case "place":
		a.placed[s.who], err = a.world.RegisterMCP(ctx, sdk.MCP{Name: fmt.Sprint("tools ", s.who), URL: fmt.Sprintf("https://%d.example.org", s.version)})
	case "withdraw":
		if id := a.placed[s.who]; id != "" {
			delete(a.placed, s.who)
			_, err = a.world.UnregisterMCP(ctx, id)
		}
	case "say":
		if agent != nil {
			_, err = agent.Say(ctx, strings.Repeat("wörd ", 1+s.version*s.version/20))
		}
	case "travel":
		if agent != nil {
			_, err = agent.RecordJourney(ctx, journey(s.version))
		}
	case "restart", "crash":
		a.site.stop(s.what == "crash")
		a.site.start()
	case "reset":
		a.reset()
	case "wait":
		if len(a.readers) > 0 {
			reader := a.readers[s.who%len(a.readers)]
			reader.await(reader.ready, "a first copy")
		}
	}
	if err != nil {
		a.site.t.Fatalf("%s %d: %v", s.what, s.who, err)
	}
}

func journey(n int) protocol.Journey {
	return protocol.Journey{
		StartedAt: "2026-01-02T03:04:05.678Z", CompletedAt: "2026-01-02T03:04:05.678Z",
		Steps: []protocol.JourneyStep{{Type: protocol.StepDestination, Content: fmt.Sprint("to ", n), MessageID: "m"}},
	}
}

// reset starts a new session, as the administrator.
func (a *author) reset() {
	a.site.t.Helper()
	c, err := client.New(client.Options{BaseURL: "http://" + a.site.addr, Transport: a.transport, AdminToken: protocol.NewSecret(adminToken)})
	a.site.must(err)
	a.leave()
	_, err = c.ResetSession(context.Background())
	a.site.must(err)
	a.begin()
}

// withdrawLast reverts the last change, so that it can be repeated.
func (a *author) withdrawLast() {
	a.site.t.Helper()
	if a.last != "" {
		_, err := a.world.UnregisterMCP(context.Background(), a.last)
		a.site.must(err)
	}
}

// finish makes the last change and waits until every subscriber has it, and is at
// the log's end. A subscriber whose stream had not started when a line was sent
// does not see it: then another line is sent.
func (a *author) finish() {
	a.site.t.Helper()
	a.do(step{what: "register"})
	var err error
	a.last, err = a.world.RegisterMCP(context.Background(), sdk.MCP{Name: lastPlacement})
	a.site.must(err)
	for _, f := range a.readers {
		a.reach(f)
	}
	for end := time.Now().Add(patience); time.Now().Before(end); {
		a.do(step{what: "say"})
		head, behind := a.site.world.Events().Head(), 0
		for _, f := range a.readers {
			if f.numbered && !f.sees(head) {
				behind++
			}
		}
		if behind == 0 {
			return
		}
	}
	a.site.t.Fatalf("some subscribers do not reach the log's end")
}

// reach waits until a subscriber has the last change. One that missed it without
// noticing finds out by the root of the next event, so another event is sent.
func (a *author) reach(f *subscriber) {
	a.site.t.Helper()
	for range 100 {
		if f.numbered || f.closesSoon(f.ended) {
			break
		}
		if f.mayMiss() {
			a.do(step{what: "say"})
		}
	}
	f.await(f.ended, "the last change")
}
