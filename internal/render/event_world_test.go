package render

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// Some hosts omit a row's cell; the line then omits it too.
func TestPlayerAddedWithoutCell(t *testing.T) {
	t.Parallel()
	var names Names
	line := EventLine(Look{Width: 120}, &names, Event{
		Kind: protocol.EventPlayerAdded,
		Data: []byte(`{"player":{"agentId":"a","name":"Ada","platform":"x","toolNames":["chat_tool"]}}`),
	})
	if !strings.Contains(line, "Ada, x, with chat_tool") {
		t.Errorf("the line is %q, want no cell", line)
	}
}
