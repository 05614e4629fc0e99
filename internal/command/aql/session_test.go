package aql

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// play runs a program against a host.
func play(t *testing.T, h *fakeHost, text string) (err error) {
	t.Helper()
	h.session(t, func(s *session) { err = run(t, s, text) })
	return err
}

func run(t *testing.T, s *session, text string) error {
	t.Helper()
	program, err := aql.Parse("t", text)
	if err != nil {
		t.Fatal(err)
	}
	return s.run(t.Context(), program)
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

func TestAuthoring(t *testing.T) {
	t.Parallel()
	h := newFakeHost(t)
	h.env["P"] = spacePhrase
	err := play(t, h, `CONNECT
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
	expect(t, "calls", strings.Join(h.requests, "\n"), `
main session
main createSpace {"name":"Corner shop","designKey":"bazaar","ownerDisplayName":"Ada","amenities":["shop","car_wash"]}
main createSpace {"name":"Mill","designKey":"mill","ownerDisplayName":"Bo","description":"old","structureName":"Wheel"}
main listSpaceNodes
node-space1 validate
node-space1 addSpaceAmenity {"spaceId":"space1","kind":"supermarket"}
node-space1 inspectSpace {"spaceId":"space1"}
main listSpaceNodes
node-space2 validate
node-space2 removeSpaceAmenity {"spaceId":"space2","kind":"shop"}
main listSpaceNodes
main inspectSpace {"spaceId":"space1"}
main listSpaceNodes
main removeSpace {"spaceId":"space1"}
main removeSpace {"spaceId":"space2"}`)
	if diff := cmp.Diff(map[string]string{"k": spacePhrase, "space2.phrase": spacePhrase}, h.files(t)); diff != "" {
		t.Errorf("saved phrases: %s", diff)
	}
	expect(t, "results", h.reported(t), `
3 CREATE SPACE {"spaceId":"space1","nodeId":"node-space1","phraseFile":"k","structure":{"x":1}}
4 CREATE SPACE {"spaceId":"space2","nodeId":"node-space2","phraseFile":"space2.phrase","structure":{"x":1}}
6 ADD SPACE AMENITY {"space":{"id":"space1","name":"Corner shop","description":"","designKey":"","owner":{"displayName":"","nodeId":"node-space1"},"amenities":["shop","car_wash"]}}
8 SHOW "Corner shop"
11 REMOVE SPACE AMENITY {"space":{"id":"space2","name":"Mill","description":"","designKey":"","owner":{"displayName":"","nodeId":"node-space2"},"amenities":null}}
12 INSPECT SPACE {"space":{"id":"space1","name":"Corner shop","description":"","designKey":"","owner":{"displayName":"","nodeId":"node-space1"},"amenities":["shop","car_wash"]},"log":[{"at":"","action":"created"}]}
13 REMOVE SPACE {"ok":true,"spaceId":"space1","name":"Corner shop"}
14 REMOVE SPACE {"ok":true,"spaceId":"space2","name":"Mill"}`)
}

func TestAgentStatements(t *testing.T) {
	t.Parallel()
	h := newFakeHost(t)
	h.answers = []string{" ada  ada "}
	err := play(t, h, "USE AGENT NODE "+id("f1")+`
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
	expect(t, "calls", strings.Join(h.requests, "\n"), `
main session
main validate mine
main recordInteraction {"playerId":"mine","role":"assistant","text":"I have bazaar"}
main recordInteraction {"playerId":"mine","role":"assistant","text":""}
a1 validate
a1 recordInteraction {"playerId":"a1","role":"assistant","text":"hello"}
main getWorldSnapshot
main nodes
main getWorldSnapshot
main nodes
main getWorldSnapshot
main nodes`)
	expect(t, "results", h.reported(t), `
2 SEND {"playerId":"mine","text":"I have bazaar"}
3 SEND {"playerId":"mine","text":""}
6 SEND {"playerId":"a1","text":"hello"}
8 SHOW 1
9 INSPECT AGENT {"agentId":"a2cdef","node":{"agentId":"a2cdef","name":"Bo","toolNames":[],"zoneCount":0,"yieldCount":0,"flagged":false,"createdAt":"","updatedAt":""}}
10 INSPECT AGENT {"agentId":"b7ffff","occupant":{"kind":"agent","agentId":"b7ffff","name":"Bo","x":3,"y":4}}
11 SHOW CONNECTION {"server":"http://town","context":"home","mainNode":"main","agentId":"a1"}`)
	expect(t, "notes", h.plain(h.messages.String()), `
Connected to http://town with the context home.
Using the agent f10000000000.
Secret for $p:
Using the agent Ada.`)
}

func TestReadingStatements(t *testing.T) {
	t.Parallel()
	h := newFakeHost(t)
	h.rows, h.nodes = h.rows[:1], h.nodes[:1]
	err := play(t, h, `FETCH OCCUPANTS
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
	expect(t, "results", h.reported(t), `
1 FETCH OCCUPANTS [{"kind":"agent","agentId":"a1","name":"Ada","x":1,"y":2}]
3 SHOW "Ada/1"
4 FETCH METADATA {"sid":"s","mainNodeId":"root","bounds":{"minX":0,"minY":0,"maxX":0,"maxY":0},"occupantCounts":{"agent":1},"spaceCount":0}
6 SHOW {"agentId":"a1","kind":"agent","name":"Ada","x":1,"y":2}
8 SHOW "a1"
9 SHOW AGENTS {"agents":[{"agentId":"a1","name":"Ada","toolNames":[],"zoneCount":0,"yieldCount":0,"flagged":false,"createdAt":"","updatedAt":""}]}
10 SHOW SPACES {"spaces":[]}`)
}

// No result, note or error of a program contains a secret, in any form.
func TestSecretsAreNotReported(t *testing.T) {
	t.Parallel()
	h := newFakeHost(t)
	h.env["P"] = "ada ada"
	if err := os.WriteFile(filepath.Join(h.dir, "f"), []byte("ada ada\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := play(t, h, `CREATE SPACE "a" DESIGN "b" OWNER "c" INTO shop
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
	results := h.reported(t)
	for _, secret := range []string{spacePhrase, "ada ada"} {
		if strings.Contains(results+h.messages.String(), secret) {
			t.Errorf("a secret is reported:\n%s", results)
		}
	}
	expect(t, "results", results, `
1 CREATE SPACE {"spaceId":"space1","nodeId":"node-space1","phraseFile":"space1.phrase","structure":{"x":1}}
8 SHOW "[redacted]"
9 SHOW "it is [redacted]"
10 SHOW {"nodeId":"node-space1","phrase":"[redacted]","phraseFile":"space1.phrase","spaceId":"space1","structure":{"x":1}}
11 SHOW "[redacted]"
12 SHOW "[redacted]"
13 SHOW VARIABLES [{"name":"both","value":"[redacted]"},{"name":"design","value":"bazaar"},{"name":"f","value":"[redacted]"},{"name":"p","value":"[redacted]"},`+
		`{"name":"shop","value":{"nodeId":"node-space1","phrase":"[redacted]","phraseFile":"space1.phrase","spaceId":"space1","structure":{"x":1}}},`+
		`{"name":"shop2","value":{"nodeId":"node-space1","phrase":"[redacted]","phraseFile":"space1.phrase","spaceId":"space1","structure":{"x":1}}},`+
		`{"name":"typed","value":"[redacted]"}]`)
}

// closedPipe is a pipe that its reader has closed.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// The error of a failed statement names its place, and no later statement runs.
func TestFailures(t *testing.T) {
	t.Parallel()
	denied := protocol.Errorf(protocol.CodeForbidden, "it is another's")
	create := "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\""
	for name, test := range map[string]struct {
		program string
		// refuse is an operation that the host refuses, file an existing file.
		refuse, file string
		stdout       io.Writer
		want         string
		cause        error
	}{
		"no host":                 {program: "CONNECT CONTEXT none", want: `t:1:1: "none": no such context`, cause: creds.ErrContextUnknown},
		"a refused CONNECT":       {program: "\nCONNECT", refuse: "session", want: "t:2:1: it is another's (forbidden)", cause: denied},
		"a refusal":               {program: create, refuse: "createSpace", want: "t:1:1: it is another's (forbidden)", cause: denied},
		"a phrase without a file": {program: create + " KEYFILE \"k\"", file: "k", want: "t:1:47: k already exists, and a phrase never overwrites a file"},
		"a phrase, no folder":     {program: create + " KEYFILE \"no/k\"", want: "t:1:47: no/k: its folder does not exist"},
		"an unsaved phrase":       {program: create, file: ".local", want: "t:1:1: the space was created, but the phrase of its node is not saved: ", cause: syscall.ENOTDIR},
		"an unset variable":       {program: "LET p FROM ENV NONE", want: "t:1:16: the environment variable NONE is not set"},
		"an empty file":           {program: "LET p FROM FILE empty", file: "empty", want: "t:1:17: the secret is empty"},
		"no file":                 {program: "LET p FROM FILE none", want: "t:1:17: ", cause: fs.ErrNotExist},
		"no terminal":             {program: "LET p FROM PROMPT", want: "t:1:1: there is no terminal for a prompt", cause: command.ErrNoTerminal},
		"an unknown field":        {program: "FETCH METADATA INTO m\nSHOW $m.revv", want: `t:2:6: $m has no field "revv": it has bounds, mainNodeId, occupantCounts, sid, spaceCount`},
		"a list's field":          {program: "FETCH OCCUPANTS INTO m\nSHOW $m.name", want: `t:2:6: $m is a list of 3: use a number from 0, not "name"`},
		"a number past the end":   {program: "FETCH OCCUPANTS INTO m\nSHOW $m.3", want: `t:2:6: $m is a list of 3: use a number from 0, not "3"`},
		"a text's field":          {program: "SHOW $design.name", want: `t:1:6: $design has no fields, so there is no "name" in it`},
		"an object as a text":     {program: "FETCH METADATA INTO m\nCONNECT $m", want: "t:2:9: $m is not text: use one of its fields, bounds, mainNodeId, occupantCounts, sid, spaceCount"},
		"a list as a text":        {program: "FETCH OCCUPANTS INTO m\nSHOW \"x\" $m", want: "t:2:10: $m is a list of 3, not text: use a number from 0 and a field"},
		"an amenity by name":      {program: "LET k = \"zoo\"\nUSE SPACE NODE Mill\nADD SPACE AMENITY $k", want: `t:3:19: unknown amenity "zoo"; use shop, supermarket or car_wash`},
		"no such space":           {program: "INSPECT SPACE Zoo", want: `t:1:15: there is no space "Zoo" here: SHOW SPACES lists them (space_unknown)`},
		"an ambiguous space":      {program: "INSPECT SPACE Twin", want: `t:1:15: 2 spaces are called "Twin": use an id: t1, t2`},
		"a space's name in part":  {program: "INSPECT SPACE mil", want: `t:1:15: there is no space "mil" here: SHOW SPACES lists them (space_unknown)`},
		"another's phrase":        {program: "LET p FROM ENV P\nUSE SPACE NODE Mill PASSPHRASE $p", want: "t:2:32: the credentials are wrong (credentials_invalid)"},
		"a blank phrase":          {program: "USE SPACE NODE Mill PASSPHRASE \" \"", want: "t:1:32: the passphrase: the phrase is empty: it needs at least one word"},
		"a removed space in use":  {program: "USE SPACE NODE Mill\nREMOVE SPACE Mill\nADD SPACE AMENITY shop", want: "t:3:1: the space in use was removed: put USE SPACE NODE before this"},
		"an unknown agent":        {program: "USE AGENT NODE Zoe", want: `t:1:16: there is no agent "Zoe"`},
		"a deleted node":          {program: "USE AGENT NODE " + id("f2"), want: "t:1:16: the host does not accept the node: node not found"},
		"an agent of no account":  {program: "INSPECT AGENT Zoe", want: `t:1:15: there is no agent "Zoe" in your account or on the map (player_unknown)`},
		"an ambiguous agent":      {program: "INSPECT AGENT Bo", want: `t:1:15: 2 agents are called "Bo": use an id`},
		"an agent off the map":    {program: "USE AGENT NODE Ada\nSEND \"x\"", refuse: "recordInteraction", want: "t:2:1: it is another's (forbidden)", cause: denied},
		"a closed pipe":           {program: "SHOW \"x\"", stdout: closedPipe{}, want: "t:1:1: ", cause: io.ErrClosedPipe},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFakeHost(t)
			h.refuse, h.stdout = test.refuse, test.stdout
			h.env["P"] = "wrong horse"
			h.spaces = []protocol.Space{
				{ID: "mill-id", Name: "Mill", Owner: protocol.SpaceOwner{NodeID: id("e1")}},
				{ID: "t1", Name: "Twin"}, {ID: "t2", Name: "Twin"},
			}
			h.phrases[id("e1")] = spacePhrase
			if test.file != "" {
				if err := os.WriteFile(filepath.Join(h.dir, test.file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := play(t, h, test.program+"\nSHOW \"not any more\"")
			if err == nil {
				t.Fatal("the program does not fail")
			}
			if head, _, _ := strings.Cut(err.Error(), "\n"); !strings.HasPrefix(head, test.want) {
				t.Errorf("the error is\n%s, want\n%s", head, test.want)
			}
			if test.cause != nil && !errors.Is(err, test.cause) {
				t.Errorf("the cause is lost: %v", err)
			}
			if strings.Contains(err.Error(), "wrong horse") {
				t.Errorf("a secret is in %v", err)
			}
			if results := h.reported(t); strings.Contains(results, "any more") {
				t.Errorf("the program continued: %s", results)
			}
		})
	}
}

// The file for the phrase of a space that the host refused is removed.
func TestRefusedSpaceLeavesNoFile(t *testing.T) {
	t.Parallel()
	h := newFakeHost(t)
	h.refuse = "createSpace"
	if err := play(t, h, "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\" KEYFILE \"k\""); !protocol.HasCode(err, protocol.CodeForbidden) {
		t.Errorf("the error is %v", err)
	}
	if files := h.files(t); len(files) > 0 {
		t.Errorf("files are left: %v", files)
	}
}

// A program with a mistake in any line does nothing.
func TestProgramWithMistakeDoesNothing(t *testing.T) {
	t.Parallel()
	h := newFakeHost(t)
	err := play(t, h, "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\"\nSHOW $x")
	if mistakes := aql.LineErrors(nil); !errors.As(err, &mistakes) || len(mistakes) != 1 {
		t.Errorf("the error is %v", err)
	}
	if len(h.requests) > 0 {
		t.Errorf("the host got requests: %v", h.requests)
	}
}

// At a prompt each line is a program, and variables and nodes in use persist.
func TestStatePersists(t *testing.T) {
	t.Parallel()
	newFakeHost(t).session(t, func(s *session) {
		for _, step := range []struct {
			line  string
			fails bool
		}{
			{"LET x = \"hi\"", false}, {"USE AGENT NODE Ada", false}, {"LET x = $y", true}, {"SEND $x", false},
			{"CONNECT", false}, {"SEND $x", true}, {"SHOW $x", false},
		} {
			if err := run(t, s, step.line); (err != nil) != step.fails {
				t.Errorf("%s: %v", step.line, err)
			}
		}
		want := aql.Scope{Variables: map[string]aql.Secrecy{"x": aql.Plain, "design": aql.Plain}}
		if diff := cmp.Diff(want, s.scope()); diff != "" {
			t.Error(diff)
		}
	})
}
