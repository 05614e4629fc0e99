package creds

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAgentsByIDAndLabel(t *testing.T) {
	c := sampleContext(t, "a")
	first, second := sampleAgent("first", "barista"), sampleAgent("second", "")
	for _, a := range []Agent{first, second} {
		if err := c.AddAgent(a); err != nil {
			t.Fatal(err)
		}
	}
	for ref, want := range map[string]string{
		"barista": first.NodeID, first.NodeID: first.NodeID, " " + strings.ToUpper(second.NodeID) + "\n": second.NodeID,
	} {
		if got, err := c.Agent(ref); err != nil || got.NodeID != want {
			t.Errorf("Agent(%q) = %s, %v", ref, got.NodeID, err)
		}
	}
	for _, ref := range []string{"", "Barista", "bar", sampleID("third")} {
		if _, err := c.Agent(ref); !errors.Is(err, ErrAgentUnknown) {
			t.Errorf("Agent(%q): %v", ref, err)
		}
	}
	if err := c.AddAgent(sampleAgent("fourth", "barista")); !errors.Is(err, ErrLabelTaken) {
		t.Errorf("a duplicate label: %v", err)
	}
	if got, err := c.RemoveAgent("barista"); err != nil || got.NodeID != first.NodeID || len(c.Agents()) != 1 {
		t.Errorf("RemoveAgent = %s, %v; %d are left", got.NodeID, err, len(c.Agents()))
	}
	if err := c.AddAgent(second); !errors.Is(err, ErrAgentExists) {
		t.Errorf("the same agent twice: %v", err)
	}
}

func TestLabels(t *testing.T) {
	for label, want := range map[string]error{
		"a": nil, "the barista": nil, "Зоя": nil, "🤖": nil, strings.Repeat("é", 64): nil, "": nil,
		" a": ErrLabel, "a\u00a0": ErrLabel, "a\nb": ErrLabel, "a\x1b[31mb": ErrLabel, "a\u202eb": ErrLabel, "\xff": ErrLabel,
		strings.Repeat("é", 65): ErrLabel, sampleID("x"): ErrLabel, strings.ToUpper(sampleID("x")): ErrLabel,
	} {
		if err := sampleContext(t, "a").AddAgent(sampleAgent("one", label)); !errors.Is(err, want) {
			t.Errorf("label %q: %v, want %v", label, err, want)
		}
	}
}

// After any additions and removals, a reference means one agent, and a failed
// operation changes nothing.
func TestAgentsStayUnambiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Context{}
		names := rapid.SampledFrom([]string{"one", "two", "three", "four"})
		labels := rapid.SampledFrom([]string{"", "x", "y", "z", " bad"})
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			before := c.Agents()
			var err error
			name, label := names.Draw(t, "name"), labels.Draw(t, "label")
			switch rapid.IntRange(0, 3).Draw(t, "operation") {
			case 3:
				err = c.LabelAgent(sampleID(name), label)
			case 0:
				err = c.AddAgent(sampleAgent(name, label))
			case 1:
				_, err = c.RemoveAgent(sampleID(name))
			case 2:
				_, err = c.RemoveAgent(label)
			}
			after := c.Agents()
			if err != nil && !equalAgents(before, after) {
				t.Fatalf("%v, but something changed", err)
			}
			for _, a := range after {
				for _, ref := range []string{a.NodeID, a.Label} {
					if got, err := c.Agent(ref); ref != "" && (err != nil || got.NodeID != a.NodeID) {
						t.Fatalf("%q means %s, %v", ref, got.NodeID, err)
					}
				}
			}
		}
	})
}

func equalAgents(a, b []Agent) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].NodeID != b[i].NodeID || a[i].Label != b[i].Label || !a[i].PasswHash.Equal(b[i].PasswHash.Secret) {
			return false
		}
	}
	return true
}
