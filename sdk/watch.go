package sdk

import (
	"context"

	"github.com/playctl/playctl/protocol"
)

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
	reply, err := during(ctx, w, func(ctx context.Context) (*protocol.OKReply, error) {
		return w.client.RevokeWatchToken(ctx, id)
	})
	if err != nil {
		return false, err
	}
	return reply.OK, nil
}
