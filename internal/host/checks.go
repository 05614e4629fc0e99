package host

import (
	"context"
	"strconv"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// step is one check of a request. It may answer the request itself, as a
// repeated one is; the steps after it are then left out.
type step func(*call) error

// usualOrder is the order of "Requests, errors and limits" in the protocol reference:
// checks of headers come before the body is read, which findRepeat does for requests
// with an idempotency key. Ownership comes after the body: checkKind is the host's part
// of it, the rest and the state are the engine's, within the action.
func usualOrder() []step {
	return []step{
		checkFrame, authenticate, refreshNodes, findRepeat, awaitRev, checkSession,
		readBody, parseObject, checkAPIKey, planBody, checkKind, act,
	}
}

// creationOrder is the order for a route whose body says whether credentials are
// needed, and holds those credentials.
func creationOrder() []step {
	return []step{checkFrame, readBody, parseObject, authenticateCreator, planBody, findRepeat, awaitRev, checkKind, act}
}

// rpcOrder is the order for the rpc route, whose rules are those of the operation.
func rpcOrder() []step {
	return []step{
		checkFrame, authenticate, readBody, parseObject, selectOperation, findRepeat, awaitRev, checkSession,
		checkAPIKey, planBody, checkKind, act,
	}
}

// planBody reads the body and keeps the action to perform.
func planBody(c *call) error {
	next, err := c.rules.plan(c)
	c.next = next
	return err
}

// act performs the action, within the caller's limits.
func act(c *call) error {
	if err := c.enterCall(); err != nil {
		return err
	}
	if c.rules.repository && c.host.options.NoRepository {
		return protocol.Errorf(protocol.CodeRepositoryOff, "this host runs without a repository of nodes")
	}
	return c.next(c)
}

// checkSession compares the sid with that of the live session. The engine compares
// it again when it carries out a command.
func checkSession(c *call) error {
	if !c.rules.sid {
		return nil
	}
	sid := c.parameter(protocol.QuerySID)
	if sid == "" {
		return protocol.Errorf(protocol.CodeSIDMissing, "the query parameter sid is required: get it from the session route")
	}
	c.sid = sid
	return c.checkFresh(func() error {
		if sid != c.host.world.View().SID {
			return protocol.Errorf(protocol.CodeSIDInvalid, "the sid is not that of the live session: get the current one from the session route")
		}
		return nil
	})
}

// sendSession answers with the live session.
func sendSession(c *call) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	return c.send(&protocol.SessionReply{SID: v.SID, Rev: &v.Rev, Seq: &v.Seq, Capabilities: protocol.Capabilities()})
}

// kind returns the kind of the caller. Without a repository every caller except
// the administrator counts as the kind that the route needs.
func (c *call) kind() callers {
	switch {
	case c.caller.Admin:
		return admins
	case c.pass != nil && c.pass.scope == protocol.WatchScopeAct:
		return actors
	case c.pass != nil:
		return watchers
	case c.host.options.NoRepository:
		return nodes
	case c.node == nil:
		return 0
	case c.node.Kind == protocol.NodeKindMain:
		return mains
	case c.node.Kind == protocol.NodeKindAgent:
		return agents
	}
	return spaces
}

// checkKind refuses a caller of a kind that may not use the route. It comes after
// the body's checks, as all of ownership does.
func checkKind(c *call) error {
	if c.registrant != "" {
		// No node yet: the body authenticates the caller.
		return nil
	}
	if c.kind()&c.rules.callers == 0 {
		return protocol.Errorf(protocol.CodeForbidden, "only %s may do this", c.rules.callers)
	}
	return nil
}

// checkAPIKey compares the API key in the header, or else in the body of a players
// route, with the keys of the caller's account. The administrator and viewers have
// no account.
func checkAPIKey(c *call) error {
	policy := c.host.options.APIKeys
	if !c.rules.apiKey || policy == APIKeysOff || c.node == nil {
		return nil
	}
	shown := protocol.NewSecret(c.r.Header.Get(headerAPIKey))
	if shown.IsZero() {
		shown = c.object.BodyAPIKey()
	}
	digest := creds.SecretDigest(shown)
	return c.checkFresh(func() error {
		account, now := c.account(), c.host.world.Now()
		if policy == APIKeysOptional && (!account.HasKeys(now) || shown.IsZero()) {
			return nil
		}
		if !account.AcceptsKey(digest, now) {
			if policy == APIKeysOptional {
				return protocol.Errorf(protocol.CodeAPIKeyInvalid,
					"the API key is not the account's: send the right one as x-api-key or none; POST %s creates a new one", protocol.PathNodeAPIKey)
			}
			return protocol.Errorf(protocol.CodeAPIKeyInvalid, "the account's API key is missing or wrong: send it as x-api-key")
		}
		c.keyDigest = (*[32]byte)(&digest)
		c.host.world.NoteKeyUse(account, digest)
		return nil
	})
}

// account returns the caller's account: its own main node, or the one that owns it. The
// node is looked up again, because its record may be newer than the caller's.
func (c *call) account() *world.Node {
	if c.node.Kind != protocol.NodeKindMain {
		return c.host.world.Registry().Node(c.node.Parent)
	}
	return c.host.world.Registry().Node(c.node.ID)
}

// maxRevWait is how long a request waits for the rev that it requires.
const maxRevWait = time.Second

// awaitRev delays a request with x-play-min-rev until the host has that rev, so
// that a caller reads here its own writes at another host. It comes before the sid
// is compared: the session may have changed with that rev.
func awaitRev(c *call) error {
	c.setRev(c.host.world.View().Rev)
	text := c.r.Header.Get(headerMinRev)
	if text == "" {
		return nil
	}
	rev, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return &protocol.Error{
			Code: protocol.CodeBodyInvalid, Field: protocol.HeaderMinRev,
			Message: "the header " + protocol.HeaderMinRev + " must be a rev: a whole number of 0 or more",
		}
	}
	if c.rev >= rev {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), maxRevWait)
	defer cancel()
	// If the store does not answer, the wait continues: the follower may still receive
	// the rev.
	_ = c.host.world.Refresh(ctx)
	err = c.host.world.WaitRev(ctx, rev)
	c.setRev(c.host.world.View().Rev)
	if err != nil && c.r.Context().Err() == nil {
		e := protocol.WrapError(protocol.CodeBehind, err, "this host has not received the requested rev yet")
		e.RetryAfter = time.Second
		return e
	}
	return err
}
