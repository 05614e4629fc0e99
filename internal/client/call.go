package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/playctl/playctl/protocol"
)

// The size limits of replies.
const (
	// smallReply is for replies with a few fields.
	smallReply = 1 << 20
	// largeReply is for snapshots, listings and batches of nodes. A row with its tools
	// and its last journey can have half a megabyte.
	largeReply = 128 << 20
	// errorReply is the part of an error reply that is read; a proxy's page is cut
	// there.
	errorReply = 64 << 10
)

// repeat says when a call whose outcome is unknown may be repeated.
type repeat int

const (
	// repeatRead: always, it changes nothing.
	repeatRead repeat = iota
	// repeatSame: always, a repeat has no further effect.
	repeatSame
	// repeatKeyed: if the host keeps idempotency keys.
	repeatKeyed
)

// call is one call of a route.
type call struct {
	method string
	path   string
	query  url.Values
	// body is encoded as JSON; nil sends none.
	body any
	// header is sent in addition to the usual ones.
	header http.Header
	// registers says that the route takes a registration token.
	registers bool
	// sid says that the route needs the session.
	sid bool
	// again says when to repeat. In any case a write carries an idempotency key unless
	// it is keyless.
	again repeat
	// keyless marks a write without an idempotency key.
	keyless bool
	// limit is the largest reply; smallReply if 0.
	limit int64
	// world says that the reply is about the current world: it must include the writes
	// of this client, even if another host answers.
	world bool
	// minRev requests an answer from at least that rev.
	minRev uint64
	// gone says that a repeat answered by 401 is a success: the first attempt
	// deleted the caller.
	gone bool
	// accept lists statuses besides 2xx whose body is the reply.
	accept []int
}

func (k *call) route() string { return k.method + " " + k.path }

func (k *call) write() bool { return k.again != repeatRead }

// reply is an answer whose body was read.
type reply struct {
	status int
	header http.Header
	body   []byte
	rev    uint64
}

// prepared is a call with the parts that stay the same in all its attempts.
type prepared struct {
	*call
	payload []byte
	key     string
}

func prepare(k *call) (*prepared, error) {
	p := &prepared{call: k}
	if k.body != nil {
		payload, err := json.Marshal(k.body)
		if err != nil {
			return nil, fmt.Errorf("encode the body of %s: %w", k.route(), err)
		}
		p.payload = payload
	}
	if k.write() && !k.keyless {
		p.key = rand.Text()
	}
	return p, nil
}

// do makes a call: it fetches the session if the route needs one, repeats the call
// if allowed, uses another API key if the host refuses the first, and returns the
// first final answer.
func (c *Client) do(ctx context.Context, k *call) (*reply, error) {
	p, err := prepare(k)
	if err != nil {
		return nil, err
	}
	tries := tries{client: c, call: p}
	for {
		sid := ""
		if k.sid {
			if sid, err = c.SID(ctx); err != nil {
				return nil, err
			}
		}
		tries.shown = c.who.apiKey.current()
		r, err := c.attempt(ctx, p, sid)
		if err == nil {
			return r, nil
		}
		done, err := tries.failed(ctx, sid, err)
		if err != nil {
			return nil, c.foreign(c.lacking(k, err))
		}
		if done {
			return &reply{status: http.StatusOK, header: http.Header{}, body: []byte(`{"ok":true}`)}, nil
		}
	}
}

// decode makes a call and decodes its reply.
func decode[T any](ctx context.Context, c *Client, k *call) (*T, error) {
	return parsed(ctx, c, k, unpack[T])
}

// parsed makes a call and parses its reply with the given function.
func parsed[T any](ctx context.Context, c *Client, k *call, parse func([]byte) (T, error)) (T, error) {
	var none T
	r, err := c.do(ctx, k)
	if err != nil {
		return none, err
	}
	v, err := parse(r.body)
	if err != nil {
		return none, unusable(k, err)
	}
	return v, nil
}

// unusable returns the error for an answer that cannot be used.
func unusable(k *call, err error) error { return &ReplyError{Route: k.route(), Err: err} }

// attempt sends a call once and reads the answer.
func (c *Client) attempt(ctx context.Context, p *prepared, sid string) (*reply, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.request(limited, p, sid)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, c.ended(ctx, maySent(err))
		}
		return nil, c.unreachable(err, maySent(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.TLS != nil {
		c.shown.Store(resp.TLS)
	}
	r, err := c.read(resp, p)
	if err != nil && ctx.Err() != nil && errors.Is(err, ErrUnreachable) {
		return nil, c.ended(ctx, true)
	}
	return r, err
}

func (c *Client) request(ctx context.Context, p *prepared, sid string) (*http.Request, error) {
	query := url.Values{}
	maps.Copy(query, p.query)
	if sid != "" {
		query.Set(protocol.QuerySID, sid)
	}
	req, err := http.NewRequestWithContext(ctx, p.method, c.url(p.path, query), bytes.NewReader(p.payload))
	if err != nil {
		return nil, fmt.Errorf("make the request %s: %w", p.route(), err)
	}
	if p.payload == nil {
		req.Body, req.GetBody, req.ContentLength = http.NoBody, nil, 0
	} else {
		req.Header.Set("Content-Type", protocol.MediaTypeJSON)
	}
	req.Header.Set("Accept", protocol.MediaTypeJSON)
	req.Header.Set("User-Agent", c.agent)
	maps.Copy(req.Header, p.header)
	if p.key != "" && c.keepsKeys() {
		req.Header.Set(protocol.HeaderIdempotencyKey, p.key)
	}
	rev := p.minRev
	if p.world {
		rev = max(rev, c.session.minRev())
	}
	if rev > 0 {
		req.Header.Set(protocol.HeaderMinRev, strconv.FormatUint(rev, 10))
	}
	c.who.show(req.Header, p.registers)
	return req, nil
}

// keepsKeys is false for a host that is known to keep no idempotency keys. It must
// not get any: net/http retries a request that has one automatically.
func (c *Client) keepsKeys() bool {
	has, known := c.session.has(protocol.CapIdempotency)
	return has || !known
}

// read reads an answer within its limit; a refusal is returned as an error.
func (c *Client) read(resp *http.Response, p *prepared) (*reply, error) {
	good := resp.StatusCode/100 == 2 || slices.Contains(p.accept, resp.StatusCode)
	limit := p.limit
	switch {
	case !good:
		limit = errorReply
	case limit == 0:
		limit = smallReply
	}
	body, whole, err := readBody(resp.Body, limit)
	if err != nil {
		return nil, c.unreachable(err, true)
	}
	rev := parseRev(resp.Header.Get(protocol.HeaderRev))
	if p.write() {
		// A refusal counts as well: a read at another host must include the state that
		// the write was refused for.
		c.session.wrote(rev)
	}
	switch {
	case isRedirect(resp.StatusCode):
		return nil, unusable(p.call, redirected(resp))
	case !good:
		refused := c.refusal(resp.StatusCode, resp.Header, body)
		if p.path == protocol.PathReady {
			c.readProbe(refused, resp.Header, body)
		}
		return nil, refused
	case !whole:
		return nil, unusable(p.call, fmt.Errorf("the reply exceeds %d bytes", limit))
	}
	if p.write() {
		if hosts := parseHosts(resp.Header.Get(protocol.HeaderUnconfirmed)); hosts > 0 && c.unconfirmed != nil {
			c.unconfirmed(hosts)
		}
	}
	return &reply{status: resp.StatusCode, header: resp.Header, body: body, rev: rev}, nil
}

// parseRev parses a rev in a header; 0 if there is none or it is not exact.
func parseRev(text string) uint64 {
	rev, err := strconv.ParseUint(text, 10, 64)
	if err != nil || rev > protocol.MaxSafeInteger {
		return 0
	}
	return rev
}

// parseHosts parses a number of hosts in a header; 0 if there is none.
func parseHosts(text string) int {
	const most = 1 << 16
	hosts, err := strconv.Atoi(text)
	if err != nil || hosts < 0 || hosts > most {
		return 0
	}
	return hosts
}

// unpack decodes a reply.
func unpack[T any](body []byte) (*T, error) {
	v := new(T)
	if err := protocol.Decode(body, v); err != nil {
		return nil, decodeFault(err)
	}
	return v, nil
}

// decodeFault says where a reply differs from the route's type. The decoder's own
// errors repeat values, and a value of a reply may be a secret.
func decodeFault(err error) error {
	if wrong, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		return fmt.Errorf("the value at %q has the wrong type or form", string(wrong.JSONPointer))
	}
	if broken, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("it is not valid JSON at byte %d", broken.ByteOffset)
	}
	return errors.New("it is not the JSON that the route returns")
}
