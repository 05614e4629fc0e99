package chain_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// decoded parses a JSON text to plain values.
func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// without returns the first path at which got lacks a value of want. got may have
// more fields; lists must have the same items.
func without(want, got any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return path
		}
		for name, value := range w {
			if missing := without(value, g[name], path+"."+name); missing != "" {
				return missing
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return path
		}
		for i := range w {
			if missing := without(w[i], g[i], path+"[]"); missing != "" {
				return missing
			}
		}
		return ""
	}
	if want == got {
		return ""
	}
	return path
}

// sortOccupants sorts the occupants of a decoded snapshot: the vectors list them in
// no particular order.
func sortOccupants(snapshot any) {
	rows := snapshot.(map[string]any)["worldMap"].(map[string]any)["occupants"].([]any)
	slices.SortFunc(rows, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["name"].(string), b.(map[string]any)["name"].(string))
	})
}

func TestMergeVectors(t *testing.T) {
	var v struct {
		Merge []struct {
			Name                   string
			Snapshot, Node, Result json.RawMessage
			Outcome                string
		}
	}
	readVectors(t, "merge.json", &v)
	if len(v.Merge) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range v.Merge {
		t.Run(c.Name, func(t *testing.T) {
			s := mustSnapshot(t, c.Snapshot, "g")
			before, err := s.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			merged, err := parseAndMerge(s, c.Node)
			if c.Outcome == "error" {
				if err == nil {
					t.Fatal("merged, want an error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(merged)
			if err != nil {
				t.Fatal(err)
			}
			want, got := decoded(t, c.Result), decoded(t, text)
			sortOccupants(want)
			sortOccupants(got)
			if missing := without(want, got, ""); missing != "" {
				t.Errorf("%s differs: got %s, want %s", missing, text, c.Result)
			}
			after, err := s.AppendJSON(nil)
			if err != nil || string(after) != string(before) {
				t.Errorf("the old snapshot became %s, it was %s", after, before)
			}
		})
	}
}

func parseAndMerge(s *chain.Snapshot, node []byte) (*chain.Snapshot, error) {
	n, err := strictNode(node)
	if err != nil {
		return nil, err
	}
	return chain.MergeSnapshotWithNode(s, n)
}

// strictNode parses a single node. A node of an occupant or a space must state
// whether it is removed, which replies of the agent-play service omit.
func strictNode(node []byte) (protocol.ChainNode, error) {
	var head struct {
		Kind    string
		Removed any
	}
	reply, err := chain.ParseNodeRPCBody(slices.Concat([]byte(`{"node":`), node, []byte("}")))
	if err != nil {
		return reply.Node, err
	}
	if err := json.Unmarshal(node, &head); err != nil {
		return reply.Node, err
	}
	if _, stated := head.Removed.(bool); !stated && (head.Kind == protocol.NodeOccupant || head.Kind == protocol.NodeSpace) {
		return reply.Node, chain.ErrNode
	}
	return reply.Node, nil
}

func TestNodeBodyVectors(t *testing.T) {
	var v struct {
		NodeBodies []struct {
			Name         string
			Body, Result json.RawMessage
			Outcome      string
		}
	}
	readVectors(t, "merge.json", &v)
	if len(v.NodeBodies) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range v.NodeBodies {
		t.Run(c.Name, func(t *testing.T) {
			reply, err := chain.ParseNodeRPCBody(c.Body)
			if c.Outcome == "error" {
				if !errors.Is(err, chain.ErrNode) {
					t.Fatalf("got %+v, %v, want ErrNode", reply.Node, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if missing := without(decoded(t, c.Result), decoded(t, typedNode(t, reply.Node)), ""); missing != "" {
				t.Errorf("%s differs: got %+v, want %s", missing, reply.Node, c.Result)
			}
		})
	}
}

// typedNode returns a node's JSON with its row in typed form.
func typedNode(t *testing.T, n protocol.ChainNode) []byte {
	t.Helper()
	if n.Occupant != nil {
		row, err := chain.ParseOccupant(n.Occupant)
		if err != nil {
			t.Fatal(err)
		}
		if n.Occupant, err = chain.AppendOccupant(nil, row); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestNotifyReadingVectors(t *testing.T) {
	type vector struct {
		Name        string
		Raw, Result json.RawMessage
		Outcome     string
	}
	var v struct{ Notifies, SSEPayloads []vector }
	readVectors(t, "merge.json", &v)
	if len(v.Notifies) == 0 || len(v.SSEPayloads) == 0 {
		t.Fatal("no cases")
	}
	check := func(c vector, n *protocol.Notify) {
		t.Helper()
		if c.Outcome == "undefined" {
			if n != nil {
				t.Errorf("%s: got %+v, want none", c.Name, n)
			}
			return
		}
		got, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, c.Result), decoded(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
	for _, c := range v.Notifies {
		n, err := chain.ParseFanoutNotify(c.Raw)
		if (err != nil) != (c.Outcome == "undefined") || err != nil && !errors.Is(err, chain.ErrNotify) {
			t.Errorf("%s: error %v, outcome %s", c.Name, err, c.Outcome)
		}
		check(c, n)
	}
	for _, c := range v.SSEPayloads {
		n, err := chain.ParseFanoutNotifyFromSSEPayload(c.Raw)
		if err != nil && !errors.Is(err, chain.ErrNotify) {
			t.Errorf("%s: %v", c.Name, err)
		}
		check(c, n)
	}
}

func TestFetchOrderVectors(t *testing.T) {
	var v struct {
		FetchOrder []struct{ Nodes, Ordered []protocol.NodeRef }
	}
	readVectors(t, "merge.json", &v)
	if len(v.FetchOrder) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range v.FetchOrder {
		before := slices.Clone(c.Nodes)
		if diff := cmp.Diff(c.Ordered, chain.SortNodeRefsForSerializedFetch(c.Nodes)); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, c.Nodes); diff != "" {
			t.Errorf("the refs given were changed:\n%s", diff)
		}
	}
}
