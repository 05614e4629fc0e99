package creds

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"text/template"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/playctl/playctl/protocol"
)

// holder has secrets where fmt cannot call their methods: in unexported fields.
type holder struct {
	hash   PasswHash
	phrase protocol.Secret
	list   []protocol.Secret
	byName map[string]PasswHash
	inner  *holder
}

// A developer prints a whole client, or logs an error that contains one. A reader
// of the log must not be able to act as the node.
func TestSecretsAreNeverPrinted(t *testing.T) {
	const phrase = "zebra zone zoo"
	hash := HashPhrase(phrase)
	h := holder{hash: hash, phrase: protocol.NewSecret(phrase), list: []protocol.Secret{protocol.NewSecret(phrase)},
		byName: map[string]PasswHash{"a": hash}}
	h.inner = &holder{hash: hash, phrase: protocol.NewSecret(phrase)}

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		for _, value := range []any{hash, &hash, protocol.NewSecret(phrase), h, &h, []PasswHash{hash}, StoredDigest(hash), fmt.Errorf("node %v", h)} {
			fmt.Fprintf(&out, verb+"\n", value)
		}
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("login", "hash", hash, "phrase", protocol.NewSecret(phrase), "digest", StoredDigest(hash), "all", h)
	}
	if err := template.Must(template.New("").Parse("{{.}} {{printf \"%s\" .}}")).Execute(&out, hash); err != nil {
		t.Fatal(err)
	}
	digest := StoredDigest(hash)
	for what, text := range map[string]string{
		"phrase": "zebra", "phrase in hex": fmt.Sprintf("%x", "zebra"), "hash": hash.Reveal(),
		"hash in hex": fmt.Sprintf("%x", hash.Reveal()), "digest": hex.EncodeToString(digest[:]),
	} {
		if strings.Contains(strings.ToLower(out.String()), text) {
			t.Errorf("the %s was printed", what)
		}
	}
	if !strings.Contains(out.String(), protocol.Redacted) {
		t.Error("the omission of the secret is not shown")
	}
}

func TestSecretsAreNotMarshaled(t *testing.T) {
	for name, value := range map[string]any{
		"PasswHash": HashPhrase("a"), "Secret": protocol.NewSecret("a"), "in a struct": struct{ Hash PasswHash }{HashPhrase("a")},
	} {
		if out, err := json.Marshal(value); !errors.Is(err, protocol.ErrSecretMarshal) {
			t.Errorf("%s: json.Marshal = %s, %v", name, out, err)
		}
		if out, err := jsonv2.Marshal(value); !errors.Is(err, protocol.ErrSecretMarshal) {
			t.Errorf("%s: v2 Marshal = %s, %v", name, out, err)
		}
	}
}

func TestSecretValues(t *testing.T) {
	if (protocol.Secret{}).Reveal() != "" || !(protocol.Secret{}).IsZero() || !protocol.NewSecret("").IsZero() {
		t.Error("the zero secret is not empty")
	}
	if !protocol.NewSecret("a").Equal(protocol.NewSecret(strings.Clone("a"))) || protocol.NewSecret("a").Equal(protocol.NewSecret("b")) {
		t.Error("secrets are not compared by their text")
	}
	if protocol.NewSecret("a").Reveal() != "a" {
		t.Error("Reveal does not return the text")
	}
}
