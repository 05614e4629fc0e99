package sdk_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func TestNewRequiresAddressAndKey(t *testing.T) {
	node := &sdk.NodeCredentials{NodeID: "n", PasswHash: protocol.NewSecret("0000000000000000000000000000000000000000000000000000000000000000")}
	for name, c := range map[string]struct {
		options sdk.Options
		want    error
	}{
		"no address":        {sdk.Options{APIKey: protocol.NewSecret("k")}, sdk.ErrBaseURLMissing},
		"a blank address":   {sdk.Options{BaseURL: " \t", APIKey: protocol.NewSecret("k")}, sdk.ErrBaseURLMissing},
		"no key":            {sdk.Options{BaseURL: "http://h"}, sdk.ErrAPIKeyMissing},
		"a blank key":       {sdk.Options{BaseURL: "http://h", APIKey: protocol.NewSecret(" ")}, sdk.ErrAPIKeyMissing},
		"no id":             {sdk.Options{BaseURL: "http://h", APIKey: protocol.NewSecret("k"), MainNodeCredentials: &sdk.NodeCredentials{Phrase: protocol.NewSecret("p")}}, sdk.ErrCredentials},
		"no phrase":         {sdk.Options{BaseURL: "http://h", APIKey: protocol.NewSecret("k"), NodeCredentials: &sdk.NodeCredentials{NodeID: "n"}}, sdk.ErrCredentials},
		"a phrase and hash": {sdk.Options{BaseURL: "http://h", APIKey: protocol.NewSecret("k"), NodeCredentials: &sdk.NodeCredentials{NodeID: "n", Phrase: protocol.NewSecret("p"), PasswHash: node.PasswHash}}, sdk.ErrCredentials},
		"a blank phrase":    {sdk.Options{BaseURL: "http://h", APIKey: protocol.NewSecret("k"), NodeCredentials: &sdk.NodeCredentials{NodeID: "n", Phrase: protocol.NewSecret(" ")}}, sdk.ErrCredentials},
		"a phrase as hash":  {sdk.Options{BaseURL: "http://h", APIKey: protocol.NewSecret("k"), NodeCredentials: &sdk.NodeCredentials{NodeID: "n", PasswHash: protocol.NewSecret("my own secret")}}, sdk.ErrCredentials},
	} {
		_, err := sdk.New(c.options)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "my own secret") {
			t.Errorf("%s: the error contains the phrase: %v", name, err)
		}
	}
	if _, err := sdk.New(sdk.Options{BaseURL: "not an address", APIKey: protocol.NewSecret("k")}); err == nil {
		t.Error("New accepts any text as an address")
	}
	if _, err := sdk.New(sdk.Options{BaseURL: "http://h", APIKey: protocol.NewSecret("k"), MainNodeCredentials: node, NodeCredentials: node}); err == nil {
		t.Error("New accepts credentials under both names")
	}
}

// A text that is invalid in a header is refused immediately, and not shown.
func TestNewRefusesInvalidHeaderText(t *testing.T) {
	const secret = "the first line of a secret"
	wrong := protocol.NewSecret(secret + "\nand a second")
	hash := protocol.NewSecret(strings.Repeat("0", 64))
	_, key := sdk.New(sdk.Options{BaseURL: "http://127.0.0.1:9", APIKey: wrong})
	_, id := sdk.New(sdk.Options{BaseURL: "http://127.0.0.1:9", NoAPIKey: true, MainNodeCredentials: &sdk.NodeCredentials{NodeID: wrong.Reveal(), PasswHash: hash}})
	_, token := sdk.CreateMainNode(t.Context(), sdk.MainNodeOptions{
		Options:           sdk.Options{BaseURL: "http://127.0.0.1:9", MainNodeCredentials: &sdk.NodeCredentials{NodeID: "n", PasswHash: hash}},
		RegistrationToken: wrong,
	})
	for header, err := range map[string]error{protocol.HeaderAPIKey: key, protocol.HeaderNodeID: id, protocol.HeaderRegistrationToken: token} {
		if err == nil || !strings.Contains(err.Error(), header+" has a line break") || strings.Contains(err.Error(), secret) {
			t.Errorf("%s gives %v", header, err)
		}
	}
}

// The older option name also sets the main node's credentials.
func TestOlderNameOfCredentials(t *testing.T) {
	a := newAccount(t, 0)
	options := a.options()
	options.MainNodeCredentials, options.NodeCredentials = nil, a.main
	w, err := sdk.New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close(t.Context()) }()
	if _, err := w.Connect(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestClearTextOverNetworkCausesWarning(t *testing.T) {
	for address, want := range map[string]int{"http://example.com": 1, "https://example.com": 0, "http://127.0.0.1:1": 0} {
		var warnings []string
		w, err := sdk.New(sdk.Options{
			BaseURL: address, APIKey: protocol.NewSecret("k"), Logger: slog.New(slog.DiscardHandler), OnWarning: func(text string) { warnings = append(warnings, text) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(warnings) != want {
			t.Errorf("%s: warnings %q", address, warnings)
		}
		_ = w.Close(t.Context())
	}
}
