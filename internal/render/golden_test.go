package render

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/playctl/playctl/protocol"
)

const (
	adaID   = "3f2a9c81d0e44b7796a1c0ffee5be11ad0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f"
	graceID = "b71c0de5d0e44b7796a1c0ffee5be11ad0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f"
)

// documents are results as commands print them.
func documents() map[string]Document {
	return map[string]Document{
		"agents": {Views: []View{Table{
			Columns: []Column{{Title: "agent"}, {Title: "label"}, {Title: "tools", Wraps: true}, {Title: "zones", Right: true}, {Title: "created"}},
			Rows: [][]string{
				{ShortID(adaID), "Ada", "chat_tool, search", "3", "5 min ago"},
				{ShortID(graceID), "Grace", "chat_tool, assist_route_across_the_whole_of_the_map, compile, debug, fetch, plan", "120 (flagged)", "2 days ago"},
			},
		}}},
		"said": {Views: []View{Table{
			Columns: []Column{{Title: "seq", Right: true}, {Title: "agent"}, {Title: "text", Wraps: true}},
			Rows: [][]string{
				{"9", "Ada", "Short."},
				{"1024", "Grace", "A line that is longer than a narrow window, with wide signs 日本語 and a 👩‍🚀, so that it has to go on below itself."},
				{"1025", "Eve", "\x1b[31mred\x1b[0m \x07bell\nsecond line\u202Eback"},
			},
		}}},
		"words": {Views: []View{Table{
			Columns: []Column{{Title: "agent"}, {Title: "name", Wraps: true}, {Title: "tools", Wraps: true}},
			Rows:    [][]string{{ShortID(adaID), "Ada of the library on the hill", "chat_tool, assist_route_across_the_whole_map"}},
		}}},
		"fields": {Views: []View{
			Line("connected"),
			Fields{{"main node", adaID}, {"context", "home"}, {"nothing", ""}, {"can", "chain-nodes, chain-at-rev, chain-proof, chain-inline, resume"}},
		}},
		"empty": {Views: []View{Table{Columns: []Column{{Title: "agent"}}, Empty: "There are no agents yet."}}},
	}
}

func TestDocumentsGolden(t *testing.T) {
	t.Parallel()
	for look, how := range looks() {
		for name, document := range documents() {
			var out strings.Builder
			printer := Printer{Out: &out, Format: FormatTable, Look: how}
			if err := printer.Print(document); err != nil {
				t.Fatal(err)
			}
			golden(t, path.Join("documents", name+"-"+look+".txt"), out.String())
			inWindow(t, name, how, out.String())
		}
	}
}

// inWindow checks that no line is wider than the window and that there is no color
// without color support.
func inWindow(t *testing.T, name string, look Look, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if width := ansi.StringWidth(strings.TrimSuffix(line, "\n")); look.Width > 0 && width > look.Width {
			t.Errorf("%s: a line has %d columns of %d: %q", name, width, look.Width, line)
		}
	}
	if !look.Color && strings.ContainsRune(text, '\x1b') {
		t.Errorf("%s: there are escape sequences without color: %q", name, text)
	}
}

// events returns one event of each kind, and some invalid ones.
func events() []Event {
	const head = `,"rev":7,"merkleRootHex":"aa","merkleLeafCount":3`
	const changed = head + `,"playerChainNotify":{"updatedAt":"2026-03-04T11:59:58.120Z","nodes":[]}}`
	const person = `{"requestId":"r","mainNodeId":"m","toPlayerId":"__human__","fromPlayerId":"` + adaID + `","kind":`
	raw := []struct{ kind, data string }{
		{"world:player_added", `{"player":{"kind":"agent","nodeId":"m","agentId":"` + adaID + `","name":"Ada","x":3,"y":4,"platform":"langchain","toolNames":["chat_tool","search"]}` + changed},
		{"world:player_added", `{"player":{"kind":"agent","nodeId":"m","agentId":"` + graceID + `","name":"\u001b[2JGrace\u202e","x":0,"y":0,"platform":"x","toolNames":["chat_tool"]}` + changed},
		{"world:interaction", `{"playerId":"` + adaID + `","role":"user","text":"Where is the library?","at":"2026-03-04T12:00:01.000Z","seq":2` + head + `}`},
		{"world:interaction", `{"playerId":"` + adaID + `","role":"assistant","text":"It is next to the mill, behind the old bridge; take the second path on the left.","at":"2026-03-04T12:00:02.000Z","seq":3` + head + `}`},
		{"world:interaction", `{"playerId":"` + adaID + `","role":"tool","text":"3 results\n1. mill","at":"2026-03-04T12:00:03.000Z","seq":3` + head + `}`},
		{"world:journey", `{"playerId":"` + adaID + `","journey":{"steps":[{"type":"origin","content":"Where is\nit?","messageId":"1"},{"type":"structure","toolName":"search","toolCallId":"c","args":{}},{"type":"destination","content":"Next to the mill.","messageId":"2"}],"startedAt":"","completedAt":""},"path":[]` + changed},
		{"world:activity", `{"playerId":"` + adaID + `","activity":{"state":"waiting","text":"Approve send_email","toolName":"send_email","since":"2026-03-04T11:57:00.000Z"}` + changed},
		{"world:activity", `{"playerId":"` + graceID + `","activity":{"state":"idle","since":"2026-03-04T11:57:00.000Z"}` + changed},
		{"world:agent_signal", `{"playerId":"` + adaID + `","kind":"journey","data":{"stepCount":3}` + head + `}`},
		{"world:agent_signal", `{"playerId":"` + adaID + `","kind":"zone","data":{"zoneCount":100,"flagged":true}` + changed},
		{"world:agent_signal", `{"playerId":"` + adaID + `","kind":"yield","data":{"yieldCount":2}` + changed},
		{"world:agent_signal", `{"playerId":"` + adaID + `","kind":"chat","data":{"fromPlayerId":"` + graceID + `"}` + head + `}`},
		{"world:agent_signal", `{"playerId":"__world__","kind":"metadata","data":{"reason":"node_deleted"}` + changed},
		{"world:person_added", `{"person":{"kind":"human","id":"8c1f0ee5be11ad0d1e2f3a4b5c6d7e8f","name":"Lin","x":6,"y":4}` + changed},
		{"world:agent_signal", `{"playerId":"` + adaID + `","kind":"zone","data":{"zoneCount":4,"flagged":false,"fromPlayerId":"8c1f0ee5be11ad0d1e2f3a4b5c6d7e8f"}` + changed},
		{"world:person_removed", `{"personId":"8c1f0ee5be11ad0d1e2f3a4b5c6d7e8f","reason":"lease"` + changed},
		{"world:mcp_registered", `{"mcp":{"kind":"mcp","id":"m1","nodeId":"m","name":"weather","url":"https://mcp.example.com","x":5,"y":5}` + changed},
		{"world:mcp_unregistered", `{"id":"m1","reason":"unregister"` + changed},
		{"world:space_changed", `{"spaceId":"s1","action":"created"` + changed},
		{"world:intercom", person + `"chat","status":"started","ts":"2026-03-04T12:00:04.000Z","message":"Hi."` + head + `}`},
		{"world:intercom", person + `"chat","status":"forwarded","ts":"2026-03-04T12:00:04.000Z","message":"Hi.","command":{"kind":"chat","text":"Hi."}` + head + `}`},
		{"world:intercom", person + `"chat","status":"stream","ts":"2026-03-04T12:00:04.000Z","message":"Hel"` + head + `}`},
		{"world:intercom", person + `"chat","status":"completed","ts":"2026-03-04T12:00:04.000Z","message":"Hello."` + head + `}`},
		{"world:intercom", `{"requestId":"r","mainNodeId":"m","toPlayerId":"` + graceID + `","fromPlayerId":"` + adaID + `","kind":"assist","status":"forwarded","ts":"2026-03-04T12:00:04.000Z","toolName":"assist_route","command":{"kind":"assist","toolName":"assist_route","args":{"to":"mill"}}` + head + `}`},
		{"world:intercom", person + `"assist","status":"completed","ts":"2026-03-04T12:00:04.000Z","toolName":"assist_route","result":{"messageKind":"text","steps":3}` + head + `}`},
		{"world:intercom", person + `"assist","status":"completed","ts":"2026-03-04T12:00:04.000Z","toolName":"assist_route"` + head + `}`},
		{"world:intercom", person + `"assist","status":"failed","ts":"2026-03-04T12:00:04.000Z","toolName":"assist_route","error":"There is no way."` + head + `}`},
		{"world:intercom", person + `"realtime","status":"forwarded","ts":"2026-03-04T12:00:04.000Z","command":{"kind":"realtime"}` + head + `}`},
		{"world:player_removed", `{"playerId":"` + adaID + `","reason":"lease"` + changed},
		{"session:reset", `{"reason":"admin","sid":"5d1f"` + head + `}`},
		{"session:resync", `{"reason":"too_old","rev":7}`},
		{"world:of_tomorrow", `{}`},
		{"world:interaction", `{"playerId":7}`},
		{"world:player_added", `not json`},
	}
	all := make([]Event, len(raw))
	for i, event := range raw {
		all[i] = Event{Kind: protocol.EventKind(event.kind), Data: []byte(event.data)}
		if strings.Contains(event.data, "stepCount") {
			all[i].Seen = noon
		}
	}
	return all
}

func TestEventLinesGolden(t *testing.T) {
	t.Parallel()
	for name, look := range looks() {
		var names Names
		var out strings.Builder
		for _, event := range events() {
			out.WriteString(EventLine(look, &names, event))
		}
		golden(t, path.Join("events", name+".txt"), out.String())
		inWindow(t, "events", look, out.String())
	}
}

// Every kind of event in the contract has its own text, which the golden files
// show.
func TestEveryKindHasText(t *testing.T) {
	t.Parallel()
	shown := events()
	for _, kind := range protocol.EventKinds() {
		if !slices.ContainsFunc(shown, func(event Event) bool { return event.Kind == kind }) {
			t.Errorf("there is no event of the kind %s in the golden files", kind)
		}
		if _, known := formatters[kind]; !known {
			t.Errorf("%s is shown by its kind only", kind)
		}
	}
}
