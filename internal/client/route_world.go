package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/playctl/playctl/protocol"
)

// Session fetches the world's session and the host's capabilities; later calls use
// that session.
func (c *Client) Session(ctx context.Context) (*protocol.SessionReply, error) {
	k := &call{method: http.MethodGet, path: c.service.Session()}
	r, err := decode[protocol.SessionReply](ctx, c, k)
	if err != nil {
		return nil, err
	}
	if r.SID == "" {
		return nil, &ReplyError{Route: k.route(), Err: errors.New("it has no session: is this the address of a playctl host?")}
	}
	c.session.adopt(r.SID, r.Capabilities)
	return r, nil
}

// ResetSession starts a new session, as the administrator.
func (c *Client) ResetSession(ctx context.Context) (*protocol.ResetReply, error) {
	sid, err := c.SID(ctx)
	if err != nil {
		return nil, err
	}
	r, err := decode[protocol.ResetReply](ctx, c, c.keyedWrite(c.service.Reset(), struct{}{}))
	if err == nil {
		c.session.forget(sid)
	}
	return r, err
}

// Register puts an agent on the map or updates its row.
func (c *Client) Register(ctx context.Context, r *protocol.RegisterRequest) (*protocol.RegisterReply, error) {
	if c.service != protocol.ServicePlay {
		// Hosts of the agent-play service read the credentials from the body.
		shown := *r
		shown.APIKey, shown.PasswHash = c.who.apiKey.current().Wire(), c.who.node.Hash.Wire()
		r = &shown
	}
	return decode[protocol.RegisterReply](ctx, c, c.sameWrite(c.service.Players(), r))
}

// Heartbeat renews an agent's lease.
func (c *Client) Heartbeat(ctx context.Context, r protocol.HeartbeatRequest) (*protocol.HeartbeatReply, error) {
	k := c.sameWrite(c.service.Heartbeat(), r)
	k.keyless = true
	return decode[protocol.HeartbeatReply](ctx, c, k)
}

// Disconnect removes an agent from the map.
func (c *Client) Disconnect(ctx context.Context, r protocol.DisconnectRequest) (*protocol.OKReply, error) {
	return decode[protocol.OKReply](ctx, c, c.sameWrite(c.service.Disconnect(), r))
}

// RegisterMCP puts an MCP placement of the calling main node on the map, or changes
// the one of that name.
func (c *Client) RegisterMCP(ctx context.Context, r protocol.MCPRegisterRequest) (*protocol.IDReply, error) {
	return decode[protocol.IDReply](ctx, c, c.sameWrite(c.service.MCPRegister(), r))
}

// UnregisterMCP removes an MCP placement from the map. OK is false if there is none
// with that id.
func (c *Client) UnregisterMCP(ctx context.Context, id string) (*protocol.OKReply, error) {
	// A repeat without key would not find it.
	return decode[protocol.OKReply](ctx, c, c.keyedWrite(c.service.MCPUnregister(), protocol.MCPUnregisterRequest{ID: id}))
}

// RemoveOccupant removes any occupant from the map, as the administrator. OK is
// false if no row has that key.
func (c *Client) RemoveOccupant(ctx context.Context, stableKey string) (*protocol.OKReply, error) {
	return decode[protocol.OKReply](ctx, c,
		c.keyedWrite(c.service.RemoveOccupant(), protocol.RemoveOccupantRequest{StableKey: stableKey}))
}

// sameWrite returns a write of the world whose repeat has no further effect.
func (c *Client) sameWrite(path string, body any) *call {
	return &call{method: http.MethodPost, path: path, body: body, sid: true, again: repeatSame}
}

// keyedWrite returns a write of the world that is committed once for each
// idempotency key.
func (c *Client) keyedWrite(path string, body any) *call {
	return &call{method: http.MethodPost, path: path, body: body, sid: true, again: repeatKeyed}
}

// WatchURL returns the address of the host's watch page, as this client reaches it.
func (c *Client) WatchURL() string { return c.base.String() + c.service.Watch() }

// WatchScope returns the scope that the watch page grants a caller without a token;
// it stores no cookie. The refusal of a host that grants none is an error like any
// other.
func (c *Client) WatchScope(ctx context.Context) (protocol.WatchScope, error) {
	r, err := decode[protocol.WatchSessionReply](ctx, c, &call{
		method: http.MethodPost, path: c.service.WatchSession(), body: protocol.WatchSessionRequest{}, again: repeatSame, keyless: true,
	})
	if err != nil {
		return "", err
	}
	return r.Scope, nil
}

// WatchToken creates a token for a link to the watch page, as a main node.
func (c *Client) WatchToken(ctx context.Context) (*protocol.WatchTokenReply, error) {
	return decode[protocol.WatchTokenReply](ctx, c, c.keyedWrite(c.service.WatchToken(), struct{}{}))
}

// WatchTokens lists the calling main node's tokens for the watch page.
func (c *Client) WatchTokens(ctx context.Context) (*protocol.WatchTokensReply, error) {
	return decode[protocol.WatchTokensReply](ctx, c, &call{method: http.MethodGet, path: c.service.WatchToken()})
}

// RevokeWatchToken revokes one of them, with the cookies that were created from it.
// OK is false if there is none with that id.
func (c *Client) RevokeWatchToken(ctx context.Context, id string) (*protocol.OKReply, error) {
	return decode[protocol.OKReply](ctx, c, &call{
		method: http.MethodDelete, path: c.service.WatchToken(), query: url.Values{protocol.QueryID: {id}}, sid: true, again: repeatKeyed,
	})
}

// Ready checks once whether the host serves and its store answers; nil if so.
func (c *Client) Ready(ctx context.Context) error {
	_, err := c.attempt(ctx, &prepared{call: &call{method: http.MethodGet, path: protocol.PathReady}}, "")
	return err
}

// Metrics reads the host's metrics in Prometheus' text format.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) {
	r, err := c.do(ctx, &call{
		method: http.MethodGet, path: protocol.PathMetrics, limit: largeReply,
		header: http.Header{"Accept": {"text/plain"}},
	})
	if err != nil {
		return nil, err
	}
	return r.body, nil
}

// backupSilence is how long a host may be silent during a backup, while it reads
// its store.
const backupSilence = 2 * time.Minute

var errBackupSilent = fmt.Errorf("the host sent no backup data for %v", backupSilence)

// Backup writes a backup of the host's world to a writer, as the administrator. It
// is not retried. It may take any time, but it ends if the host sends nothing for 2
// minutes. It writes at most limit bytes and one more, and then fails with ErrTooLarge; 0
// is no limit. With damaged it is one of what can be read of a damaged store. Only the
// checksum of the backup shows whether it is complete.
func (c *Client) Backup(ctx context.Context, to io.Writer, limit int64, damaged bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(backupSilence, func() { cancel(errBackupSilent) })
	defer silence.Stop()
	p := &prepared{call: &call{
		method: http.MethodGet, path: protocol.PathBackup, header: http.Header{"Accept": {protocol.MediaTypeBackup}},
	}}
	if damaged {
		p.call.query = url.Values{protocol.QueryDamaged: {"true"}}
	}
	req, err := c.request(ctx, p, "")
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(causeOr(ctx, errBackupSilent, err), maySent(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		if _, err := c.read(resp, p); err != nil {
			return err
		}
		return &ReplyError{Route: p.route(), Err: fmt.Errorf("it has the status %d", resp.StatusCode)}
	}
	var from io.Reader = &timedReader{resp.Body, silence, backupSilence}
	if limit > 0 {
		from = io.LimitReader(from, limit+1)
	}
	sent, err := io.Copy(to, from)
	if err != nil {
		return fmt.Errorf("the backup was interrupted: %w", causeOr(ctx, errBackupSilent, err))
	}
	if limit > 0 && sent > limit {
		return fmt.Errorf("the backup of %s: %w of %d MiB", c.base, ErrTooLarge, limit>>20)
	}
	return nil
}
