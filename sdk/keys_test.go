package sdk_test

import (
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
	if err != nil || key.IsZero() || key == a.apiKey {
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
		t.Error("what is no agent got a label")
	}
}
