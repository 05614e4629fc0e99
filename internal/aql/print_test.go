package aql

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Every statement, with any text in it, is printed so that it parses as the same
// statement.
func TestPrintedStatementsParse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawStatement(t)
		printed := formatStatement(want)
		program, err := Parse("t", printed)
		if err != nil {
			t.Fatalf("%s: %v", printed, err)
		}
		if diff := cmp.Diff(want, program.Lines[0].Statement, withoutPlaces); diff != "" {
			t.Fatalf("%s\nis another statement: %s", printed, diff)
		}
	})
}

func drawOperand(t *rapid.T) Operand {
	if rapid.Bool().Draw(t, "literal") {
		return Operand{Text: Text(rapid.String().Draw(t, "text"))}
	}
	variable := drawName(t).Text
	for range rapid.IntRange(0, 3).Draw(t, "depth") {
		variable += "." + rapid.StringMatching(`[A-Za-z0-9_é-]{1,5}`).Draw(t, "field")
	}
	return Operand{Variable: Reference(variable)}
}

func drawName(t *rapid.T) Name {
	return Name{Text: rapid.StringMatching(`[A-Za-z_é][A-Za-z0-9_é]{0,6}`).Draw(t, "name")}
}

func maybe[T any](t *rapid.T, draw func(*rapid.T) T) *T {
	if rapid.Bool().Draw(t, "absent") {
		return nil
	}
	return new(draw(t))
}

func drawList(t *rapid.T, least int) []Operand {
	var list []Operand
	for range rapid.IntRange(least, 3).Draw(t, "length") {
		list = append(list, drawOperand(t))
	}
	return list
}

func drawStatement(t *rapid.T) Statement {
	draws := []func() Statement{
		func() Statement { return Connect{Verb: "CONNECT", Server: maybe(t, drawOperand)} },
		func() Statement { return Connect{Verb: "CONNECT", Context: new(drawOperand(t))} },
		func() Statement { return Let{Verb: "LET", Name: drawName(t), Values: drawList(t, 1)} },
		func() Statement { return LetFrom{Verb: "LET", Name: drawName(t), Env: new(drawOperand(t))} },
		func() Statement { return LetFrom{Verb: "LET", Name: drawName(t), File: new(drawOperand(t))} },
		func() Statement {
			return LetFrom{Verb: "LET", Name: drawName(t), Prompt: "PROMPT", Question: maybe(t, drawOperand)}
		},
		func() Statement {
			return CreateSpace{
				Verb: "CREATE SPACE", Name: drawOperand(t), Design: new(drawOperand(t)), Owner: new(drawOperand(t)),
				Description: maybe(t, drawOperand), Structure: maybe(t, drawOperand), Amenities: drawList(t, 0),
				Keyfile: maybe(t, drawOperand), Into: maybe(t, drawName),
			}
		},
		func() Statement {
			return UseSpaceNode{Verb: "USE SPACE NODE", Node: drawOperand(t), Passphrase: maybe(t, drawOperand)}
		},
		func() Statement {
			return UseAgentNode{Verb: "USE AGENT NODE", Node: drawOperand(t), Passphrase: maybe(t, drawOperand)}
		},
		func() Statement { return ChangeAmenity{Verb: "ADD SPACE AMENITY", Amenity: drawOperand(t)} },
		func() Statement { return ChangeAmenity{Verb: "REMOVE SPACE AMENITY", Amenity: drawOperand(t)} },
		func() Statement { return RemoveSpace{Verb: "REMOVE SPACE", Space: maybe(t, drawOperand)} },
		func() Statement {
			return InspectSpace{Verb: "INSPECT SPACE", Space: maybe(t, drawOperand), Into: maybe(t, drawName)}
		},
		func() Statement { return InspectMainNode{Verb: "INSPECT MAIN NODE", Into: maybe(t, drawName)} },
		func() Statement {
			return InspectAgent{Verb: "INSPECT AGENT", Agent: maybe(t, drawOperand), Into: maybe(t, drawName)}
		},
		func() Statement { return Send{Verb: "SEND", Text: drawList(t, 1)} },
		func() Statement {
			verb := rapid.SampledFrom([]Verb{"FETCH OCCUPANTS", "FETCH METADATA", "FETCH SNAPSHOT"}).Draw(t, "what")
			return Fetch{Verb: verb, Into: maybe(t, drawName)}
		},
		func() Statement { return Show{Verb: "SHOW", Values: drawList(t, 1)} },
		func() Statement {
			verbs := []Verb{"SHOW AGENTS", "SHOW CONNECTION", "SHOW SPACES", "SHOW VARIABLES"}
			return ShowList{Verb: rapid.SampledFrom(verbs).Draw(t, "list")}
		},
	}
	return rapid.SampledFrom(draws).Draw(t, "statement")()
}
