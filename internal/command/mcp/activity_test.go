package mcp_test

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// The assistant shows what its agent does, whether this server put the agent on the map or another
// program did.
func TestSetActivity(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	grace := strings.Repeat("cd", 32)
	for _, agent := range []string{f.other, grace} {
		session := f.connect(nil, "--agent", agent)
		var done struct{ State string }
		call(t, session, "set_activity", map[string]any{
			"state": "waiting", "text": "Approve\nthe commit", "tool": "edit", "usage": map[string]any{"inputTokens": 7, "costUsd": 0.5},
		}, &done)
		if done.State != "waiting" {
			t.Errorf("the result is %+v", done)
		}
		for event, err := range f.world.Events(t.Context(), sdk.EventOptions{Kinds: []protocol.EventKind{protocol.EventActivity}, FromSeq: true}) {
			if err != nil {
				t.Fatal(err)
			}
			var seen protocol.ActivityData
			if err := event.Decode(&seen); err != nil {
				t.Fatal(err)
			}
			if seen.PlayerID != agent {
				continue
			}
			a := seen.Activity
			if a.State != "waiting" || a.Text != "Approve the commit" || a.ToolName != "edit" || *a.Usage.InputTokens != 7 || *a.Usage.CostUSD != 0.5 {
				t.Errorf("the row has %+v", a)
			}
			break
		}
		for _, c := range []struct {
			args map[string]any
			want string
		}{
			{map[string]any{"state": "busy"}, "working, waiting, idle, done, failed"},
			{map[string]any{"text": "no state"}, "the argument state is missing: working, waiting"},
			{map[string]any{"state": "idle", "usage": map[string]any{"errors": -1}}, "errors"},
			{map[string]any{"state": "idle", "usage": map[string]any{"errors": "many"}}, "usage.errors is \"many\": it must be a number"},
		} {
			if text := refusal(t, session, "set_activity", c.args); !strings.Contains(text, c.want) {
				t.Errorf("%v: %q, want %q", c.args, text, c.want)
			}
		}
	}
}
