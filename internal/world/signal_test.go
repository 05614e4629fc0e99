package world

import (
	"strings"
	"testing"
)

func TestBytesOfSignals(t *testing.T) {
	t.Parallel()
	f := open(t)
	owner := f.main("owner")
	ada := f.agent(owner, "ada")
	f.as(ada, registration(ada))
	for _, c := range []struct {
		caller  string
		command Command
		want    string
	}{
		{ada, journey(ada, "search", "write"), `{"playerId":"` + ada + `","kind":"journey","data":{"stepCount":3},`},
		{owner, DeleteNode{NodeID: owner}, `{"playerId":"__world__","kind":"metadata","data":{"reason":"node_deleted"},`},
	} {
		f.as(c.caller, c.command)
		events := f.events(0)
		if got := string(events[len(events)-1].Data); !strings.HasPrefix(got, c.want) {
			t.Errorf("%T: the last event is %s, want it to begin with %s", c.command, got, c.want)
		}
	}
}
