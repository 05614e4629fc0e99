package host

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// watchAnswers says how the host answers the routes of the watch page.
func watchAnswers(s protocol.Service) routeAnswers {
	return routeAnswers{
		"GET " + s.WatchCard():     {order: []step{sendCard}},
		"GET " + s.Watch():         {order: []step{sendPage}},
		"GET " + s.WatchAsset():    {order: []step{sendAsset}},
		"GET " + s.WatchTown():     {embed: true, order: []step{sendTown}},
		"POST " + s.WatchSession(): {embed: true, order: []step{checkFrame, checkSessionOrigin, readBody, parseObject, sendWatchSession}},
		"GET " + s.WatchToken():    {ofNodes: true, plan: noBody(sendWatchTokens)},
		"POST " + s.WatchToken():   {plan: planWatchToken},
		"DELETE " + s.WatchToken(): {withdraws: true, plan: planRevokeToken},
	}
}

// sendWatchTokens lists the caller's tokens.
func sendWatchTokens(c *call) error {
	reply, err := c.host.world.WatchTokens(c.r.Context(), c.caller)
	if err != nil {
		return err
	}
	return c.send(reply)
}

const (
	// tokensCountedFor is how long a count of watch tokens is reused, and
	// maxTokensCounted the highest count: the tokens are in the store only.
	tokensCountedFor = time.Minute
	maxTokensCounted = 100_000
)

// tokenCount is the last count of watch tokens, with its time.
type tokenCount struct {
	mu sync.Mutex
	n  int
	at time.Time
}

// read counts the tokens unless the last count is recent. While the store does not
// answer it returns the last count.
func (t *tokenCount) read(w *world.World) float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at.IsZero() || time.Since(t.at) >= tokensCountedFor {
		ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
		defer cancel()
		if n, err := w.CountWatchTokens(ctx, maxTokensCounted); err == nil {
			t.n = n
		}
		t.at = time.Now()
	}
	return float64(t.n)
}

// planRevokeToken revokes one of the caller's tokens.
func planRevokeToken(c *call) (action, error) {
	id := c.query().Get(protocol.QueryID)
	return endCommand(protocol.QueryID, id, "the token to revoke", world.RevokeWatchToken{ID: id})
}

// planWatchToken creates a token for the calling main node.
func planWatchToken(c *call) (action, error) {
	token := creds.GenerateToken()
	return command(world.CreateWatchToken{
		Digest: creds.SecretDigest(token), Token: token, URL: c.host.URL() + c.route.service.Watch(),
		AllAddresses: isUnspecified(c.host.Addr()),
	})
}

// isUnspecified reports whether a listener takes connections at every address of
// its machine.
func isUnspecified(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsUnspecified()
}

// sendWatchSession gives a browser its cookie.
func sendWatchSession(c *call) error {
	request, err := requestOf[protocol.WatchSessionRequest](c)
	if err != nil {
		return err
	}
	if err := checkSessionKind(c, &request); err != nil {
		return err
	}
	if request.Framed {
		return c.sendFramePass(request.Token.Secret)
	}
	p, err := c.newPass(request.Token.Secret)
	if err != nil {
		return err
	}
	if p == nil {
		// The request's own cookie is valid.
		p = c.pass
	} else if err := c.setCookie(p); err != nil {
		return err
	}
	return c.send(&protocol.WatchSessionReply{Scope: p.scope, ExpiresAt: protocol.FormatTime(p.expires)})
}

// frameTerm is how long the pass of a page in a frame is valid.
const frameTerm = time.Hour

// sendFramePass gives the page in a frame a pass to send in a header: browsers
// withhold SameSite=Strict cookies in pages of other sites. The pass is valid for
// watching only, as the framing page could trick people into pressing its buttons
// (clickjacking).
func (c *call) sendFramePass(token protocol.Secret) error {
	if len(c.host.options.WatchEmbed) == 0 {
		return protocol.Errorf(protocol.CodeForbidden,
			"this page may not be embedded: the operator can allow your page's origin with --watch-embed")
	}
	now := c.host.world.Now()
	p := &pass{viewer: newViewer(), free: true, expires: now.Add(frameTerm)}
	if !token.IsZero() {
		var err error
		if p, err = c.passForToken(token); err != nil {
			return err
		}
	} else if c.host.freeScope(c.r) == "" {
		return protocol.Errorf(protocol.CodeCredentialsMissing,
			"watching is not public on this host: a page in a frame needs a pass after #pass= in its address")
	}
	p.scope = protocol.WatchScopeWatch
	if limit := now.Add(frameTerm); p.expires.After(limit) {
		p.expires = limit
	}
	key, err := c.host.passKeys.current(c.r.Context(), c.host.world)
	if err != nil {
		return err
	}
	return c.send(&protocol.WatchSessionReply{
		Scope: p.scope, ExpiresAt: protocol.FormatTime(p.expires), Pass: protocol.NewSecret(p.seal(key)).Wire(),
	})
}

// newPass returns the pass for a new cookie: that of a token, or what the host
// gives freely. It is nil if the caller may keep its present cookie.
func (c *call) newPass(token protocol.Secret) (*pass, error) {
	if !token.IsZero() {
		return c.passForToken(token)
	}
	free := c.host.freeScope(c.r)
	_, err := c.readPass()
	if err != nil && protocol.CodeOf(err) != protocol.CodeCredentialsInvalid {
		return nil, err
	}
	if c.passOwner != nil {
		c.refreshView()
		if err := c.reloadCaller(); err != nil {
			c.pass = nil
		}
	}
	if c.pass != nil && (c.pass.scope == protocol.WatchScopeAct || c.pass.scope == free || free == "") {
		return nil, nil //nolint:nilnil // The caller keeps its cookie.
	}
	switch {
	case free != "":
		return &pass{viewer: newViewer(), scope: free, expires: c.host.world.Now().Add(world.WatchTerm), free: true}, nil
	case c.host.loopback.Load() && c.host.options.WatchAccess != WatchToken && !isForwarded(c.r) && !c.host.watch.elsewhere:
		return nil, protocol.Errorf(protocol.CodeForbidden,
			"the page is open only under names of this machine: open it as localhost, or have the operator add this name with --watch-name")
	}
	return nil, protocol.Errorf(protocol.CodeCredentialsMissing,
		"this page needs a link with a token: a main node creates one with \"playctl watch\"")
}

// passForToken looks a token up by its digest, so that the time of the lookup
// reveals nothing about other tokens.
func (c *call) passForToken(token protocol.Secret) (*pass, error) {
	known, err := c.host.world.WatchToken(c.r.Context(), creds.SecretDigest(token))
	if err != nil {
		return nil, err
	}
	if known == nil {
		return nil, wrongToken()
	}
	if _, err := c.watchOwner(known.Owner, known.OwnerSince, wrongToken); err != nil {
		return nil, err
	}
	return &pass{
		viewer: newViewer(), scope: protocol.WatchScopeAct, expires: time.UnixMilli(known.ExpiresAt),
		owner: known.Owner, ownerSince: known.OwnerSince, token: creds.SecretDigest(token),
	}, nil
}

func wrongToken() error {
	return protocol.Errorf(protocol.CodeCredentialsInvalid, "the token is invalid or has expired: get another link")
}

// watchOwner returns the main node that a token or a cookie belongs to.
func (c *call) watchOwner(owner string, since int64, gone func() error) (node *world.Node, err error) {
	err = c.checkFresh(func() error {
		var there bool
		if node, there = c.host.world.WatchOwner(owner, since); !there {
			return gone()
		}
		return nil
	})
	return node, err
}

// tokenLives reports whether the token that a cookie was created from still
// exists. While the store does not answer, its last answer counts.
func (h *Host) tokenLives(ctx context.Context, p *pass) bool {
	known, err := h.world.WatchToken(ctx, p.token)
	return known != nil || err != nil
}

func (c *call) setCookie(p *pass) error {
	key, err := c.host.passKeys.current(c.r.Context(), c.host.world)
	if err != nil {
		return err
	}
	cookie := c.cookieFrame() //nolint:gosec // G124: it is Secure wherever the connection is
	cookie.Value = p.seal(key)
	cookie.MaxAge = max(1, int(p.expires.Sub(c.host.world.Now())/time.Second))
	http.SetCookie(c.w, cookie)
	return nil
}

// takesPass reports whether this route accepts a watch cookie. Credentials sent
// with a cookie take precedence over it.
func (c *call) takesPass() bool {
	h := c.r.Header
	return c.rules.callers&viewers != 0 && h.Get(protocol.HeaderNodeID) == "" && h.Get(protocol.HeaderNodePassw) == ""
}

// authenticateViewer identifies the caller as the viewer of its cookie. shown is
// false if it sent none.
func (c *call) authenticateViewer() (shown bool, err error) {
	if shown, err = c.readPass(); !shown || err != nil {
		return shown, err
	}
	if err := checkWatchOrigin(c); err != nil {
		return true, err
	}
	c.caller = world.Caller{Viewer: c.pass.label()}
	return true, nil
}

// shownPass returns the pass in a request's header, else in its cookie. shown is
// false if there is none.
func (c *call) shownPass() (value string, shown bool) {
	if values := c.r.Header.Values(protocol.HeaderWatchPass); len(values) > 0 {
		return values[0], true
	}
	if cookies := c.r.CookiesNamed(c.cookieFrame().Name); len(cookies) > 0 {
		return cookies[0].Value, true
	}
	return "", false
}

// readPass reads the request's pass into c.pass. It is valid if this world created
// it, it has not expired, its main node exists, and access that was free still is.
func (c *call) readPass() (shown bool, err error) {
	value, shown := c.shownPass()
	if !shown {
		return false, nil
	}
	p, err := c.host.passKeys.open(c.r.Context(), c.host.world, value)
	if err != nil {
		return true, err
	}
	if p == nil || !c.host.world.Now().Before(p.expires) {
		return true, wrongPass()
	}
	if len(c.r.Header.Values(protocol.HeaderWatchPass)) > 0 {
		p.scope = protocol.WatchScopeWatch // Even the value of a cookie does not act as a pass.
	}
	if p.free {
		free := c.host.freeScope(c.r)
		if free == "" {
			return true, wrongPass()
		}
		if free == protocol.WatchScopeWatch {
			p.scope = free
		}
	} else {
		owner, err := c.watchOwner(p.owner, p.ownerSince, wrongPass)
		if err != nil {
			return true, err
		}
		if !c.host.tokenLives(c.r.Context(), p) {
			return true, wrongPass()
		}
		c.passOwner = owner
	}
	c.pass = p
	return true, nil
}

func wrongPass() error {
	return protocol.Errorf(protocol.CodeCredentialsInvalid, "the watch cookie has expired or is not this world's: get another")
}

// passKeys caches the key of cookies, so that it is read from the store once.
type passKeys struct{ key atomic.Pointer[[]byte] }

// current returns the key that is in the store.
func (k *passKeys) current(ctx context.Context, w *world.World) ([]byte, error) {
	secret, err := w.WatchSecret(ctx)
	if err != nil {
		return nil, err
	}
	key, err := passKey(secret)
	if err != nil {
		return nil, err
	}
	k.key.Store(&key)
	return key, nil
}

// open reads a cookie's value; nil if it is not this world's. Before it returns
// nil it reads the store, where another host may have put the secret meanwhile.
func (k *passKeys) open(ctx context.Context, w *world.World, value string) (*pass, error) {
	if key := k.key.Load(); key != nil {
		if p := openPass(*key, value); p != nil {
			return p, nil
		}
	}
	key, err := k.current(ctx, w)
	if err != nil {
		return nil, err
	}
	return openPass(key, value), nil
}
