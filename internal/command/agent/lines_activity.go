package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// saidActivity is what a program with --lines says that its agent does: a state, a usage, or both.
type saidActivity struct {
	State    string          `json:"state"`
	Text     string          `json:"text"`
	ToolName string          `json:"toolName"`
	Usage    *protocol.Usage `json:"usage"`
}

// lineActivity shows what a program with --lines says.
type lineActivity struct {
	mu sync.Mutex
	// agent is nil until it is on the map.
	agent *sdk.Agent
	// newest is what was said last; it has no state if the program never said one.
	newest saidActivity
}

// arrive shows what was said before the agent was on the map.
func (l *lineActivity) arrive(ctx context.Context, agent *sdk.Agent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.agent = agent
	return l.newest.show(ctx, agent)
}

// take shows an activity in a line of the program. A usage alone leaves the rest unchanged.
func (l *lineActivity) take(ctx context.Context, text json.RawMessage) error {
	var said saidActivity
	if err := protocol.Decode(text, &said); err != nil {
		return errors.New("it must be an object, such as {\"state\": \"working\", \"text\": \"Editing commit.go\", \"toolName\": \"edit\", \"usage\": {\"inputTokens\": 5200}}")
	}
	states := protocol.ActivityStates()
	if !slices.Contains(states, said.State) && (said.State != "" || said.Usage == nil) {
		return fmt.Errorf("the state is %q: it must be %s", said.State, strings.Join(states, ", "))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if said.State == "" {
		said.State, said.Text, said.ToolName = l.newest.State, l.newest.Text, l.newest.ToolName
	}
	said.Usage = cmp.Or(said.Usage, l.newest.Usage)
	if l.agent != nil {
		if err := said.show(ctx, l.agent); err != nil {
			return err
		}
	}
	l.newest = said
	return nil
}

// end shows that a program ended in the middle of what it said that it did.
func (l *lineActivity) end(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newest.State == protocol.ActivityWorking || l.newest.State == protocol.ActivityWaiting {
		l.newest = saidActivity{State: protocol.ActivityFailed, Usage: l.newest.Usage}
		if l.agent != nil {
			_ = l.newest.show(ctx, l.agent) // the agent may be leaving
		}
	}
}

// show makes an agent show it.
func (s *saidActivity) show(ctx context.Context, agent *sdk.Agent) error {
	options := []sdk.ActivityOption{sdk.UsingTool(s.ToolName)}
	if s.Usage != nil {
		options = append(options, sdk.WithUsage(*s.Usage))
	}
	if s.State != "" {
		return agent.SetActivity(ctx, s.State, s.Text, options...)
	}
	if s.Usage != nil {
		return agent.Usage(ctx, *s.Usage)
	}
	return nil
}
