package client

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// Hosts of the agent-play service read the credentials from the body.
func TestRegistrationSendsCredentialsInBodyForAgentPlay(t *testing.T) {
	const route = "POST /api/agent-play/players"
	h := newTestHost(t, map[string]answer{
		route: ok(`{"playerId":"p"}`), "GET /api/agent-play/session": sessionOf(testSID),
	})
	c, err := New(Options{
		BaseURL: h.URL, Service: "agent-play", APIKey: protocol.NewSecret(testKey),
		Credentials: Credentials{NodeID: strings.Repeat("ab", 32), Hash: testHashValue(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	request := &protocol.RegisterRequest{Name: "Ada", AgentID: "p"}
	if _, err := c.Register(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if body := h.of(route)[0].body; !strings.Contains(body, `"passwHash":"`+testHash) || !strings.Contains(body, `"apiKey":"`+testKey) {
		t.Errorf("the body is %s", body)
	}
	if !request.PasswHash.Secret.IsZero() {
		t.Error("the caller's request was changed")
	}
}
