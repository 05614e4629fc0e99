package sdk_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// wire records what a program sends: by the place, which is a URL, the name of a header
// or a body, the texts that were there.
type wire struct {
	next http.RoundTripper
	mu   sync.Mutex
	sent map[string][]string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	w.mu.Lock()
	w.note("url", r.URL.String())
	w.note("body", string(body))
	for name, values := range r.Header {
		w.note(strings.ToLower(name), values...)
	}
	w.mu.Unlock()
	return w.next.RoundTrip(r)
}

func (w *wire) note(place string, texts ...string) { w.sent[place] = append(w.sent[place], texts...) }

// placesOf lists the places where a text was sent.
func (w *wire) placesOf(text string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var places []string
	for place, texts := range w.sent {
		if slices.ContainsFunc(texts, func(sent string) bool { return strings.Contains(sent, text) }) {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return places
}

// TestSecretsStayInTheirPlaces uses every option of the SDK that holds a secret, and
// looks for each secret in all that leaves the program: requests, logs and errors.
func TestSecretsStayInTheirPlaces(t *testing.T) {
	account, err := openAccount(t.Context(), t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = account.host.Close(context.Background()) }()
	phrase, agentPhrase, wrongPhrase := protocol.NewSecret("the phrase of an account"), protocol.NewSecret("the phrase of an agent"), protocol.NewSecret("entirely wrong words")
	main, err := sdk.NewNodeCredentials(phrase, accountsRootKey)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := sdk.NewNodeCredentials(agentPhrase, accountsRootKey)
	if err != nil {
		t.Fatal(err)
	}
	recorded := &wire{next: account.host.Transport(), sent: map[string][]string{}}
	var logged bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	options := sdk.Options{
		BaseURL: account.host.BaseURL(), Transport: recorded, Logger: logger,
		MainNodeCredentials: &sdk.NodeCredentials{NodeID: main.NodeID, Phrase: phrase},
	}
	apiKey, err := sdk.CreateMainNode(t.Context(), sdk.MainNodeOptions{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	options.APIKey = apiKey
	world, err := sdk.New(options)
	if err != nil {
		t.Fatal(err)
	}
	own := &sdk.NodeCredentials{NodeID: agent.NodeID, Phrase: agentPhrase}
	if err := world.CreateAgentNode(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	wrong := &sdk.NodeCredentials{NodeID: agent.NodeID, Phrase: wrongPhrase}
	_, refusal := world.AddAgent(t.Context(), sdk.AgentOptions{Name: "Ada", Tools: tools(t), Credentials: wrong})
	if refusal == nil {
		t.Fatal("a wrong phrase was accepted")
	}
	added, err := world.AddAgent(t.Context(), sdk.AgentOptions{Name: "Ada", Tools: tools(t), Credentials: own})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := added.Say(t.Context(), "hello"); err != nil {
		t.Fatal(err)
	}
	if err := world.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		secret protocol.Secret
		places []string
	}{
		{"the account's phrase", phrase, nil},
		{"the agent's phrase", agentPhrase, nil},
		{"the wrong phrase", wrongPhrase, nil},
		{"the account's hash", main.PasswHash, []string{"body", "x-node-passw"}}, // the body creates the node
		{"the agent's hash", agent.PasswHash, []string{"body", "x-node-passw"}},
		{"the API key", apiKey, []string{"x-api-key"}},
	} {
		secret := c.secret.Reveal()
		if got := recorded.placesOf(secret); !slices.Equal(got, c.places) {
			t.Errorf("%s was sent in %v, want %v", c.name, got, c.places)
		}
		if strings.Contains(logged.String()+refusal.Error(), secret) {
			t.Errorf("%s is in the log or in an error", c.name)
		}
	}
}
