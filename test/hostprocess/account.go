package hostprocess

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/protocol"
)

// againEvery is how long Must waits before it repeats a request.
const againEvery = 50 * time.Millisecond

// Account is a main node with its agent nodes.
type Account struct {
	Main   Node
	Agents []Node
}

// identities are the nodes that Identity derived, by root key and phrase.
var identities sync.Map

// Identity derives a node from a phrase, which takes 0.2 s of CPU and 64 MiB the
// first time.
func Identity(t testing.TB, rootKey, phrase string) Node {
	t.Helper()
	from := [2]string{rootKey, phrase}
	if known, ok := identities.Load(from); ok {
		return known.(Node)
	}
	hash := creds.HashPhrase(phrase)
	id, err := creds.DeriveNodeID(hash, rootKey)
	if err != nil {
		t.Fatal(err)
	}
	node := Node{ID: id, Hash: hash.Reveal()}
	identities.Store(from, node)
	return node
}

// NewAccount creates a main node with n agent nodes at a host. Their phrases derive
// from the name. The host must not show their credentials.
func NewAccount(t testing.TB, h *Host, rootKey, name string, n int) *Account {
	t.Helper()
	a := &Account{Main: Identity(t, rootKey, name+" main")}
	h.Guard(a.Main.Hash)
	var made struct {
		APIKey string `json:"apiKey"`
	}
	Node{}.Must(t, h, Request{
		Method: http.MethodPost, Path: protocol.PathNodes,
		Body: map[string]any{"nodeId": a.Main.ID, "passwHash": a.Main.Hash},
	}, &made)
	a.Main.APIKey = made.APIKey
	h.Guard(made.APIKey)
	for i := range n {
		agent := Identity(t, rootKey, fmt.Sprint(name, " agent ", i))
		agent.APIKey = made.APIKey
		h.Guard(agent.Hash)
		a.Main.Must(t, h, Request{
			Method: http.MethodPost, Path: protocol.PathAgentNode,
			Body: map[string]any{"agentNodeId": agent.ID, "agentNodePasswHash": agent.Hash},
		}, nil)
		a.Agents = append(a.Agents, agent)
	}
	return a
}

// Secrets returns the credentials of the account's nodes.
func (a *Account) Secrets() []string {
	secrets := []string{a.Main.Hash, a.Main.APIKey}
	for _, agent := range a.Agents {
		secrets = append(secrets, agent.Hash)
	}
	return secrets
}

// Must sends a request that cannot be refused, and decodes the reply unless that is
// nil. If the host's store does not answer in time, as may happen on a busy
// machine, the request is repeated for a minute, as clients do: because of its key
// it is carried out once.
func (n Node) Must(t testing.TB, h *Host, r Request, reply any) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	if r.Key == "" && r.Method != http.MethodGet {
		r.Key = rand.Text()
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a, err := n.Do(ctx, client, h.URL(), r)
	for err == nil && a.Code == protocol.CodeStoreUnavailable && pause.For(ctx, againEvery) {
		a, err = n.Do(ctx, client, h.URL(), r)
	}
	switch {
	case err != nil:
		t.Fatal(err)
	case !a.OK():
		t.Fatalf("%s %s: status %d, %s", r.Method, r.Path, a.Status, a.Code)
	case reply != nil:
		if err := a.Decode(reply); err != nil {
			t.Fatalf("%s %s: %v", r.Method, r.Path, err)
		}
	}
}
