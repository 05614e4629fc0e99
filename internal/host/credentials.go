package host

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// authenticate identifies the caller: the administrator by a bearer token, a
// viewer by its cookie where the route accepts it, or a node by its id and the
// hash of its phrase. It derives no keys, whatever the caller sends: it compares
// digests.
func authenticate(c *call) error {
	c.host.world.RefreshAfterPause(c.r.Context())
	if token, shown := bearerToken(c.r.Header.Get("Authorization")); shown {
		return c.authenticateAdmin(token)
	}
	if c.takesPass() {
		// On a host that checks no credentials, a caller with an invalid cookie is treated
		// like one without.
		if shown, err := c.authenticateViewer(); shown && (err == nil || !c.host.options.NoRepository || c.needsPass()) {
			return err
		}
		c.pass, c.passOwner = nil, nil
	}
	if c.host.options.NoRepository {
		if c.needsPass() {
			return protocol.Errorf(protocol.CodeCredentialsMissing, "a page of another origin needs a pass: get one with POST %s", c.route.service.WatchSession())
		}
		return c.takeNodeID()
	}
	id := protocol.NormalizeNodeID(c.r.Header.Get(headerNodeID))
	passw := c.r.Header.Get(headerNodePassw)
	if id == "" || passw == "" {
		return protocol.Errorf(protocol.CodeCredentialsMissing, "the headers x-node-id and x-node-passw are required")
	}
	hash, err := creds.ParsePasswHash(passw)
	if err != nil {
		return wrongCredentials()
	}
	return c.authenticateNode(id, hash)
}

// The headers that every request is checked for, in canonical form: another form would
// be converted each time.
var (
	headerNodeID    = http.CanonicalHeaderKey(protocol.HeaderNodeID)
	headerNodePassw = http.CanonicalHeaderKey(protocol.HeaderNodePassw)
	headerAPIKey    = http.CanonicalHeaderKey(protocol.HeaderAPIKey)
	headerMinRev    = http.CanonicalHeaderKey(protocol.HeaderMinRev)
)

func wrongCredentials() error {
	return protocol.Errorf(protocol.CodeCredentialsInvalid, "the node does not exist or its secret is wrong")
}

// bearerToken returns the token of an Authorization header. Another scheme, such
// as a proxy's own, is ignored.
func bearerToken(header string) (protocol.Secret, bool) {
	const scheme = "bearer "
	if len(header) < len(scheme) || !strings.EqualFold(header[:len(scheme)], scheme) {
		return protocol.Secret{}, false
	}
	return protocol.NewSecret(strings.TrimSpace(header[len(scheme):])), true
}

const (
	// guessPause is the time between two replies to wrong tokens, the administrator's and
	// those for registration, and maxGuesses how many callers wait for theirs. Further callers are answered at
	// once: each guess costs them a connection.
	guessPause = 100 * time.Millisecond
	maxGuesses = 256
)

// guesses delays the replies to wrong tokens, one after the other.
type guesses struct {
	turns   *rate.Limiter
	pause   time.Duration
	waiting atomic.Int32
}

// wait returns when the reply is due, the request is abandoned, or the host closes.
func (g *guesses) wait(ctx context.Context, closing <-chan struct{}) {
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > maxGuesses {
		return
	}
	// A caller that gave up keeps its turn: the wait is no longer than that of a full queue.
	due := time.NewTimer(min(g.turns.Reserve().Delay(), maxGuesses*g.pause) + g.pause)
	defer due.Stop()
	select {
	case <-due.C:
	case <-ctx.Done():
	case <-closing:
	}
}

// delayGuess delays the reply to a wrong token.
func (c *call) delayGuess() { c.host.guesses.wait(c.r.Context(), c.host.closing) }

func (c *call) authenticateAdmin(token protocol.Secret) error {
	known := !c.host.options.AdminToken.IsZero()
	if !creds.AuthenticateSecret(c.host.adminDigest, known, token) {
		c.delayGuess()
		if !known {
			return protocol.Errorf(protocol.CodeCredentialsInvalid, "this host has no administrator: it was started without an administrator's token")
		}
		return protocol.Errorf(protocol.CodeCredentialsInvalid, "the bearer token is not the administrator's")
	}
	c.caller = world.Caller{Admin: true}
	return nil
}

// takeNodeID replaces authentication on a host without a repository: the caller
// may name an id, which becomes the owner of its rows.
func (c *call) takeNodeID() error {
	id := protocol.NormalizeNodeID(c.r.Header.Get(headerNodeID))
	if id != "" && !protocol.ValidID(id) {
		return protocol.Errorf(protocol.CodeCredentialsInvalid, "the header x-node-id is not a valid node id")
	}
	c.caller = world.Caller{NodeID: id, Unchecked: true}
	return nil
}

// authenticateNode compares the digest of the hash with the stored one, or with a
// dummy if there is no such node, so that the time taken does not reveal which
// nodes exist.
func (c *call) authenticateNode(id string, hash creds.PasswHash) error {
	return c.checkFresh(func() error {
		if c.matchNode(id, hash) {
			return nil
		}
		return wrongCredentials()
	})
}

// refreshNodes is for replies that are read from the nodes' records: they change
// without a rev that a client could require.
func refreshNodes(c *call) error {
	if !c.rules.ofNodes {
		return nil
	}
	c.refreshView()
	return c.reloadCaller()
}

// refreshView brings the view of a read to the store's present state: credentials
// that were deleted or replaced at another host are invalid from then on. While the
// store does not answer, reads continue from the view.
func (c *call) refreshView() {
	if c.host.world.Stale() == nil {
		_ = c.host.world.Refresh(c.r.Context())
	}
}

// reloadCaller looks up the caller's node, or the one that its cookie belongs to,
// again in a view that may be newer than the one that authenticated it.
func (c *call) reloadCaller() error {
	switch {
	case c.node != nil:
		if c.node = c.host.world.Registry().Node(c.node.ID); c.node == nil {
			return wrongCredentials()
		}
	case c.passOwner != nil:
		var there bool
		if c.passOwner, there = c.host.world.WatchOwner(c.pass.owner, c.pass.ownerSince); !there {
			return wrongPass()
		}
	}
	return nil
}

// checkFresh runs a check against the view. A check that fails is run again on the
// newest view: another host may have changed the state that it read. Callers that wait for
// it share one access to the store. If the store does not answer, checkFresh returns that
// error.
func (c *call) checkFresh(check func() error) error {
	refused := check()
	if refused == nil || c.host.world.SoleHost() {
		return refused
	}
	if err := c.host.refreshForRefusal(c.r.Context()); err != nil {
		return err
	}
	return check()
}

// matchNode sets the caller if the credentials are a node's.
func (c *call) matchNode(id string, hash creds.PasswHash) bool {
	node := c.host.world.Registry().Node(id)
	if creds.Authenticate(digestOf(node), node != nil, hash) {
		c.node, c.caller = node, world.Caller{NodeID: id}
		return true
	}
	if c.ownerHashCounts() && node != nil && node.Kind == protocol.NodeKindAgent {
		owner := c.host.world.Registry().Node(node.Parent)
		if creds.Authenticate(digestOf(owner), owner != nil, hash) {
			c.node, c.caller = node, world.Caller{NodeID: id, OwnerHash: true}
			return true
		}
	}
	return false
}

// ownerHashCounts reports whether the owner's hash may stand for the agent's on
// this route: existing clients send it where the agent has no phrase of its own.
// Beyond loopback the operator must have allowed it.
func (c *call) ownerHashCounts() bool {
	return c.rules.ownerHash && (c.host.options.AllowOwnerHash || c.host.loopback.Load())
}

// digestOf returns the stored digest of a node's hash. If there is no node it
// returns all zeros, which no known hash has as its digest.
func digestOf(node *world.Node) creds.Digest {
	var d creds.Digest
	if node != nil && len(node.Digest) == len(d) {
		copy(d[:], node.Digest)
	}
	return d
}
