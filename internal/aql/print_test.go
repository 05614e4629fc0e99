package aql

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Any statement is printed so that it parses as itself, with any text in it.
func TestPrintedStatementsParse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawStatement(t)
		printed := FormatStatement(want)
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
		return Operand{Text: rapid.String().Draw(t, "text")}
	}
	o := Operand{Variable: drawName(t).Text}
	for range rapid.IntRange(0, 3).Draw(t, "depth") {
		o.Path = append(o.Path, rapid.StringMatching(`[A-Za-z0-9_é-]{1,5}`).Draw(t, "field"))
	}
	return o
}

func drawName(t *rapid.T) Name {
	return Name{Text: rapid.StringMatching(`[A-Za-z_é][A-Za-z0-9_é]{0,6}`).Draw(t, "name")}
}

func maybe[T any](t *rapid.T, draw func(*rapid.T) T) *T {
	if rapid.Bool().Draw(t, "absent") {
		return nil
	}
	drawn := draw(t)
	return &drawn
}

func drawList(t *rapid.T, least int) []Operand {
	var list []Operand
	for range rapid.IntRange(least, 3).Draw(t, "length") {
		list = append(list, drawOperand(t))
	}
	return list
}

func drawStatement(t *rapid.T) Statement {
	statements := []func() Statement{
		func() Statement { return Connect{Server: maybe(t, drawOperand)} },
		func() Statement { o := drawOperand(t); return Connect{Context: &o} },
		func() Statement { return Let{Name: drawName(t), Values: drawList(t, 1)} },
		func() Statement {
			source := rapid.SampledFrom([]SecretSource{SourceEnv, SourceFile, SourcePrompt}).Draw(t, "source")
			from := drawOperand(t)
			return LetFrom{Name: drawName(t), Source: source, From: &from}
		},
		func() Statement {
			return CreateSpace{
				Name: drawOperand(t), Design: drawOperand(t), Owner: drawOperand(t), Description: maybe(t, drawOperand),
				Structure: maybe(t, drawOperand), Amenities: drawList(t, 0), Keyfile: maybe(t, drawOperand), Into: maybe(t, drawName),
			}
		},
		func() Statement { return UseSpaceNode{Node: drawOperand(t), Passphrase: maybe(t, drawOperand)} },
		func() Statement { return UseAgentNode{Node: drawOperand(t), Passphrase: maybe(t, drawOperand)} },
		func() Statement {
			return ChangeAmenity{Remove: rapid.Bool().Draw(t, "remove"), Amenity: drawOperand(t)}
		},
		func() Statement { return RemoveSpace{Space: maybe(t, drawOperand)} },
		func() Statement { return InspectSpace{Space: maybe(t, drawOperand), Into: maybe(t, drawName)} },
		func() Statement { return InspectMainNode{Into: maybe(t, drawName)} },
		func() Statement { return InspectAgent{Agent: maybe(t, drawOperand), Into: maybe(t, drawName)} },
		func() Statement { return Send{Text: drawList(t, 1)} },
		func() Statement {
			what := rapid.SampledFrom([]Fetchable{FetchOccupants, FetchMetadata, FetchSnapshot}).Draw(t, "what")
			return Fetch{What: what, Into: maybe(t, drawName)}
		},
		func() Statement { return Show{Values: drawList(t, 1)} },
		func() Statement {
			return Show{What: rapid.SampledFrom([]Showable{ShowAgents, ShowConnection, ShowSpaces, ShowVariables}).Draw(t, "list")}
		},
	}
	return rapid.SampledFrom(statements).Draw(t, "statement")()
}
