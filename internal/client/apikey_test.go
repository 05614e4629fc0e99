package client_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// A replaced and revoked key is detected by any call that uses it, also by several
// at the same time, and the next one is fetched once.
func TestCallContinuesWithReplacementAPIKey(t *testing.T) {
	a := openAccount(t)
	key := func(name string) protocol.Secret {
		return must[*protocol.CreateKeyReply](t)(a.main.CreateKey(t.Context(), protocol.CreateKeyRequest{Name: name})).APIKey.Secret
	}
	var requested atomic.Int32
	second := key("second")
	program := dial(t, client.Options{
		BaseURL: a.url, Credentials: node(t, "the main node's phrase"), APIKey: key("first"),
		ReloadAPIKey: func(context.Context) (protocol.Secret, error) {
			requested.Add(1)
			return second, nil
		},
	})
	agent := program.As(a.agentNode)
	register := func() error {
		_, err := agent.Register(t.Context(), &protocol.RegisterRequest{Name: "Ada", Type: "go", AgentID: a.agentNode.NodeID, Agent: protocol.AgentSpec{Type: "go", ToolNames: []string{protocol.ChatTool}}})
		return err
	}
	if err := register(); err != nil || requested.Load() != 0 {
		t.Fatalf("with the first key: %v, after %d requests", err, requested.Load())
	}
	must[*protocol.OKReply](t)(a.main.RevokeKey(t.Context(), "first"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := register(); err != nil {
				t.Errorf("after the first key was revoked: %v", err)
			}
		})
	}
	all.Wait()
	if _, err := program.Session(t.Context()); err != nil || requested.Load() != 1 {
		t.Errorf("the client that the agent's client was created from: %v, after %d requests", err, requested.Load())
	}
	must[*protocol.OKReply](t)(a.main.RevokeKey(t.Context(), "second"))
	if err := register(); !protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
		t.Errorf("without another key: %v", err)
	}
}

// While a key is fetched, other calls continue.
func TestCallsContinueWhileAPIKeyIsFetched(t *testing.T) {
	a := openAccount(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var program *client.Client
	program = dial(t, client.Options{
		BaseURL: a.url, Credentials: node(t, "the main node's phrase"), APIKey: protocol.NewSecret("pk_wrong"),
		ReloadAPIKey: func(context.Context) (protocol.Secret, error) {
			ready := make(chan error, 1)
			go func() { ready <- program.Ready(ctx) }()
			select {
			case err := <-ready:
				return protocol.Secret{}, err
			case <-ctx.Done():
				t.Error("a call that needs no API key waits for one")
				return protocol.Secret{}, ctx.Err()
			}
		},
	})
	if _, err := program.Session(ctx); !protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
		t.Errorf("without another key: %v", err)
	}
}

// If no other key can be read, the host's refusal is returned.
func TestRefusedAPIKeyIsReportedWithoutReplacement(t *testing.T) {
	a := openAccount(t)
	for name, reload := range map[string]func(context.Context) (protocol.Secret, error){
		"none":    nil,
		"failed":  func(context.Context) (protocol.Secret, error) { return protocol.Secret{}, errors.New("no file") },
		"empty":   func(context.Context) (protocol.Secret, error) { return protocol.Secret{}, nil },
		"invalid": func(context.Context) (protocol.Secret, error) { return protocol.NewSecret("pk_a\nb"), nil },
		"refused": func(context.Context) (protocol.Secret, error) { return protocol.NewSecret("pk_another"), nil },
	} {
		c := dial(t, client.Options{
			BaseURL: a.url, Credentials: node(t, "the main node's phrase"), APIKey: protocol.NewSecret("pk_wrong"), ReloadAPIKey: reload,
		})
		if _, err := c.Session(t.Context()); !protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
