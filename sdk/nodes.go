package sdk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// MainNodeOptions are the options of a new main node, which is an account at a host.
type MainNodeOptions struct {
	// Options have their usual meaning, except that APIKey is ignored, because the
	// account has none yet.
	Options
	// RegistrationToken is required by a host whose registration is not open.
	RegistrationToken protocol.Secret
}

// CreateMainNode creates the main node of options.MainNodeCredentials at a host
// and returns its API key, which the host shows once.
func CreateMainNode(ctx context.Context, options MainNodeOptions) (protocol.Secret, error) {
	main, err := options.mainNode()
	switch {
	case err != nil:
		return protocol.Secret{}, err
	case main.IsZero():
		return protocol.Secret{}, errors.New("sdk.MainNodeOptions.MainNodeCredentials is nil: a main node needs an id and a phrase")
	}
	nobody := options.base()
	nobody.RegistrationToken = options.RegistrationToken
	c, err := client.New(nobody)
	if err != nil {
		return protocol.Secret{}, fmt.Errorf("sdk.MainNodeOptions: %w", err)
	}
	defer c.Close()
	reply, err := c.CreateMainNode(ctx, main)
	if err != nil {
		return protocol.Secret{}, err
	}
	return reply.APIKey.Secret, nil
}

// CreateAgentNode creates an agent node of the main node. An agent needs one
// before it can be added.
func (w *RemotePlayWorld) CreateAgentNode(ctx context.Context, agent *NodeCredentials) error {
	node, err := agent.resolve()
	if err != nil {
		return err
	}
	_, err = duringWith(ctx, w, w.client.CreateAgentNode, node)
	return err
}

// DeleteAgentNode deletes an agent node of the main node with its record, and
// removes it from the map; it returns false if there was none with that id.
func (w *RemotePlayWorld) DeleteAgentNode(ctx context.Context, agentID string) (bool, error) {
	id := protocol.NormalizeAgentID(agentID)
	ok, err := isOK(duringWith(ctx, w, w.client.DeleteAgent, id))
	if err == nil {
		w.forget(ctx, id)
	}
	return ok, err
}

// LabelAgentNode sets the label of an agent node of the main node, or removes it with "".
// Only the account and the administrator see it.
func (w *RemotePlayWorld) LabelAgentNode(ctx context.Context, agentID, label string) error {
	_, err := during(ctx, w, func(ctx context.Context) (*protocol.LabelReply, error) {
		return w.client.LabelNode(ctx, protocol.NormalizeAgentID(agentID), label)
	})
	return err
}

// RegisterSpaceNode creates a space that the main node owns, without a place on the map.
func (w *RemotePlayWorld) RegisterSpaceNode(ctx context.Context, space *protocol.RegisterSpaceRequest) (*protocol.Space, error) {
	reply, err := duringWith(ctx, w, w.client.RegisterSpaceNode, space)
	if err != nil {
		return nil, err
	}
	return &reply.Space, nil
}

// APIKeys returns the API keys of the main node, the default one first.
func (w *RemotePlayWorld) APIKeys(ctx context.Context) ([]protocol.KeyRecord, error) {
	reply, err := during(ctx, w, w.client.Keys)
	if err != nil {
		return nil, err
	}
	return reply.Keys, nil
}

// CreateAPIKey creates one more API key of the main node and returns it, which the
// host shows once. The others stay valid. A term of 0 means no expiry.
func (w *RemotePlayWorld) CreateAPIKey(ctx context.Context, name string, term time.Duration) (protocol.Secret, error) {
	reply, err := duringWith(ctx, w, w.client.CreateKey, protocol.CreateKeyRequest{Name: name, ExpiresInSeconds: int(term / time.Second)})
	if err != nil {
		return protocol.Secret{}, err
	}
	return reply.APIKey.Secret, nil
}

// RevokeAPIKey revokes an API key of the main node; it returns false if there is none with
// that name.
func (w *RemotePlayWorld) RevokeAPIKey(ctx context.Context, name string) (bool, error) {
	return isOK(duringWith(ctx, w, w.client.RevokeKey, name))
}

// forget drops an agent that no longer exists, and needs neither heartbeats nor a
// disconnect.
func (w *RemotePlayWorld) forget(ctx context.Context, agentID string) {
	w.mu.Lock()
	a := w.agents[agentID]
	delete(w.agents, agentID)
	w.mu.Unlock()
	if a != nil {
		w.programs.remove(ctx, a)
		a.stop()
		<-a.kept
	}
}

// CreateWatchToken creates a token for a link to the watch page: the reply's URL,
// "#token=" and its Token. It ends with the main node, or at ExpiresAt.
func (w *RemotePlayWorld) CreateWatchToken(ctx context.Context) (*protocol.WatchTokenReply, error) {
	return during(ctx, w, w.client.WatchToken)
}

// WatchTokens returns the main node's tokens that have not expired, the oldest first.
func (w *RemotePlayWorld) WatchTokens(ctx context.Context) ([]protocol.WatchTokenRecord, error) {
	reply, err := during(ctx, w, w.client.WatchTokens)
	if err != nil {
		return nil, err
	}
	return reply.Tokens, nil
}

// RevokeWatchToken revokes a token by the id that WatchTokens lists, with the
// cookies created from it; it returns false if there was none with that id.
func (w *RemotePlayWorld) RevokeWatchToken(ctx context.Context, id string) (bool, error) {
	return isOK(duringWith(ctx, w, w.client.RevokeWatchToken, id))
}
