package aql

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeHost is the least host that a program needs: it records the calls, their callers
// and their order. Other tests run programs on a real host.
type fakeHost struct {
	// requests are the calls, "caller operation arguments".
	requests []string
	spaces   []protocol.Space
	// rows are agents on the map, nodes the agent nodes of the main node.
	rows  []json.RawMessage
	nodes []protocol.AgentRecord
	// phrases are the valid phrases, by node id.
	phrases map[string]string
	// refuse makes an operation fail.
	refuse string
	// tokens are the registration tokens of requests.
	tokens []string
	// env are environment variables, answers the answers to prompts.
	env     map[string]string
	answers []string
	// stdout, if it is not nil, receives the results instead of results.
	stdout            io.Writer
	results, messages bytes.Buffer
	dir, url          string
}

const spacePhrase = "correct horse battery staple"

// id returns the id of a node with a short name in tests.
func id(name string) string { return name + strings.Repeat("0", 64-len(name)) }

// named replaces ids by the short names.
var named = strings.NewReplacer(
	id("a1"), "a1", id("a2cdef"), "a2cdef", id("b7ffff"), "b7ffff", id("3a1"), "main", id("f1"), "mine", id("f2"), "gone",
	id("5ace1"), "node-space1", id("5ace2"), "node-space2", id("e1"), "n1",
)

func newFakeHost(t *testing.T) *fakeHost {
	t.Helper()
	row := func(text string) json.RawMessage { return json.RawMessage(text) }
	return &fakeHost{
		dir: t.TempDir(), env: map[string]string{},
		phrases: map[string]string{id("3a1"): "main main", id("a1"): "ada ada", id("f1"): "", id("f2"): ""},
		nodes:   []protocol.AgentRecord{{AgentID: id("a1"), Name: "Ada"}, {AgentID: id("a2cdef"), Name: "Bo"}},
		rows: []json.RawMessage{
			row(`{"kind":"agent","agentId":"` + id("a1") + `","name":"Ada","x":1,"y":2}`),
			row(`{"kind":"agent","agentId":"` + id("b7ffff") + `","name":"Bo","x":3,"y":4}`),
			row(`{"kind":"mcp","id":"m","name":"Ada","x":5,"y":6}`),
		},
	}
}

// ServeHTTP implements http.Handler.
func (h *fakeHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Op      protocol.Op     `json:"op"`
		Payload json.RawMessage `json:"payload"`
		NodeID  string          `json:"nodeId"`
	}
	if r.Body != nil {
		_ = json.NewDecoder(r.Body).Decode(&body)
	}
	if token := r.Header.Get(protocol.HeaderRegistrationToken); token != "" {
		h.tokens = append(h.tokens, token)
	}
	caller := r.Header.Get(protocol.HeaderNodeID)
	operation := cmp.Or(string(body.Op), r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
	payload := string(body.Payload)
	if body.Op == "" {
		payload = body.NodeID
	}
	h.requests = append(h.requests, named.Replace(strings.TrimSpace(caller+" "+operation+" "+strings.TrimPrefix(payload, "{}"))))
	var reply any
	err := protocol.Errorf(protocol.CodeForbidden, "it is another's")
	switch {
	case h.refuse == operation:
	case creds.HashPhrase(h.phrases[caller]).Reveal() != r.Header.Get(protocol.HeaderNodePassw):
		err = protocol.Errorf(protocol.CodeCredentialsInvalid, "the credentials are wrong")
	default:
		reply, err = h.answer(operation, body.Payload), nil
		if body.NodeID == id("f2") {
			reply = protocol.ValidateReply{Reason: protocol.ReasonNodeNotFound}
		}
	}
	if err != nil {
		w.WriteHeader(err.Status())
		reply = err.Body("")
	}
	_ = json.NewEncoder(w).Encode(reply) //nolint:errchkjson // a reply that has no JSON fails the test
}

// answer returns the reply to an operation.
func (h *fakeHost) answer(operation string, payload json.RawMessage) any {
	var arguments struct {
		SpaceID, Kind, Name string
		Amenities           []string
	}
	_ = json.Unmarshal(payload, &arguments)
	space := func() protocol.Space {
		return h.spaces[slices.IndexFunc(h.spaces, func(s protocol.Space) bool { return s.ID == arguments.SpaceID })]
	}
	switch operation {
	case "session":
		return protocol.SessionReply{SID: "s"}
	case "nodes":
		return protocol.NodesReply{MainNode: protocol.MainNodeRecord{NodeID: id("3a1")}, AgentNodes: h.nodes}
	case "validate":
		return protocol.ValidateReply{OK: true}
	case "getWorldSnapshot":
		snapshot := protocol.Snapshot{SID: "s", MainNodeID: "root"}
		snapshot.WorldMap.Occupants = h.rows
		return map[string]any{"snapshot": snapshot}
	case "createSpace":
		number := fmt.Sprint(len(h.spaces) + 1)
		made := protocol.Space{ID: "space" + number, Name: arguments.Name, Amenities: arguments.Amenities, Owner: protocol.SpaceOwner{NodeID: id("5ace" + number)}}
		h.spaces = append(h.spaces, made)
		h.phrases[made.Owner.NodeID] = spacePhrase
		return map[string]any{"spaceId": made.ID, "nodeId": made.Owner.NodeID, "phrase": spacePhrase, "structure": map[string]int{"x": 1}}
	case "listSpaceNodes":
		return protocol.SpacesReply{Spaces: h.spaces}
	case "inspectSpace":
		return protocol.InspectSpaceReply{Space: space(), Log: []protocol.SpaceLogEntry{{Action: "created"}}}
	case "removeSpace":
		h.spaces = slices.DeleteFunc(h.spaces, func(s protocol.Space) bool { return s.ID == arguments.SpaceID })
		return protocol.OKReply{OK: true}
	case "addSpaceAmenity", "removeSpaceAmenity":
		return protocol.SpaceReply{Space: space()}
	}
	return protocol.RecordInteractionReply{OK: true}
}

// Ask implements command.TTY.
func (h *fakeHost) Ask(_ context.Context, question string, hidden bool) (string, error) {
	if !hidden || len(h.answers) == 0 {
		return "", command.ErrInterrupted
	}
	fmt.Fprintln(&h.messages, question)
	answer := h.answers[0]
	h.answers = h.answers[1:]
	return answer, nil
}

// Close implements command.TTY.
func (h *fakeHost) Close() error { return nil }

// context writes a credentials file: a main node for the host, and Ada's node.
func (h *fakeHost) context(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(h.dir, "credentials.json")
	c, err := creds.NewContext("home", url, protocol.ServicePlay, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	c.Main = &creds.MainNode{NodeID: id("3a1"), PasswHash: creds.HashPhrase("main main"), CreatedAt: time.Unix(1, 0)}
	if err := c.AddAgent(creds.Agent{NodeID: id("a1"), Label: "Ada", PasswHash: creds.HashPhrase("ada ada"), CreatedAt: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	if err := creds.NewStore(path).Update(t.Context(), func(f *creds.File) error { return f.Add(c) }); err != nil {
		t.Fatal(err)
	}
	return path
}

// session runs work with a session at the host, like "playctl aql".
func (h *fakeHost) session(t *testing.T, work func(s *session)) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.url = server.URL
	program := &command.Program{
		Name: "playctl", Args: []string{"test", "--output", "ndjson", "--credentials-file", h.context(t, server.URL)},
		Stdin: strings.NewReader(""), Stdout: &h.results, Stderr: &h.messages,
		LookupEnv: func(name string) (string, bool) { value, ok := h.env[name]; return value, ok },
		Home:      h.dir, Dir: h.dir, Now: time.Now, Zone: time.UTC,
		OpenTTY: func() (command.TTY, error) { return h, nil },
	}
	if h.stdout != nil {
		program.Stdout = h.stdout
	}
	if h.answers != nil {
		person, terminal, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = person.Close(), terminal.Close() }()
		program.Stdin = terminal
	}
	code := command.Run(t.Context(), program, func(a *command.App) *cobra.Command {
		root := command.NewRoot(a)
		root.AddCommand(&cobra.Command{Use: "test", RunE: func(*cobra.Command, []string) error {
			s := newSession(a, &aqlFlags{}, map[string]string{"design": "bazaar"})
			defer s.close()
			work(s)
			return nil
		}})
		return root
	})
	if code != command.ExitDone {
		t.Fatalf("the session did not start: %s", &h.messages)
	}
}

// plain replaces text that differs between runs by short names.
func (h *fakeHost) plain(text string) string {
	text = strings.NewReplacer(h.dir+"/.local/state/playctl/spaces/", "", h.dir+"/", "", h.url, "http://town").Replace(text)
	return strings.TrimSpace(named.Replace(text))
}

// reported returns the results as JSON.
func (h *fakeHost) reported(t *testing.T) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(h.results.String()) {
		var result struct {
			Line      int             `json:"line"`
			Statement string          `json:"statement"`
			Result    json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &result); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, h.plain(fmt.Sprintf("%d %s %s", result.Line, result.Statement, result.Result)))
	}
	return strings.Join(lines, "\n")
}

// files returns the files with a phrase, with their content.
func (h *fakeHost) files(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(h.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path) //nolint:gosec // G122: a folder of this test alone
		if name := filepath.Base(path); !strings.HasPrefix(name, "credentials") {
			found[name] = strings.TrimSpace(string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
