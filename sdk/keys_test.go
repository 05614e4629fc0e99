package sdk_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func TestAPIKeysAndLabels(t *testing.T) {
	a := newAccount(t, 1)
	w, err := sdk.New(a.options())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close(t.Context()) }()
	key, err := w.CreateAPIKey(t.Context(), "ci", time.Hour)
	if err != nil || key.IsZero() || key.Equal(a.apiKey) {
		t.Fatalf("the new key: %v", err)
	}
	keys, err := w.APIKeys(t.Context())
	if err != nil || len(keys) != 2 || keys[0].Name != protocol.DefaultKeyName || keys[1].Name != "ci" || keys[1].ExpiresAt == "" {
		t.Errorf("the keys are %+v, %v", keys, err)
	}
	if ok, err := w.RevokeAPIKey(t.Context(), "ci"); err != nil || !ok {
		t.Errorf("revoked: %v, %v", ok, err)
	}
	if err := w.LabelAgentNode(t.Context(), a.agents[0].NodeID, "Ada"); err != nil {
		t.Error(err)
	}
	if err := w.LabelAgentNode(t.Context(), a.main.NodeID[:63]+"x", "Ada"); err == nil {
		t.Error("an id that is not an agent's was labeled")
	}
}

// A warning names a revoked key that other hosts of the world may still accept.
func TestUnconfirmedRevocationCausesWarning(t *testing.T) {
	a := newAccount(t, 1)
	options := a.options()
	host := options.Transport
	late := ""
	options.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		answer, err := host.RoundTrip(r)
		if err == nil && r.Method == http.MethodDelete && late != "" {
			answer.Header.Set(protocol.HeaderUnconfirmed, late)
		}
		return answer, err
	})
	var warnings []string
	options.OnWarning = func(text string) { warnings = append(warnings, text) }
	w, err := sdk.New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close(t.Context()) }()
	for header, want := range map[string]int{"": 0, "0": 0, "-1": 0, "x": 0, "99999999999999999999": 0, "1": 1} {
		if _, err := w.CreateAPIKey(t.Context(), "ci", time.Hour); err != nil {
			t.Fatal(err)
		}
		late, warnings = header, nil
		if ok, err := w.RevokeAPIKey(t.Context(), "ci"); err != nil || !ok {
			t.Fatalf("revoked: %v, %v", ok, err)
		}
		if len(warnings) != want || want > 0 && !strings.Contains(warnings[0], "until they do, they may accept old credentials") {
			t.Errorf("with %q the warnings are %q", header, warnings)
		}
	}
}
