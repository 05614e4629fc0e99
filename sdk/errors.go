package sdk

import (
	"errors"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// ErrUnreachable is matched by errors of calls that the host did not answer.
var ErrUnreachable = client.ErrUnreachable

// ErrReply is matched by errors of answers that cannot be used, as those of a
// server that is no world host.
var ErrReply = client.ErrReply

// ErrClosed is returned by the methods of a world that was closed.
var ErrClosed = errors.New("the world was closed")

// ErrAPIKeyMissing is returned by New for options without an API key.
var ErrAPIKeyMissing = errors.New("sdk.Options.APIKey is empty: use the key that was printed when the main node was created, or make one with 'playctl create-api-key'")

// ErrBaseURLMissing is returned by New for options without an address.
var ErrBaseURLMissing = errors.New("sdk.Options.BaseURL is empty: set the host's address, such as http://127.0.0.1:7420")

// asRefusal finds the host's refusal in an error.
func asRefusal(err error) (*protocol.Error, bool) {
	refused, ok := errors.AsType[*protocol.Error](err)
	return refused, ok && refused != nil
}
