package host

import (
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// callers is a set of kinds of callers.
type callers = protocol.Callers

const (
	mains    = protocol.CallerMain
	agents   = protocol.CallerAgent
	spaces   = protocol.CallerSpace
	admins   = protocol.CallerAdmin
	watchers = protocol.CallerWatcher
	actors   = protocol.CallerActor
	nodes    = protocol.CallerNodes
	viewers  = watchers | actors
	readers  = protocol.CallerReaders
	players  = protocol.CallerPlayers
	askers   = protocol.CallerAskers
)

// rules are the conditions for a route's or an operation's plan to be carried out.
type rules struct {
	// callers may use it; a caller of another kind is refused with forbidden.
	callers callers
	// ownerHash accepts an agent's id with its owner's hash.
	ownerHash bool
	// ofNodes reports whether the reply is read from the nodes' records, which change
	// without a rev.
	ofNodes bool
	// sid reports whether a sid is required.
	sid bool
	// apiKey reports whether the API key is checked.
	apiKey bool
	// repeatable reports whether an idempotency key is accepted, as for requests that change
	// something.
	repeatable bool
	// stream reports whether the reply is an event stream.
	stream bool
	// secret reports whether the reply holds a secret, so that it is stored encrypted.
	secret bool
	// withdraws reports whether credentials may be invalid afterwards: the reply waits
	// until every host refuses them.
	withdraws bool
	// repository reports whether the route is about nodes, which only a host with a repository
	// has.
	repository bool
	// plan reads the body and returns the action to perform.
	plan func(*call) (action, error)
}

// answer says how the host answers a route: what the contract does not say of it.
type answer struct {
	// plan reads the body and returns the action to perform.
	plan func(*call) (action, error)
	// order are the checks in their order; nil for the usual one.
	order []step
	// embed, ofNodes, withdraws and repository are as in route and rules.
	embed, ofNodes, withdraws, repository bool
}

// action answers a request whose body is valid.
type action func(*call) error

// command returns the action that passes a command to the engine.
func command(cmd world.Command) (action, error) {
	return func(c *call) error { return c.carryOut(cmd) }, nil
}

// endCommand is command for a command that ends the item that a parameter of the query names; the
// parameter must not be empty.
func endCommand(parameter, named, what string, cmd world.Command) (action, error) {
	if named == "" {
		return nil, &protocol.Error{
			Code: protocol.CodeBodyInvalid, Field: parameter,
			Message: "the query parameter " + parameter + " is missing: set it to " + what,
		}
	}
	return command(cmd)
}

// carryOut passes a command to the engine and answers with its outcome.
func (c *call) carryOut(cmd world.Command) error {
	reply, err := c.host.world.Do(c.r.Context(), c.request(), cmd)
	if err != nil {
		return err
	}
	return c.sendReply(&reply)
}

// bodyUse says what a route does with a body.
type bodyUse uint8

const (
	// bodyIgnored is for a route without a body, or whose body does not matter.
	bodyIgnored bodyUse = iota
	// bodyNeeded is for a body that must be a JSON object.
	bodyNeeded
	// bodyOptional is for a body that is a JSON object, {} when it is absent.
	bodyOptional
)

// route is one line of the table: a method and a path with the rules.
type route struct {
	method, path string
	// service is the service name under which it is mounted.
	service protocol.Service
	body    bodyUse
	// embed reports whether pages of the origins in WatchEmbed may read the route, with a
	// pass.
	embed bool
	// order are the checks in their order; nil for the usual one.
	order []step
	rules
}

// decodeCommand is the plan of a route or an operation whose request itself is a command of the
// engine.
func decodeCommand[C world.Command](c *call) (action, error) {
	cmd, err := requestOf[C](c)
	if err != nil {
		return nil, err
	}
	return command(cmd)
}

// decodeRequest returns the plan of a route or an operation whose action takes its request as an
// argument.
func decodeRequest[T any](answer func(*call, T) error) func(*call) (action, error) {
	return func(c *call) (action, error) {
		request, err := requestOf[T](c)
		if err != nil {
			return nil, err
		}
		return func(c *call) error { return answer(c, request) }, nil
	}
}

// requestOf reads the request: an operation's payload, else the body.
func requestOf[T any](c *call) (T, error) {
	var none T
	object := c.object
	if c.op != "" {
		payload, bad := c.rpc.Payload()
		if bad != nil {
			return none, bad
		}
		object = payload
	}
	request, bad := protocol.ParseRequest[T](object)
	if bad != nil {
		return none, bad
	}
	return request, nil
}

// noBody returns a plan for an action without a body to read.
func noBody(a action) func(*call) (action, error) {
	return func(*call) (action, error) { return a, nil }
}
