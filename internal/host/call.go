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

// call is one request on its way through the checks, and what they found.
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
	// bodyRead reports whether nothing more can come of it, and bodyHeld how much of the
	// host's budget it has.
	bodyRead    bool
	bodyHeld    int64
	object      protocol.Object
	queryValues url.Values
	// rpc is the operation's envelope.
	rpc protocol.RPCCall

	caller world.Caller
	// keyDigest is that of the API key that let the caller in; nil for none.
	keyDigest *[32]byte
	// node is the caller's record; nil for callers without one.
	node *world.Node
	// registrant is who a registration shows to be, before there is a node.
	registrant string
	// pass is what the caller's watch cookie says, and passOwner the main node
	// that it belongs to; nil if there is none.
	pass      *pass
	passOwner *world.Node
	sid       string
	// idempotency is nil if no key was sent.
	idempotency *idempotency
	next        action

	// rev is what x-play-rev says where hasRev is set: once the caller is known.
	rev    uint64
	hasRev bool
	// op is the rpc operation's name, for measurements.
	op         string
	controller *http.ResponseController
	// status is that of the reply, 0 until it has started.
	status  int
	written int
	// long is set where the client has to take the reply at a pace, which began then.
	long       bool
	replyBegan time.Time
	// entered is whose requests under way this one counts as, "" for nobody's; leaves
	// are what else ends with the call.
	entered string
	leaves  []func()
	// detached is set where the call goes on when its handler has returned.
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

// run takes the steps until one answers or refuses.
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

// handle is what surrounds every request, whatever its route: its id, its rate
// limit, its error reply, its line in the log and its measurements.
func (h *Host) handle(c *call, run func(*call) error) {
	c.id = h.newRequestID()
	c.peer = h.clientAddress(c.r)
	c.w.Header().Set("X-Request-Id", c.id)
	defer func() { h.finish(c, recover()) }()
	if c.r.ContentLength != 0 {
		// A body that nobody reads ends like one that is read.
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

// control is the reply's controller, made once.
func (c *call) control() *http.ResponseController {
	if c.controller == nil {
		c.controller = http.NewResponseController(c.w)
	}
	return c.controller
}

// newRequestID makes an id that is unique among hosts and cheap: a random part
// for the process and a count.
func (h *Host) newRequestID() string {
	b := make([]byte, 0, 24)
	b = append(b, h.requestPrefix...)
	b = append(b, '-')
	return string(strconv.AppendUint(b, h.requestCount.Add(1), 36))
}

// request is what surrounds the call's command.
func (c *call) request() world.Request {
	req := world.Request{Caller: c.caller, SID: c.sid, APIKeyDigest: c.keyDigest, BodyBytes: len(c.body)}
	if c.idempotency != nil {
		req.Idempotency = c.idempotency.forWorld(c.rules.secret)
	}
	return req
}
