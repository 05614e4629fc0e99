package client

import "github.com/playctl/playctl/protocol"

// WithAPIKey is a client that shows another API key and is otherwise c.
func (c *Client) WithAPIKey(key protocol.Secret) *Client {
	other := *c
	other.own = nil
	other.who.apiKey = newAPIKey(key, nil)
	return &other
}
