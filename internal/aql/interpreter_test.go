package aql

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

// play runs a program against a world.
func play(t *testing.T, w *fakeWorld, text string) error {
	t.Helper()
	in := NewInterpreter(w, map[string]string{"design": "bazaar"})
	defer func() {
		in.Close()
		if w.open != 0 {
			t.Errorf("%d connections are left open", w.open)
		}
	}()
	return run(t, in, text)
}

func run(t *testing.T, in *Interpreter, text string) error {
	t.Helper()
	program, err := Parse("t", text)
	if err != nil {
		t.Fatal(err)
	}
	return in.Run(t.Context(), program)
}

// told are the results as programs read them.
func told(t *testing.T, w *fakeWorld) string {
	t.Helper()
	var lines []string
	for _, result := range w.results {
		text, err := json.Marshal(result.Data)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%d %s %s", result.Line, result.Verb, text))
	}
	return strings.Join(lines, "\n")
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

func TestAuthoring(t *testing.T) {
	t.Parallel()
	w := newFakeWorld()
	w.secrets["env P"] = spacePhrase
	err := play(t, w, `CONNECT "town"
LET name = "Corner " "shop"
CREATE SPACE $name DESIGN $design OWNER "Ada" AMENITIES shop, car_wash KEYFILE "k" INTO shop
CREATE SPACE "Mill" DESIGN "mill" OWNER "Bo" DESCRIPTION "old" STRUCTURE "Wheel"
USE SPACE NODE $shop.nodeId PASSPHRASE $shop.phrase
ADD SPACE AMENITY supermarket
INSPECT SPACE INTO seen
SHOW $seen.space.name
LET p FROM ENV P
USE SPACE NODE "Mill" PASSPHRASE $p
REMOVE SPACE AMENITY shop
INSPECT SPACE "Corner shop"
REMOVE SPACE "Corner shop"
REMOVE SPACE`)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "calls", strings.Join(w.asked, "\n"), `
main session
main create Corner shop bazaar Ada   [shop car_wash]
main create Mill mill Bo old Wheel []
main spaces
node-space1 validate 
node-space1 add space1 supermarket
node-space1 inspect space1
main spaces
node-space2 validate 
node-space2 take space2 shop
main spaces
main inspect space1
main spaces
main remove space1
main remove space2`)
	if diff := cmp.Diff(map[string]string{"k": spacePhrase, "space2.phrase": spacePhrase}, w.saved); diff != "" {
		t.Errorf("saved phrases: %s", diff)
	}
	expect(t, "results", told(t, w), `
3 CREATE SPACE {"spaceId":"space1","nodeId":"node-space1","phraseFile":"k","structure":{"x":1}}
4 CREATE SPACE {"spaceId":"space2","nodeId":"node-space2","phraseFile":"space2.phrase","structure":{"x":1}}
6 ADD SPACE AMENITY {"space":{"id":"space1","name":"Corner shop","description":"","designKey":"","owner":{"displayName":"","nodeId":"node-space1"},"amenities":["shop","car_wash"]}}
8 SHOW "Corner shop"
11 REMOVE SPACE AMENITY {"space":{"id":"space2","name":"Mill","description":"","designKey":"","owner":{"displayName":"","nodeId":"node-space2"},"amenities":null}}
12 INSPECT SPACE {"space":{"id":"space1","name":"Corner shop","description":"","designKey":"","owner":{"displayName":"","nodeId":"node-space1"},"amenities":["shop","car_wash"]},"log":[{"at":"","action":"created"}]}
13 REMOVE SPACE {"ok":true,"spaceId":"space1","name":"Corner shop"}
14 REMOVE SPACE {"ok":true,"spaceId":"space2","name":"Mill"}`)
}

func TestActingAsAgents(t *testing.T) {
	t.Parallel()
	w := newFakeWorld()
	w.secrets["prompt"] = " ada\n ada "
	err := play(t, w, `USE AGENT NODE mine
SEND "  I have " $design "  "
SEND " "
LET p FROM PROMPT
USE AGENT NODE Ada PASSPHRASE $p
SEND "hello"
INSPECT AGENT INTO ada
SHOW $ada.occupant.x
INSPECT AGENT a2cd
INSPECT AGENT b7ff
SHOW CONNECTION`)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "calls", strings.Join(w.asked, "\n"), `
main session
main validate mine
main say mine assistant "I have bazaar"
main say mine assistant ""
a1 validate 
a1 say a1 assistant "hello"
main snapshot
main nodes
main snapshot
main nodes
main snapshot
main nodes`)
	expect(t, "results", told(t, w), `
2 SEND {"playerId":"mine","text":"I have bazaar"}
3 SEND {"playerId":"mine","text":""}
6 SEND {"playerId":"a1","text":"hello"}
8 SHOW 1
9 INSPECT AGENT {"agentId":"a2cdef","node":{"agentId":"a2cdef","name":"Bo","toolNames":[],"zoneCount":0,"yieldCount":0,"flagged":false,"createdAt":"","updatedAt":""}}
10 INSPECT AGENT {"agentId":"b7ffff","occupant":{"kind":"agent","agentId":"b7ffff","name":"Bo"}}
11 SHOW CONNECTION {"server":"http://","mainNode":"main","agentId":"a1"}`)
	expect(t, "notes", strings.Join(w.notes, "\n"), `
Connected to http://.
Using the agent mine.
Secret for $p:
Using the agent Ada.`)
}

func TestLooking(t *testing.T) {
	t.Parallel()
	w := newFakeWorld()
	w.rows = w.rows[:1]
	w.nodes = w.nodes[:1]
	err := play(t, w, `FETCH OCCUPANTS
FETCH OCCUPANTS INTO rows
SHOW $rows.0.name "/" $rows.0.x
FETCH METADATA
FETCH SNAPSHOT INTO world
SHOW $world.worldMap.occupants.0
INSPECT MAIN NODE INTO main
SHOW $main.agentNodes.0.agentId
SHOW AGENTS
SHOW SPACES`)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "results", told(t, w), `
1 FETCH OCCUPANTS [{"kind":"agent","agentId":"a1","name":"Ada","x":1}]
3 SHOW "Ada/1"
4 FETCH METADATA {"sid":"s","mainNodeId":"root","bounds":{"minX":0,"minY":0,"maxX":0,"maxY":0},"occupantCounts":{"agent":1},"spaceCount":0}
6 SHOW {"agentId":"a1","kind":"agent","name":"Ada","x":1}
8 SHOW "a1"
9 SHOW AGENTS {"agents":[{"agentId":"a1","name":"Ada","toolNames":[],"zoneCount":0,"yieldCount":0,"flagged":false,"createdAt":"","updatedAt":""}]}
10 SHOW SPACES {"spaces":[]}`)
}

// No result, note or error of a program holds a secret, however it is shown.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	w := newFakeWorld()
	w.secrets["env P"], w.secrets["file f"] = "ada ada", "ada ada"
	err := play(t, w, `CREATE SPACE "a" DESIGN "b" OWNER "c" INTO shop
LET p FROM ENV P
LET f FROM FILE "f"
LET both = $p " and " $f
LET shop2 = $shop
LET typed = "ada ada"
USE AGENT NODE Ada PASSPHRASE $typed
SHOW $p
SHOW "it is " $both
SHOW $shop
SHOW $shop2.phrase
SHOW $typed
SHOW VARIABLES`)
	if err != nil {
		t.Fatal(err)
	}
	results := told(t, w)
	for _, secret := range []string{spacePhrase, "ada ada"} {
		if strings.Contains(results+strings.Join(w.notes, ""), secret) {
			t.Errorf("a secret is told:\n%s", results)
		}
	}
	expect(t, "results", results, `
1 CREATE SPACE {"spaceId":"space1","nodeId":"node-space1","phraseFile":"space1.phrase","structure":{"x":1}}
8 SHOW "[secret]"
9 SHOW "it is [secret]"
10 SHOW {"nodeId":"node-space1","phrase":"[secret]","phraseFile":"space1.phrase","spaceId":"space1","structure":{"x":1}}
11 SHOW "[secret]"
12 SHOW "[secret]"
13 SHOW VARIABLES [{"name":"both","value":"[secret]"},{"name":"design","value":"bazaar"},{"name":"f","value":"[secret]"},{"name":"p","value":"[secret]"},`+
		`{"name":"shop","value":{"nodeId":"node-space1","phrase":"[secret]","phraseFile":"space1.phrase","spaceId":"space1","structure":{"x":1}}},`+
		`{"name":"shop2","value":{"nodeId":"node-space1","phrase":"[secret]","phraseFile":"space1.phrase","spaceId":"space1","structure":{"x":1}}},`+
		`{"name":"typed","value":"[secret]"}]`)
}

// A statement that fails says where, and nothing after it is done.
func TestFailures(t *testing.T) {
	t.Parallel()
	denied := protocol.Errorf(protocol.CodeForbidden, "it is another's")
	for name, test := range map[string]struct {
		program string
		refuse  string
		want    string
		cause   error
	}{
		"no host":                 {program: "FETCH METADATA", refuse: "connect", want: "t:1:1: it is another's (forbidden)", cause: denied},
		"a host that is no host":  {program: "\nCONNECT", refuse: "session", want: "t:2:1: it is another's (forbidden)", cause: denied},
		"a refusal":               {program: "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\"", refuse: "create", want: "t:1:1: it is another's (forbidden)", cause: denied},
		"a phrase without a file": {program: "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\" KEYFILE \"k\"", refuse: "can save", want: "t:1:47: it is another's (forbidden)", cause: denied},
		"a phrase that is lost":   {program: "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\"", refuse: "save", want: "t:1:1: the space was made, but the phrase of its node is not saved: it is another's (forbidden)", cause: denied},
		"an unset variable":       {program: "LET p FROM ENV NONE", want: "t:1:16: the environment variable NONE is not set"},
		"an empty file":           {program: "LET p FROM FILE none", want: "t:1:17: the secret is empty"},
		"no file":                 {program: "LET p FROM FILE none", refuse: "file", want: "t:1:17: it is another's (forbidden)", cause: denied},
		"nobody to ask":           {program: "LET p FROM PROMPT", refuse: "ask", want: "t:1:1: it is another's (forbidden)", cause: denied},
		"a field that is not":     {program: "FETCH METADATA INTO m\nSHOW $m.revv", want: `t:2:6: $m has no field "revv": it has bounds, mainNodeId, occupantCounts, sid, spaceCount`},
		"a list's field":          {program: "FETCH OCCUPANTS INTO m\nSHOW $m.name", want: `t:2:6: $m is a list of 3: name one by its number, from 0, not "name"`},
		"past a list's end":       {program: "FETCH OCCUPANTS INTO m\nSHOW $m.3", want: `t:2:6: $m is a list of 3: name one by its number, from 0, not "3"`},
		"a text's field":          {program: "SHOW $design.name", want: `t:1:6: $design has no fields, so there is no "name" in it`},
		"an object as a text":     {program: "FETCH METADATA INTO m\nCONNECT $m", want: "t:2:9: $m is no text: name one of its fields, bounds, mainNodeId, occupantCounts, sid, spaceCount"},
		"a list as a text":        {program: "FETCH OCCUPANTS INTO m\nSHOW \"x\" $m", want: "t:2:10: $m is a list of 3, no text: name one by its number, from 0, and its field"},
		"an amenity by name":      {program: "LET k = \"zoo\"\nUSE SPACE NODE Mill\nADD SPACE AMENITY $k", want: `t:3:19: unknown amenity "zoo"; use shop, supermarket or car_wash`},
		"no such space":           {program: "INSPECT SPACE Zoo", want: `t:1:15: there is no space "Zoo" here: SHOW SPACES lists them (space_unknown)`},
		"two such spaces":         {program: "INSPECT SPACE Twin", want: `t:1:15: 2 spaces are called "Twin": name one by its id, t1 or t2`},
		"a short beginning":       {program: "INSPECT SPACE mil", want: `t:1:15: there is no space "mil" here: SHOW SPACES lists them (space_unknown)`},
		"another's phrase":        {program: "LET p FROM ENV P\nUSE SPACE NODE Mill PASSPHRASE $p", want: "t:2:32: the credentials are wrong (credentials_invalid)"},
		"a blank phrase":          {program: "USE SPACE NODE Mill PASSPHRASE \" \"", want: "t:1:32: the passphrase: the phrase is empty: it needs at least one word"},
		"the space in use went":   {program: "USE SPACE NODE Mill\nREMOVE SPACE Mill\nADD SPACE AMENITY shop", want: "t:3:1: the space in use was removed: put USE SPACE NODE before this"},
		"an unknown agent":        {program: "USE AGENT NODE Zoe", want: `t:1:16: there is no agent "Zoe"`},
		"a node that went":        {program: "USE AGENT NODE gone", want: "t:1:16: the host does not accept the node: node not found"},
		"an agent nowhere":        {program: "INSPECT AGENT Zoe", want: `t:1:15: there is no agent "Zoe" of your main node or on the map (player_unknown)`},
		"two such agents":         {program: "INSPECT AGENT Bo", want: `t:1:15: 2 agents are called "Bo": name one by its id`},
		"an agent off the map":    {program: "USE AGENT NODE Ada\nSEND \"x\"", refuse: "say", want: "t:2:1: it is another's (forbidden)", cause: denied},
		"a closed pipe":           {program: "SHOW \"x\"", refuse: "emit", want: "t:1:1: it is another's (forbidden)", cause: denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFakeWorld()
			w.secrets["env P"] = "wrong horse"
			w.spaces = []protocol.Space{
				{ID: "mill-id", Name: "Mill", Owner: protocol.SpaceOwner{NodeID: "n1"}},
				{ID: "t1", Name: "Twin"}, {ID: "t2", Name: "Twin"},
			}
			w.phrases["n1"] = spacePhrase
			if test.refuse != "" {
				w.refuse[test.refuse] = denied
			}
			err := play(t, w, test.program+"\nSHOW \"not any more\"")
			if err == nil {
				t.Fatal("it does not fail")
			}
			if head, _, _ := strings.Cut(err.Error(), "\n"); head != test.want {
				t.Errorf("the error is\n%s, not\n%s", head, test.want)
			}
			if test.cause != nil && !errors.Is(err, test.cause) {
				t.Errorf("the cause is lost: %v", err)
			}
			if strings.Contains(err.Error(), "wrong horse") {
				t.Errorf("a secret is in %v", err)
			}
			if results := told(t, w); strings.Contains(results, "any more") {
				t.Errorf("the program went on: %s", results)
			}
		})
	}
}

// A program with a mistake anywhere does nothing at all.
func TestMistakesComeFirst(t *testing.T) {
	t.Parallel()
	w := newFakeWorld()
	err := play(t, w, "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\"\nSHOW $x")
	if problems := LineErrors(nil); !errors.As(err, &problems) || len(problems) != 1 {
		t.Errorf("the error is %v", err)
	}
	if len(w.asked) > 0 {
		t.Errorf("the host was asked: %v", w.asked)
	}
}

// At a prompt each line is a program, and what they set stays.
func TestStateStays(t *testing.T) {
	t.Parallel()
	w := newFakeWorld()
	in := NewInterpreter(w, nil)
	defer in.Close()
	steps := []struct {
		line  string
		fails bool
	}{
		{"LET x = \"hi\"", false}, {"USE AGENT NODE Ada", false}, {"LET x = $y", true}, {"SEND $x", false},
		{"CONNECT", false}, {"SEND $x", true}, {"SHOW $x", false},
	}
	for _, step := range steps {
		if err := run(t, in, step.line); (err != nil) != step.fails {
			t.Errorf("%s: %v", step.line, err)
		}
	}
	if diff := cmp.Diff(Scope{Variables: map[string]Secrecy{"x": Plain}}, in.Scope()); diff != "" {
		t.Error(diff)
	}
	in.Close()
	if w.open != 0 {
		t.Errorf("%d connections are left open", w.open)
	}
}
