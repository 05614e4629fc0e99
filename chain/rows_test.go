package chain_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// text draws texts that are hard to encode: escapes, order of keys, several planes.
func text() *rapid.Generator[string] {
	return rapid.StringOf(rapid.OneOf(
		rapid.RuneFrom([]rune("ab\"\\/<&>\u2028\x7f\x00\n\té€\uFB33😀")), rapid.Rune(),
	))
}

func coordinate() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Map(rapid.IntRange(-50, 50), func(i int) float64 { return float64(i) }),
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
	)
}

// anyJSON draws JSON texts that are not canonical.
func anyJSON() *rapid.Generator[json.RawMessage] {
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		fields := rapid.MapOfN(text(), rapid.OneOf(
			rapid.Map(text(), func(s string) any { return s }),
			rapid.Map(coordinate(), func(f float64) any { return f }),
			rapid.Just[any](nil), rapid.Just[any]([]any{true, map[string]any{"z": 1, "a": 2}}),
		), 0, 4).Draw(t, "fields")
		b, err := json.MarshalIndent(fields, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}

func optional[T any](t *rapid.T, what string, g *rapid.Generator[T]) *T {
	if !rapid.Bool().Draw(t, what) {
		return nil
	}
	v := g.Draw(t, what)
	return &v
}

func step() *rapid.Generator[protocol.JourneyStep] {
	return rapid.Custom(func(t *rapid.T) protocol.JourneyStep {
		s := protocol.JourneyStep{Type: rapid.SampledFrom([]string{"origin", "structure", "destination"}).Draw(t, "type")}
		if s.Type == protocol.StepStructure {
			s.ToolName, s.ToolCallID, s.Args = text().Draw(t, "tool"), text().Draw(t, "call"), anyJSON().Draw(t, "args")
			if r := optional(t, "result", anyJSON()); r != nil {
				s.Result = *r
			}
		} else {
			s.Content, s.MessageID = text().Draw(t, "content"), text().Draw(t, "id")
		}
		if rapid.Bool().Draw(t, "measured") {
			s.StartedAt, s.CompletedAt, s.Error = updatedAt, text().Draw(t, "completed"), text().Draw(t, "error")
			s.Usage = optional(t, "usage", usage())
		}
		return s
	})
}

func usage() *rapid.Generator[protocol.Usage] {
	amount := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.SampledFrom([]float64{0, 0.1, 1e-7, 1e21, 1 << 53}))
	return rapid.Custom(func(t *rapid.T) protocol.Usage {
		return protocol.Usage{
			InputTokens: optional(t, "input", amount), OutputTokens: optional(t, "output", amount), CostUSD: optional(t, "cost", amount),
			ToolCalls: optional(t, "calls", amount), Errors: optional(t, "errors", amount),
		}
	})
}

func activity() *rapid.Generator[protocol.Activity] {
	return rapid.Custom(func(t *rapid.T) protocol.Activity {
		return protocol.Activity{
			State: rapid.SampledFrom(protocol.ActivityStates()).Draw(t, "state"), Since: updatedAt,
			Text: text().Draw(t, "text"), ToolName: text().Draw(t, "tool"), Usage: optional(t, "usage", usage()),
		}
	})
}

func lastUpdate() *rapid.Generator[protocol.LastUpdate] {
	return rapid.Custom(func(t *rapid.T) protocol.LastUpdate {
		u := protocol.LastUpdate{
			PlayerID: text().Draw(t, "player"), Path: []protocol.PathStep{},
			Journey: protocol.Journey{
				Steps:     rapid.SliceOfN(step(), 1, 4).Draw(t, "steps"),
				StartedAt: updatedAt, CompletedAt: text().Draw(t, "completed"),
			},
		}
		for _, s := range u.Journey.Steps {
			u.Path = append(u.Path, protocol.PathStep{
				JourneyStep: s, X: coordinate().Draw(t, "x"), Y: coordinate().Draw(t, "y"), StructureID: "agent:" + u.PlayerID,
			})
		}
		return u
	})
}

func agentRow() *rapid.Generator[protocol.Occupant] {
	return rapid.Custom(func(t *rapid.T) protocol.Occupant {
		a := &protocol.Agent{
			NodeID: "n" + text().Draw(t, "node"), AgentID: "a" + text().Draw(t, "agent"), Name: text().Draw(t, "name"),
			X: coordinate().Draw(t, "x"), Y: coordinate().Draw(t, "y"), Platform: text().Draw(t, "platform"),
			ToolNames:       rapid.SliceOfN(text(), 0, 3).Draw(t, "tools"),
			AssistToolNames: rapid.SliceOfN(text(), 0, 3).Draw(t, "assist"),
			HasChatTool:     rapid.Bool().Draw(t, "chat"), EnableP2A: rapid.SampledFrom([]string{"on", "off"}).Draw(t, "p2a"),
			Stationary: rapid.Bool().Draw(t, "stationary"), Flagged: rapid.Bool().Draw(t, "flagged"),
			ZoneCount: rapid.Int64Range(-1<<53, 1<<53).Draw(t, "zones"), YieldCount: rapid.Int64Range(0, 200).Draw(t, "yields"),
			LastUpdate: optional(t, "update", lastUpdate()), Activity: optional(t, "activity", activity()),
			ParentID: text().Draw(t, "parent"), Group: text().Draw(t, "group"),
		}
		if rapid.Bool().Draw(t, "extras") {
			a.RealtimeInstructions = "i" + text().Draw(t, "instructions")
			a.OnZone = &protocol.ZoneMark{ZoneCount: 3, Flagged: true, At: updatedAt}
			a.OnYield = &protocol.YieldMark{YieldCount: 4, At: text().Draw(t, "at")}
			a.AssistTools = []protocol.AssistTool{{
				Name: "assist_" + text().Draw(t, "tool"), Description: text().Draw(t, "about"), Parameters: anyJSON().Draw(t, "parameters"),
			}}
		}
		return a
	})
}

func otherRow() *rapid.Generator[protocol.Occupant] {
	return rapid.Custom(func(t *rapid.T) protocol.Occupant {
		id, name := "i"+text().Draw(t, "id"), text().Draw(t, "name")
		x, y := coordinate().Draw(t, "x"), coordinate().Draw(t, "y")
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return &protocol.MCP{ID: id, Name: name, X: x, Y: y, NodeID: text().Draw(t, "node"), URL: text().Draw(t, "url")}
		case 1:
			return &protocol.Human{ID: id, Name: name, X: x, Y: y, Interactive: optional(t, "interactive", rapid.Bool())}
		}
		return &protocol.Structure{
			ID: id, Name: name, X: x, Y: y, WorldID: "w" + text().Draw(t, "world"), GameID: text().Draw(t, "game"),
			SpaceIDs: rapid.SliceOfN(text(), 1, 3).Draw(t, "spaces"), PrimaryAmenity: text().Draw(t, "primary"),
			Amenities: rapid.SliceOfN(text(), 0, 2).Draw(t, "amenities"), Stationary: rapid.Bool().Draw(t, "stationary"),
		}
	})
}

// slowCanonical is the slow implementation: encoding/json and another RFC 8785.
func slowCanonical(t failureReporter, row any) []byte {
	t.Helper()
	b, err := json.Marshal(row)
	if err != nil {
		t.Fatalf("marshal: %v", err)
	}
	b, err = jcs.Transform(b)
	if err != nil {
		t.Fatalf("canonicalize: %v", err)
	}
	return b
}

// checkRow compares the fast implementation with the slow one and parses the row
// again.
func checkRow(t *rapid.T) {
	row := rapid.OneOf(agentRow(), otherRow()).Draw(t, "row")
	want := slowCanonical(t, row)
	got, err := chain.AppendOccupant(nil, row)
	if err != nil {
		t.Fatalf("AppendOccupant: %v", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Fatalf("canonical text (-want +got):\n%s", diff)
	}
	read, err := chain.ParseOccupant(got)
	if err != nil {
		t.Fatalf("ParseOccupant: %v", err)
	}
	// The parsed row is the same row, with its raw parts canonical.
	back, err := chain.AppendOccupant(nil, read)
	if err != nil || read.StableKey() != row.StableKey() {
		t.Fatalf("key %q became %q, %v", row.StableKey(), read.StableKey(), err)
	}
	if diff := cmp.Diff(string(got), string(back)); diff != "" {
		t.Fatalf("text of the row that was read back (-want +got):\n%s", diff)
	}
	leaf, err := chain.ParseOccupantLeaf(want)
	if err != nil || leaf.Key() != row.StableKey() || string(leaf.Payload()) != string(want) {
		t.Fatalf("leaf %q with %s, %v", leaf.Key(), leaf.Payload(), err)
	}
}

func TestRowWithAnotherActivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row, _ := agentRow().Draw(t, "row").(*protocol.Agent)
		before, err := chain.AppendOccupant(nil, row)
		if err != nil {
			t.Fatal(err)
		}
		row.Activity = new(activity().Draw(t, "next"))
		want, err := chain.AppendOccupant([]byte("x"), row)
		if err != nil {
			t.Fatal(err)
		}
		got, err := chain.AppendWithActivity([]byte("x"), before, row.Activity)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
		}
	})
	row := []byte(`{"agentId":"a"}`)
	if out, err := chain.AppendWithActivity(row, row, &protocol.Activity{Text: "\xff"}); err == nil || string(out) != string(row) {
		t.Errorf("%s, %v", out, err)
	}
}

func TestRowsAgainstSlowPath(t *testing.T) { rapid.Check(t, checkRow) }

// FuzzRows runs checkRow with the fuzzer's coverage guidance.
func FuzzRows(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkRow)) }

func TestSpacesAgainstSlowPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := &protocol.Space{
			ID: "s" + text().Draw(t, "id"), Name: text().Draw(t, "name"), Description: text().Draw(t, "about"),
			DesignKey: text().Draw(t, "design"),
			Owner: protocol.SpaceOwner{
				DisplayName: text().Draw(t, "owner"), PlayerID: text().Draw(t, "player"), NodeID: text().Draw(t, "node"),
			},
			Amenities:         rapid.SliceOfN(rapid.SampledFrom([]string{"shop", "supermarket", "car_wash"}), 1, 3).Draw(t, "amenities"),
			ActivityObjectIDs: rapid.SliceOfN(text(), 0, 2).Draw(t, "objects"),
		}
		want := slowCanonical(t, space)
		got, err := chain.AppendSpace(nil, space)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatalf("canonical text (-want +got):\n%s", diff)
		}
		read, err := chain.ParseSpace(got)
		if diff := cmp.Diff(space, read, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("read back: %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestHeaderAgainstSlowPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sid := text().Draw(t, "sid")
		b := protocol.Bounds{
			MinX: coordinate().Draw(t, "minX"), MinY: coordinate().Draw(t, "minY"),
			MaxX: coordinate().Draw(t, "maxX"), MaxY: coordinate().Draw(t, "maxY"),
		}
		want := slowCanonical(t, map[string]any{"v": 1, "sid": sid, "bounds": b})
		leaf, err := chain.HeaderLeaf(sid, b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(leaf.Payload())); diff != "" {
			t.Fatalf("header (-want +got):\n%s", diff)
		}
	})
}

func TestRowsWithNilLists(t *testing.T) {
	got, err := chain.AppendOccupant(nil, &protocol.Agent{AssistTools: []protocol.AssistTool{{Name: "assist_x"}}})
	if err != nil || strings.Contains(string(got), "null") {
		t.Errorf("got %s, %v, want no null", got, err)
	}
}

func TestCountsBeyondExactIntegersOfDouble(t *testing.T) {
	for _, n := range []int64{1<<53 + 1, math.MaxInt64, math.MinInt64} {
		row := &protocol.Agent{ToolNames: []string{}, AssistToolNames: []string{}, ZoneCount: n}
		got, err := chain.AppendOccupant(nil, row)
		if diff := cmp.Diff(string(slowCanonical(t, row)), string(got)); err != nil || diff != "" {
			t.Errorf("%d: %v (-want +got):\n%s", n, err, diff)
		}
	}
}

func TestInvalidRowsAreRefused(t *testing.T) {
	bad := "\xff"
	for name, c := range map[string]struct {
		row  protocol.Occupant
		want error
	}{
		"no row":        {nil, chain.ErrRow},
		"text":          {&protocol.Human{ID: "h", Name: bad}, chain.ErrJSON},
		"list":          {&protocol.Structure{SpaceIDs: []string{bad}}, chain.ErrJSON},
		"not a number":  {&protocol.MCP{X: math.NaN()}, chain.ErrJSON},
		"infinite":      {&protocol.MCP{Y: math.Inf(-1)}, chain.ErrJSON},
		"raw parameter": {&protocol.Agent{AssistTools: []protocol.AssistTool{{Parameters: json.RawMessage(`{"a":1,"a":1}`)}}}, chain.ErrJSON},
	} {
		got, err := chain.AppendOccupant([]byte("kept"), c.row)
		if !errors.Is(err, c.want) || string(got) != "kept" {
			t.Errorf("%s: got %q, %v, want %v", name, got, err, c.want)
		}
		if c.row == nil {
			continue
		}
		if _, err := chain.OccupantLeaf(c.row); !errors.Is(err, c.want) {
			t.Errorf("%s: OccupantLeaf gave %v", name, err)
		}
	}
	if _, err := chain.AppendSpace(nil, &protocol.Space{Name: bad}); !errors.Is(err, chain.ErrJSON) {
		t.Errorf("AppendSpace gave %v", err)
	}
	if _, err := chain.HeaderLeaf("s", protocol.Bounds{MaxX: math.Inf(1)}); !errors.Is(err, chain.ErrJSON) {
		t.Errorf("HeaderLeaf gave %v", err)
	}
	if _, err := chain.HeaderLeaf(bad, protocol.Bounds{}); !errors.Is(err, chain.ErrJSON) {
		t.Errorf("HeaderLeaf of a bad sid gave %v", err)
	}
}
