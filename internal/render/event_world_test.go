package render

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// Hosts that say nothing of a row's cell leave it out, and so does the line.
func TestJoiningWithoutACell(t *testing.T) {
	t.Parallel()
	var names Names
	line := EventLine(Look{Width: 120}, &names, Event{
		Kind: protocol.EventPlayerAdded,
		Data: []byte(`{"player":{"agentId":"a","name":"Ada","platform":"x","toolNames":["chat_tool"]}}`),
	})
	if !strings.Contains(line, "Ada, x, with chat_tool") {
		t.Errorf("the line is %q, which has a cell that nobody named", line)
	}
}
