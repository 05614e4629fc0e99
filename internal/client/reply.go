package client

import (
	"errors"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/playctl/playctl/protocol"
)

// unpack reads a reply into v.
func (c *Client) unpack(r *reply, k *call, v any) error {
	if err := protocol.Decode(r.body, v); err != nil {
		return &ReplyError{Route: k.route(), RequestID: c.who.scrub(r.header.Get("X-Request-Id")), Err: decodeFault(err)}
	}
	return nil
}

// decodeFault says where a reply is not what the route promises. The decoder's
// own errors repeat values, and a value of a reply may be a secret.
func decodeFault(err error) error {
	if wrong, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		return fmt.Errorf("the value at %q has the wrong type or form", string(wrong.JSONPointer))
	}
	if broken, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("it is not valid JSON at byte %d", broken.ByteOffset)
	}
	return errors.New("it is not the JSON that the route promises")
}
