//go:build full

package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// betweenChanges is the pace of the soak's writer: five changes a second.
const betweenChanges = 200 * time.Millisecond

// writer changes a world at a steady pace, over the SDK, which repeats what a
// killed host did not answer. Changes that fell due meanwhile follow at once.
type writer struct {
	world  *sdk.RemotePlayWorld
	nodes  []identity
	tools  *sdk.FrameworkRegistration
	agents map[int]*sdk.Agent
	placed map[int]string

	done, failed int
	failure      error // the first
}

func newWriter(s *soak) *writer {
	s.t.Helper()
	tools, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: protocol.ChatTool}, sdk.Tool{Name: "assist_search"})
	must(s.t, err)
	return &writer{world: s.visit(), nodes: s.nodes.agents, tools: tools, agents: map[int]*sdk.Agent{}, placed: map[int]string{}}
}

// run writes until the context ends; the change in progress is finished.
func (w *writer) run(ctx context.Context) {
	start := time.Now()
	tick := time.NewTicker(betweenChanges)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for due := int(time.Since(start) / betweenChanges); w.done < due && ctx.Err() == nil; w.done++ {
			if err := w.change(context.WithoutCancel(ctx), w.done); err != nil {
				w.failed++
				w.failure = errors.Join(w.failure, err)
			}
		}
	}
}

// change does the next of ten things in turn; all change the map. Every tenth
// time something is said as well.
func (w *writer) change(ctx context.Context, n int) (err error) {
	who, thing := n/10%len(w.nodes), n/10%12
	switch n % 10 {
	case 0, 2, 4, 6:
		w.agents[who], err = w.world.AddAgent(ctx, sdk.AgentOptions{
			Credentials: credentials(w.nodes[who]), Name: fmt.Sprintf("Agent %d, version %d", who, n), Tools: w.tools, Permanent: true,
		})
	case 1, 5, 9:
		w.placed[thing], err = w.world.RegisterMCP(ctx, sdk.MCP{Name: fmt.Sprint("tools ", thing), URL: fmt.Sprintf("https://%d.example.org/mcp", n)})
	case 3:
		if _, err = w.agents[who].Say(ctx, strings.Repeat("benchmark ", 20)); err != nil {
			return err
		}
		now := protocol.FormatTime(time.Now())
		_, err = w.agents[who].RecordJourney(ctx, protocol.Journey{StartedAt: now, CompletedAt: now, Steps: []protocol.JourneyStep{
			{Type: protocol.StepDestination, Content: fmt.Sprint("step ", n), MessageID: "m"},
		}})
	case 7:
		err = w.agents[who].Disconnect(ctx)
	case 8:
		_, err = w.world.UnregisterMCP(ctx, w.placed[thing])
	}
	return err
}
