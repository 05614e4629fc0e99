package client

import "github.com/playctl/playctl/protocol"

// WithAPIKey returns a copy of c with another API key.
func (c *Client) WithAPIKey(key protocol.Secret) *Client {
	other := *c
	other.own = nil
	other.who.apiKey = newAPIKey(key, nil)
	return &other
}
