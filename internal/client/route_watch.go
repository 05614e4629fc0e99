package client

import (
	"context"
	"net/http"

	"github.com/playctl/playctl/protocol"
)

// WatchURL is the address of the host's watch page, as this client reaches it.
func (c *Client) WatchURL() string { return c.base.String() + c.service.Watch() }

// WatchScope asks what the watch page gives to who has no token, without taking
// a cookie. The refusal of a host that gives nothing is an error like any other.
func (c *Client) WatchScope(ctx context.Context) (protocol.WatchScope, error) {
	r, err := decode[protocol.WatchSessionReply](ctx, c, &call{
		method: http.MethodPost, path: c.service.WatchSession(), body: protocol.WatchSessionRequest{}, again: repeatSame, keyless: true,
	})
	if err != nil {
		return "", err
	}
	return r.Scope, nil
}

// WatchToken makes a token for a link to the watch page, as a main node.
func (c *Client) WatchToken(ctx context.Context) (*protocol.WatchTokenReply, error) {
	return decode[protocol.WatchTokenReply](ctx, c, &call{
		method: http.MethodPost, path: c.service.WatchToken(), body: struct{}{}, sid: true, again: repeatKeyed,
	})
}
