package host

import (
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// call is one request with the results of the checks that it has passed.
type call struct {
	host  *Host
	w     http.ResponseWriter
	r     *http.Request
	route *route
	// rules are the route's, or the operation's once it is known.
	rules *rules
	id    string
	began time.Time
	peer  netip.Addr

	body []byte
	// bodyRead reports whether the body was read to its end, and bodyHeld is how much of
	// the host's budget it holds.
	bodyRead    bool
	bodyHeld    int64
	object      protocol.Object
	queryValues url.Values
	// rpc is the operation's envelope.
	rpc protocol.RPCCall

	caller world.Caller
	// keyDigest is the digest of the API key that authenticated the caller; nil for none.
	keyDigest *[32]byte
	// node is the caller's record; nil for callers without one.
	node *world.Node
	// registrant identifies the caller of a registration, before there is a node.
	registrant string
	// pass is the content of the caller's watch cookie, and passOwner the main node
	// that it belongs to; nil if there is none.
	pass      *pass
	passOwner *world.Node
	sid       string
	// idempotency is nil if no key was sent.
	idempotency *idempotency
	next        action

	// rev is the value of x-play-rev where hasRev is set: once the caller is known.
	rev    uint64
	hasRev bool
	// op is the name of the rpc operation, for metrics.
	op         string
	controller *http.ResponseController
	// status is the reply's status, 0 until the reply has started.
	status  int
	written int
	// long is set where the client has to read the reply at a minimum pace, from the moment
	// when that began.
	long       bool
	replyBegan time.Time
	// entered is the caller whose limit this request counts toward, "" for none;
	// leaves are called when the call ends.
	entered string
	leaves  []func()
	// detached is set where the call continues after its handler has returned.
	detached bool
}

// serve is the handler of a route.
func (h *Host) serve(rt *route) http.HandlerFunc {
	if rt.order == nil {
		rt.order = usualOrder()
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if !h.world.SoleHost() {
			r = r.WithContext(h.world.WithStoreWait(r.Context()))
		}
		h.handle(h.newCall(w, r, rt), (*call).run)
	}
}

func (h *Host) newCall(w http.ResponseWriter, r *http.Request, rt *route) *call {
	return &call{host: h, w: w, r: r, route: rt, rules: &rt.rules, began: time.Now()}
}

// run runs the steps until one of them answers or refuses the request.
func (c *call) run() error {
	for _, s := range c.route.order {
		if err := s(c); err != nil {
			return err
		}
		if c.status != 0 {
			return nil
		}
	}
	return nil
}

// handle does what every request needs, whatever its route: its id, its rate
// limit, its error reply, its line in the log and its metrics.
func (h *Host) handle(c *call, run func(*call) error) {
	c.id = h.newRequestID()
	c.peer = h.clientAddress(c.r)
	c.w.Header().Set("X-Request-Id", c.id)
	defer func() { h.finish(c, recover()) }()
	if c.r.ContentLength != 0 {
		// A body that no handler reads has the same deadline as one that is read.
		_ = c.control().SetReadDeadline(c.began.Add(bodyWindow))
	}
	h.allowOrigin(c)
	err := checkConnection(c)
	if err == nil {
		err = h.checkRate(c)
	}
	if err == nil {
		err = h.watch.checkSite(c.r, c.fromEmbed())
	}
	if err == nil {
		err = run(c)
	}
	if err != nil {
		c.refuse(err)
	}
}

// control returns the reply's controller, created once.
func (c *call) control() *http.ResponseController {
	if c.controller == nil {
		c.controller = http.NewResponseController(c.w)
	}
	return c.controller
}

// newRequestID returns an id that is unique among hosts and cheap to create: a
// random part for the process and a counter.
func (h *Host) newRequestID() string {
	b := make([]byte, 0, 24)
	b = append(b, h.requestPrefix...)
	b = append(b, '-')
	return string(strconv.AppendUint(b, h.requestCount.Add(1), 36))
}

// request returns the request that carries the call's command to the engine.
func (c *call) request() world.Request {
	req := world.Request{Caller: c.caller, SID: c.sid, APIKeyDigest: c.keyDigest, BodyBytes: len(c.body)}
	if c.idempotency != nil {
		req.Idempotency = c.idempotency.forWorld(c.rules.secret)
	}
	return req
}
