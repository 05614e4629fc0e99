package sdk_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func TestAgentUsesItsOwnCredentials(t *testing.T) {
	a := newAccount(t, 2)
	var warnings []string
	options := a.options()
	options.OnWarning = func(text string) { warnings = append(warnings, text) }
	shown := map[string]string{}
	options.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		shown[r.URL.Path] = r.Header.Get(protocol.HeaderNodeID)
		return a.host.Transport().RoundTrip(r)
	})
	w, err := sdk.New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close(context.Background()) }()

	own, err := w.AddAgent(t.Context(), sdk.AgentOptions{Credentials: a.agents[0], Name: "Ada", Tools: tools(t), EnableP2A: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 0 {
		t.Errorf("warnings %q", warnings)
	}
	if got := shown[protocol.ServicePlay.Players()]; got != a.agents[0].NodeID {
		t.Errorf("the agent registered as %q", got)
	}
	row := agentsOn(t, a.host)[own.PlayerID()]
	if row == nil || row.Name != "Ada" || row.Platform != "go" || row.EnableP2A != "on" || row.NodeID != a.main.NodeID || !row.HasChatTool {
		t.Errorf("row %+v", row)
	}
	if reply := own.Registration(); reply.LeaseTTLSeconds == nil || *reply.LeaseTTLSeconds != protocol.DefaultLeaseTTLSeconds {
		t.Errorf("registration %+v", reply)
	}
	if _, err := own.Say(t.Context(), " \n"); err == nil || !strings.Contains(err.Error(), "the text is blank") {
		t.Errorf("Say with a blank text: %v", err)
	}
	if reply, err := own.Say(t.Context(), "hello"); err != nil || reply.Seq == nil {
		t.Errorf("Say = %v, %v", reply, err)
	}
	if got := shown[protocol.ServicePlay.RPC()]; got != a.agents[0].NodeID {
		t.Errorf("it spoke as %q", got)
	}

	// An agent without credentials of its own.
	other, err := w.AddPlayer(t.Context(), sdk.AgentOptions{AgentID: a.agents[1].NodeID, Name: "Bob", Tools: tools(t)})
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 {
		t.Errorf("warnings %q, want one", warnings)
	}
	if got := shown[protocol.ServicePlay.Players()]; got != a.main.NodeID {
		t.Errorf("the second agent registered as %q, want the main node", got)
	}
	journey := protocol.Journey{
		StartedAt: "2026-01-02T03:04:05.678Z", CompletedAt: "2026-01-02T03:04:06.000Z",
		Steps: []protocol.JourneyStep{{Type: protocol.StepOrigin, Content: "go", MessageID: "m"}},
	}
	if reply, err := other.RecordJourney(t.Context(), journey); err != nil || reply.Rev == nil {
		t.Errorf("RecordJourney = %v, %v", reply, err)
	}
	if err := other.Disconnect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := other.Disconnect(t.Context()); err != nil {
		t.Errorf("a second Disconnect: %v", err)
	}
	if on := agentsOn(t, a.host); len(on) != 1 || on[own.PlayerID()] == nil {
		t.Errorf("on the map: %v", on)
	}
}

func TestAddAgentChecksItsOptions(t *testing.T) {
	w := openWorld(t, openHost(t), nil)
	node := &sdk.NodeCredentials{NodeID: "b", Phrase: protocol.NewSecret("p")}
	for name, options := range map[string]sdk.AgentOptions{
		"no tools":  {AgentID: "a", Name: "A"},
		"no name":   {AgentID: "a", Tools: tools(t)},
		"no id":     {Name: "A", Tools: tools(t)},
		"two ids":   {AgentID: "a", Credentials: node, Name: "A", Tools: tools(t)},
		"no phrase": {Credentials: &sdk.NodeCredentials{NodeID: "b"}, Name: "A", Tools: tools(t)},
	} {
		if _, err := w.AddAgent(t.Context(), options); err == nil {
			t.Errorf("AddAgent accepts options with %s", name)
		}
	}
}

func TestHostErrorsAreReturned(t *testing.T) {
	a := newAccount(t, 2)
	options := a.options()
	options.APIKey = protocol.NewSecret("pk_of-somebody-else")
	w, err := sdk.New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close(t.Context()) }()
	if _, err := w.Connect(t.Context()); !protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
		t.Errorf("Connect with another's key: %v", err)
	}
	if _, err := w.AddAgent(t.Context(), sdk.AgentOptions{Credentials: a.agents[0], Name: "A", Tools: tools(t)}); !protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
		t.Errorf("AddAgent with another's key: %v", err)
	}
	if err := w.CreateAgentNode(t.Context(), a.agents[0]); !protocol.HasCode(err, protocol.CodeNodeExists) {
		t.Errorf("an agent node created twice: %v", err)
	}
}

// A world forgets an agent when it deletes the agent's node, and does not
// disconnect that agent when it closes.
func TestDeleteAgentNode(t *testing.T) {
	a := newAccount(t, 1)
	options := a.options()
	var warnings []string
	options.OnWarning = func(text string) { warnings = append(warnings, text) }
	w, err := sdk.New(options)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := w.AddAgent(t.Context(), sdk.AgentOptions{Credentials: a.agents[0], Name: "A", Tools: tools(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if found, err := w.DeleteAgentNode(t.Context(), strings.ToUpper(a.agents[0].NodeID)); err != nil || found != want {
			t.Errorf("DeleteAgentNode = %v, %v; want %v", found, err, want)
		}
	}
	if err := w.Close(t.Context()); err != nil || agent.Err() != nil || len(warnings) > 0 {
		t.Errorf("Close = %v, the agent was lost by %v, warnings %q", err, agent.Err(), warnings)
	}
}

// The reply is lost after the host recorded the line: the line is recorded once.
func TestRetryAfterLostReplyRecordsOnce(t *testing.T) {
	host := openHost(t)
	lost := 0
	w := openWorld(t, host, func(o *sdk.Options) {
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			response, err := host.Transport().RoundTrip(r)
			if err == nil && r.URL.Path == protocol.ServicePlay.RPC() && lost < 2 {
				lost++
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				return nil, errUnreachable
			}
			return response, err
		})
	})
	addAgent(t, w, "ada", nil)
	lost = 0
	first, err := w.RecordInteraction(t.Context(), protocol.RecordInteractionRequest{PlayerID: "ada", Role: protocol.RoleUser, Text: "once"})
	if err != nil || lost != 2 {
		t.Fatalf("RecordInteraction = %v, %v; %d replies were lost", first, err, lost)
	}
	snapshot, err := host.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if head := snapshot.Head(); *head.Seq != *first.Seq {
		t.Errorf("the log is at %d, the line at %d", *head.Seq, *first.Seq)
	}
}

// A registration that is canceled before its reply arrives leaves no agent on the
// map.
func TestCanceledRegistrationLeavesNoAgent(t *testing.T) {
	host := openHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := openWorld(t, host, func(o *sdk.Options) {
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			response, err := host.Transport().RoundTrip(r)
			if err == nil && r.URL.Path == protocol.ServicePlay.Players() {
				_ = response.Body.Close()
				cancel()
				return nil, context.Canceled
			}
			return response, err
		})
	})
	options := sdk.AgentOptions{AgentID: "ada", Name: "Ada", Tools: tools(t)}
	if _, err := w.AddAgent(ctx, options); !errors.Is(err, context.Canceled) {
		t.Errorf("AddAgent: %v", err)
	}
	if on := agentsOn(t, host); len(on) != 0 {
		t.Errorf("on the map: %v", on)
	}
}

func TestClosedWorldReturnsErrClosed(t *testing.T) {
	host := openHost(t)
	w := openWorld(t, host, nil)
	var order []string
	w.OnClose(func() { order = append(order, "first") })
	w.OnClose(func() { order = append(order, "second") })
	addAgent(t, w, "ada", nil)
	addAgent(t, w, "bob", func(o *sdk.AgentOptions) { o.Permanent = true })
	for range 2 {
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if on := agentsOn(t, host); len(on) != 0 {
		t.Errorf("on the map: %v", on)
	}
	w.OnClose(func() { order = append(order, "late") })
	if len(order) != 3 || order[0] != "first" || order[1] != "second" || order[2] != "late" {
		t.Errorf("OnClose ran %q", order)
	}
	_, connect := w.Connect(t.Context())
	_, snapshot := w.Snapshot(t.Context())
	_, agent := w.AddAgent(t.Context(), sdk.AgentOptions{AgentID: "a", Name: "A", Tools: tools(t)})
	_, mcp := w.RegisterMCP(t.Context(), sdk.MCP{Name: "m"})
	_, unregister := w.UnregisterMCP(t.Context(), "m")
	_, interaction := w.RecordInteraction(t.Context(), protocol.RecordInteractionRequest{})
	_, journey := w.RecordJourney(t.Context(), protocol.RecordJourneyRequest{})
	hold := w.Hold().Forever(t.Context())
	for i, err := range []error{connect, snapshot, agent, mcp, unregister, interaction, journey, hold} {
		if !errors.Is(err, sdk.ErrClosed) {
			t.Errorf("call %d: %v, want ErrClosed", i, err)
		}
	}
}
