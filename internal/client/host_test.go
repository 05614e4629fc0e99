package client_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

const adminToken = "pt_the-administrator"

func node(t *testing.T, phrase string) client.Credentials {
	t.Helper()
	hash := creds.HashPhrase(phrase)
	id, err := worldtest.CheapID(hash, worldtest.RootKey)
	if err != nil {
		t.Fatal(err)
	}
	return client.Credentials{NodeID: id, Hash: hash}
}

// serveWorld runs a real host on a free port.
func serveWorld(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	journal := memory.Open(store.DefaultRetention())
	w, err := world.Open(ctx, world.Options{Journal: journal, RootKey: worldtest.RootKey, Now: time.Now, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	deriver := creds.NewDeriver(creds.DeriverOptions{Derive: worldtest.CheapID})
	h, err := host.New(host.Options{World: w, Deriver: deriver, AdminToken: protocol.NewSecret(adminToken)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h.Handler())
	t.Cleanup(func() {
		if err := h.Close(ctx); err != nil {
			t.Errorf("close the host: %v", err)
		}
		server.Close()
		if err := w.Close(ctx); err != nil {
			t.Errorf("close the world: %v", err)
		}
		if err := journal.Close(); err != nil {
			t.Errorf("close the journal: %v", err)
		}
	})
	return server.URL
}

func dial(t *testing.T, options client.Options) *client.Client {
	t.Helper()
	c, err := client.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// account is a main node with one agent at a real host.
type account struct {
	url                string
	main, agent, admin *client.Client
	agentNode          client.Credentials
}

func openAccount(t *testing.T) *account {
	t.Helper()
	a := &account{url: serveWorld(t), agentNode: node(t, "the agent's phrase")}
	mainNode := node(t, "the main node's phrase")
	anonymous := dial(t, client.Options{BaseURL: a.url})
	created, err := anonymous.CreateMainNode(t.Context(), mainNode)
	if err != nil || created.APIKey.IsZero() {
		t.Fatalf("CreateMainNode = %v, %v", created, err)
	}
	a.main = dial(t, client.Options{BaseURL: a.url, Credentials: mainNode, APIKey: created.APIKey.Secret})
	if _, err := a.main.CreateAgentNode(t.Context(), a.agentNode); err != nil {
		t.Fatal(err)
	}
	a.agent = a.main.As(a.agentNode)
	a.admin = dial(t, client.Options{BaseURL: a.url, AdminToken: protocol.NewSecret(adminToken)})
	return a
}

// register puts the account's agent on the map.
func (a *account) register(t *testing.T) *protocol.RegisterReply {
	t.Helper()
	r, err := a.agent.Register(t.Context(), &protocol.RegisterRequest{
		Name: "Ada", Type: "go", AgentID: a.agentNode.NodeID, ConnectionID: "c1",
		Agent: protocol.AgentSpec{Type: "go", ToolNames: []string{protocol.ChatTool, "assist_greet"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// The host's pages end early if their rows are long; the client continues.
func TestListIsReadInSeveralPages(t *testing.T) {
	a := openAccount(t)
	r := a.register(t)
	const lines = 120
	long := strings.Repeat("€", protocol.MaxInteractionChars) // a page has less than 1 MiB
	for range lines {
		must[*protocol.RecordInteractionReply](t)(a.agent.RecordInteraction(t.Context(), protocol.RecordInteractionRequest{PlayerID: r.PlayerID, Role: protocol.RoleUser, Text: long}))
	}
	for limit, wanted := range map[int]int{0: protocol.DefaultListLimit, lines: lines, lines - 10: lines - 10} {
		list := must[*protocol.InteractionsReply](t)(a.main.ListInteractions(t.Context(), protocol.ListRequest{Limit: limit}))
		if len(list.Interactions) != wanted || list.HasMore != (wanted < lines) {
			t.Fatalf("with limit %d: %d chat lines, more %t", limit, len(list.Interactions), list.HasMore)
		}
		var seqs []uint64
		for _, line := range list.Interactions {
			seqs = append(seqs, line.Seq)
		}
		if !slices.IsSorted(seqs) || len(slices.Compact(seqs)) != wanted {
			t.Errorf("with limit %d: the seqs are %v", limit, seqs)
		}
	}
}

func TestPlayersAtRealHost(t *testing.T) {
	a := openAccount(t)
	ctx := t.Context()
	if s := must[*protocol.SessionReply](t)(a.main.Session(ctx)); !s.Has(protocol.CapIdempotency) || s.Rev == nil {
		t.Errorf("session %+v", s)
	}
	r := a.register(t)
	if r.PlayerID != a.agentNode.NodeID || *r.ConnectionID != "c1" || *r.LeaseTTLSeconds != protocol.DefaultLeaseTTLSeconds {
		t.Errorf("registration %+v", r)
	}
	beat := must[*protocol.HeartbeatReply](t)(a.agent.Heartbeat(ctx, protocol.HeartbeatRequest{PlayerID: r.PlayerID, ConnectionID: "c1", LeaseTTLSeconds: 60}))
	if beat.LeaseTTLSeconds != 60 {
		t.Errorf("heartbeat %+v", beat)
	}
	if _, err := a.agent.Heartbeat(ctx, protocol.HeartbeatRequest{PlayerID: r.PlayerID, ConnectionID: "another"}); !protocol.HasCode(err, protocol.CodeLeaseUnknown) {
		t.Errorf("another's heartbeat: %v", err)
	}
	line := must[*protocol.RecordInteractionReply](t)(a.agent.RecordInteraction(ctx, protocol.RecordInteractionRequest{PlayerID: r.PlayerID, Role: protocol.RoleUser, Text: " hi "}))
	blank := must[*protocol.RecordInteractionReply](t)(a.agent.RecordInteraction(ctx, protocol.RecordInteractionRequest{PlayerID: r.PlayerID, Role: protocol.RoleUser, Text: " \n"}))
	lines := must[*protocol.InteractionsReply](t)(a.main.ListInteractions(ctx, protocol.ListRequest{PlayerID: r.PlayerID}))
	if line.Seq == nil || blank.Seq != nil || len(lines.Interactions) != 1 || lines.Interactions[0].Text != "hi" || lines.Interactions[0].Seq != *line.Seq {
		t.Errorf("recorded %+v and %+v, listed %+v", line, blank, lines)
	}
	must[*protocol.RecordJourneyReply](t)(a.agent.RecordJourney(ctx, protocol.RecordJourneyRequest{PlayerID: r.PlayerID, Journey: protocol.Journey{
		StartedAt: "2026-01-02T03:04:05.678Z", CompletedAt: "2026-01-02T03:04:05.678Z",
		Steps: []protocol.JourneyStep{{Type: protocol.StepStructure, ToolName: "assist_greet", ToolCallID: "1", Args: json.RawMessage(`{"n":1}`)}},
	}}))
	if text, _, err := a.main.WorldSnapshot(ctx); err != nil || !strings.Contains(string(text), `"args":{"n":1}`) {
		t.Errorf("the map has no journey: %s %v", text, err)
	}
	if removed := must[*protocol.OKReply](t)(a.agent.Disconnect(ctx, protocol.DisconnectRequest{PlayerID: r.PlayerID, ConnectionID: "c1"})); !removed.OK {
		t.Error("not disconnected")
	}
}

func TestMapAndChainAtRealHost(t *testing.T) {
	a := openAccount(t)
	ctx := t.Context()
	a.register(t)
	mcp := must[*protocol.IDReply](t)(a.main.RegisterMCP(ctx, protocol.MCPRegisterRequest{Name: "tools"}))
	text, rev, err := a.main.WorldSnapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	snapshot, stated, err := chain.ParseSnapshot(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := snapshot.Verify(stated.MerkleRootHex, stated.MerkleLeafCount); err != nil {
		t.Error(err)
	}
	key := protocol.MCPKey(mcp.ID)
	proof := must[chain.ProofReply](t)(a.main.ChainProof(ctx, key))
	if err := proof.Verify(key, snapshot.Root(), snapshot.LeafCount()); err != nil {
		t.Error(err)
	}
	if _, err := a.main.ChainProof(ctx, "mcp:none"); !protocol.HasCode(err, protocol.CodeNotFound) {
		t.Errorf("the proof of an absent key: %v", err)
	}
	one := must[chain.NodeReply](t)(a.main.ChainNode(ctx, key, client.At{Rev: rev, Set: true}))
	many := must[chain.NodesReply](t)(a.main.ChainNodes(ctx, []string{key, chain.HeaderStableKey}, client.At{Rev: rev - 1, Set: true}))
	if chain.AnswersFor(one.Node, key) != nil || *one.Rev != rev || len(many.Nodes) != 2 || *many.Rev != rev-1 || !many.Nodes[0].Removed {
		t.Errorf("one %+v, many %+v", one, many)
	}
	if found := must[*protocol.OKReply](t)(a.main.UnregisterMCP(ctx, mcp.ID)); !found.OK {
		t.Error("the placement was not found")
	}
	if found := must[*protocol.OKReply](t)(a.main.UnregisterMCP(ctx, mcp.ID)); found.OK {
		t.Error("the placement was found twice")
	}
}

func TestNodesAtRealHost(t *testing.T) {
	a := openAccount(t)
	ctx := t.Context()
	if _, err := a.main.CreateAgentNode(ctx, a.agentNode); !protocol.HasCode(err, protocol.CodeNodeExists) {
		t.Errorf("created twice: %v", err)
	}
	valid := must[*protocol.ValidateReply](t)(a.main.ValidateNode(ctx, protocol.ValidateRequest{NodeID: a.agentNode.NodeID, MainNodeID: a.main.Node()}))
	wrong := must[*protocol.ValidateReply](t)(a.agent.ValidateNode(ctx, protocol.ValidateRequest{RootKey: "another"}))
	if !valid.OK || valid.NodeKind != protocol.NodeKindAgent || wrong.OK || wrong.Reason != protocol.ReasonDerivativeMismatch {
		t.Errorf("validations %+v, %+v", valid, wrong)
	}
	key := must[*protocol.APIKeyReply](t)(a.main.CreateAPIKey(ctx))
	if _, err := a.main.Session(ctx); !protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
		t.Errorf("the key before: %v", err)
	}
	main := a.main.WithAPIKey(key.APIKey.Secret)
	must[*protocol.SessionReply](t)(main.Session(ctx))
	if list := must[*protocol.NodesReply](t)(main.Nodes(ctx)); list.MainNode.NodeID != main.Node() || len(list.AgentNodes) != 1 {
		t.Errorf("nodes %+v", list)
	}
	if list := must[*protocol.AgentsReply](t)(main.Agents(ctx)); len(list.Agents) != 1 {
		t.Errorf("agents %+v", list)
	}
	if list := must[*protocol.AllNodesReply](t)(a.admin.AllNodes(ctx)); len(list.MainNodes) != 1 || len(list.AgentNodes) != 1 {
		t.Errorf("all nodes %+v", list)
	}
	if removed := must[*protocol.OKReply](t)(main.DeleteAgent(ctx, a.agentNode.NodeID)); !removed.OK {
		t.Error("the agent was not found")
	}
	if _, err := main.DeleteNode(ctx, "another"); !protocol.HasCode(err, protocol.CodeConfirmationMismatch) {
		t.Errorf("a wrong confirmation: %v", err)
	}
	if removed := must[*protocol.DeleteNodeReply](t)(main.DeleteNode(ctx, main.Node())); !removed.OK {
		t.Error("the main node was not deleted")
	}
	if _, err := main.Session(ctx); !protocol.HasCode(err, protocol.CodeCredentialsInvalid) {
		t.Errorf("a deleted node: %v", err)
	}
}

func TestAdministrationAtRealHost(t *testing.T) {
	a := openAccount(t)
	ctx := t.Context()
	row := a.register(t)
	stranger := dial(t, client.Options{BaseURL: a.url, AdminToken: protocol.NewSecret("pt_wrong-token")})
	if _, err := stranger.Session(ctx); err == nil {
		t.Error("a wrong token is accepted")
	}
	if removed := must[*protocol.OKReply](t)(a.admin.RemoveOccupant(ctx, protocol.AgentKey(a.main.Node(), row.PlayerID))); !removed.OK {
		t.Error("the occupant was not found")
	}
	before := must[string](t)(a.main.SID(ctx))
	after := must[*protocol.ResetReply](t)(a.admin.ResetSession(ctx))
	if after.SID == before {
		t.Error("the session is the old one")
	}
	a.register(t) // in the new session, which the client fetches by itself
	if sid := must[string](t)(a.main.SID(ctx)); sid != after.SID {
		t.Errorf("the session is %s, want %s", sid, after.SID)
	}
	if err := a.main.Ready(ctx); err != nil {
		t.Error(err)
	}
	if text := must[[]byte](t)(a.main.Metrics(ctx)); !strings.Contains(string(text), "playctl_world_seq") {
		t.Errorf("metrics: %.200s", text)
	}
}

// lossy loses the reply to the first attempt of every write.
type lossy struct {
	next  http.RoundTripper
	first map[string]bool
}

func (l *lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	key := r.Header.Get(protocol.HeaderIdempotencyKey)
	if err != nil || key == "" || l.first[key] {
		return response, err
	}
	l.first[key] = true
	_ = response.Body.Close()
	return nil, io.ErrUnexpectedEOF
}

// The first reply to every write is lost; no write happens twice, and values that
// the host returns only once are returned nevertheless.
func TestLostRepliesCauseNoDuplicates(t *testing.T) {
	a := openAccount(t)
	ctx := t.Context()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	through := func(c client.Credentials) *client.Client {
		return dial(t, client.Options{
			BaseURL: a.url, Credentials: c, Transport: &lossy{next: transport, first: map[string]bool{}},
			Retry: retry.Policy{Attempts: 3, Backoff: retry.Backoff{First: 1, Max: 1}},
		})
	}
	other := node(t, "another main node's phrase")
	created := must[*protocol.CreateNodeReply](t)(through(client.Credentials{}).CreateMainNode(ctx, other))
	if created.APIKey.IsZero() {
		t.Fatal("no API key was returned")
	}
	main := through(other).WithAPIKey(created.APIKey.Secret)
	agent := node(t, "another agent's phrase")
	must[*protocol.AgentNodeReply](t)(main.CreateAgentNode(ctx, agent))
	mcp := must[*protocol.IDReply](t)(main.RegisterMCP(ctx, protocol.MCPRegisterRequest{Name: "tools"}))
	player := main.As(agent)
	must[*protocol.RegisterReply](t)(player.Register(ctx, &protocol.RegisterRequest{
		Name: "Bob", Type: "go", AgentID: agent.NodeID,
		Agent: protocol.AgentSpec{Type: "go", ToolNames: []string{protocol.ChatTool}},
	}))
	must[*protocol.RecordInteractionReply](t)(player.RecordInteraction(ctx, protocol.RecordInteractionRequest{PlayerID: agent.NodeID, Role: protocol.RoleUser, Text: "once"}))
	lines := must[*protocol.InteractionsReply](t)(main.ListInteractions(ctx, protocol.ListRequest{PlayerID: agent.NodeID}))
	if len(lines.Interactions) != 1 {
		t.Errorf("recorded %d times", len(lines.Interactions))
	}
	if found := must[*protocol.OKReply](t)(main.UnregisterMCP(ctx, mcp.ID)); !found.OK {
		t.Error("the retried removal reports that nothing was found")
	}
	if removed := must[*protocol.OKReply](t)(main.DeleteAgent(ctx, agent.NodeID)); !removed.OK {
		t.Error("the retried deletion reports that nothing was found")
	}
	if removed := must[*protocol.DeleteNodeReply](t)(main.DeleteNode(ctx, other.NodeID)); !removed.OK {
		t.Error("the deletion of the node itself is not reported as done")
	}
}
