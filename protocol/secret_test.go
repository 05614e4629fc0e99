package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/playctl/playctl/protocol"
)

// A request that is printed or logged whole, for example during debugging, must not
// reveal its credentials. fmt does not call the methods of values in unexported
// fields.
func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	const text = "deadbeef"
	secret := protocol.NewSecret(text)
	r := protocol.RegisterRequest{Name: "Ada", PasswHash: secret.Wire(), APIKey: secret.Wire()}
	node := protocol.CreateNodeReply{NodeID: "n", APIKey: secret.Wire(), Phrase: secret.Wire()}
	hidden := struct {
		one  protocol.Secret
		many []protocol.WireSecret
	}{secret, []protocol.WireSecret{secret.Wire()}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		for _, v := range []any{r, &r, node, r.APIKey, &node.Phrase, secret, hidden, &hidden} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("registered", "key", secret, "wire", r.APIKey, "request", r)
	for _, form := range []string{text, fmt.Sprintf("%x", text), fmt.Sprintf("%X", text)} {
		if strings.Contains(out.String(), form) {
			t.Errorf("a secret was printed as %q", form)
		}
	}
	if !strings.Contains(out.String(), protocol.Redacted) {
		t.Error("the omission of the secret is not shown")
	}
}

func TestOnlyWireSecretsAreEncoded(t *testing.T) {
	t.Parallel()
	secret := protocol.NewSecret("deadbeef")
	for _, v := range []any{secret, &secret, struct{ Key protocol.Secret }{secret}} {
		if out, err := json.Marshal(v); !errors.Is(err, protocol.ErrSecretMarshal) {
			t.Errorf("json.Marshal of %T = %s, %v", v, out, err)
		}
		if out, err := jsonv2.Marshal(v); !errors.Is(err, protocol.ErrSecretMarshal) {
			t.Errorf("v2 Marshal of %T = %s, %v", v, out, err)
		}
	}
	node := protocol.CreateNodeReply{NodeID: "n", APIKey: secret.Wire(), Phrase: secret.Wire()}
	wireBothWays(t, node, `{"nodeId":"n","apiKey":"deadbeef","phrase":"deadbeef"}`)
	wireBothWays(t, protocol.CreateNodeReply{NodeID: "n"}, `{"nodeId":"n"}`)
	var read protocol.CreateNodeReply
	if err := protocol.Decode([]byte(`{"nodeId":"n","apiKey":null,"phrase":"a\u0000\u003cb"}`), &read); err != nil {
		t.Fatal(err)
	}
	if !read.APIKey.IsZero() || read.Phrase.Reveal() != "a\x00<b" {
		t.Errorf("read the key %q and the phrase %q", read.APIKey.Reveal(), read.Phrase.Reveal())
	}
}

func TestSecretsCompareByText(t *testing.T) {
	t.Parallel()
	if !protocol.NewSecret("a").Equal(protocol.NewSecret(strings.Clone("a"))) || protocol.NewSecret("a").Equal(protocol.NewSecret("b")) ||
		protocol.NewSecret("a").Equal(protocol.Secret{}) || !(protocol.Secret{}).Equal(protocol.Secret{}) {
		t.Error("secrets do not compare by their text")
	}
	if !protocol.NewSecret("").IsZero() || (protocol.Secret{}).Reveal() != "" || protocol.NewSecret("a").IsZero() {
		t.Error("the zero secret is not the empty one")
	}
}
