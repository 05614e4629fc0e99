package stream

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/sdk"
)

// anEvent returns an event on which conditions are tested.
func anEvent() *eventFields {
	return &eventFields{event: &sdk.Event{Kind: "world:interaction", Seq: 9007199254740993, HasSeq: true, Data: []byte(`{"playerId":"ada","role":"user","text":"a, \"b\" = c",
		"rev":7,"flagged":true,"data":{"stepCount":3,"list":[1]},"nothing":null}`)}}
}

func noNames(string) []string { return nil }

func TestConditions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"interaction": true, "world:interaction": true, "kind=interaction": true, " interaction , rev=7 ": true,
		"journey": false, "kind!=journey": true, "kind!=interaction": false,
		"player=ada": true, "player=Ada": false, "player!=bob": true, "player!=ada": false,
		"role=user": true, "role!=user": false, "role=": false, "role!=": true,
		"text~=b": true, `text~="a, \"b\""`: true, `text="a, \"b\" = c"`: true, "text~=d": false, "text~== c": true,
		"rev=7": true, "rev=7.0": true, "rev>=7": true, "rev>=8": false, "rev<=7": true, "rev<=6.9": false, "rev>=-1": true,
		// Positions beyond 2^53 are distinguished.
		"seq=9007199254740993": true, "seq=9007199254740992": false, "seq>=9007199254740994": false,
		"flagged=true": true, "data.stepCount>=3": true, "data.stepCount>=4": false,
		// No condition holds for a field that the event does not have.
		"reason=lease": false, "reason!=lease": false, "data.list=1": false, "data=3": false, "nothing!=1": false, "text>=1": false,
		"interaction,role=user,player=ada": true, "interaction,role=tool,player=ada": false,
	} {
		c, err := parseCondition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := c.met(anEvent(), noNames); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	if c, err := parseCondition(""); c != nil || err != nil {
		t.Errorf("no condition is %v, %v", c, err)
	}
}

func TestInvalidConditions(t *testing.T) {
	t.Parallel()
	for text, message := range map[string]string{
		",": "not a kind", "interaction,": "not a kind", "interactoin": "not a kind", "kind=moon": "not a kind", "=x": "a field name",
		"kind~=world": "with = or !=", "player>=1": "with = or !=", "text>=x": "a number", "seq<=1e999999999": "a number",
		`text="open`: "quoted text", `text="a"b`: "quoted text", `text~=b"`: "quoted text", `"text"=b`: "a field name", "a b=c": "a field name",
	} {
		if _, err := parseCondition(text); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, want %q", text, err, message)
		} else if command.ExitCode(err) != command.ExitUsage {
			t.Errorf("%s: the exit code is %d", text, command.ExitCode(err))
		}
	}
}

func FuzzCondition(f *testing.F) {
	for _, seed := range []string{"interaction", "kind=world:journey,player=Ada", `text~="a,b",rev>=7`, "seq<=9,", `x="\u0000"`, "a.b.c!=d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCondition(text)
		if err != nil {
			if command.ExitCode(err) != command.ExitUsage {
				t.Fatalf("%q: %v is not reported as a usage error", text, err)
			}
			return
		}
		// One more clause never makes a false condition true.
		more, err := parseCondition(text + ",rev=7")
		if text != "" && (err != nil || more.met(anEvent(), noNames) != c.met(anEvent(), noNames)) {
			t.Fatalf("%q with a true clause: %v", text, err)
		}
	})
}
