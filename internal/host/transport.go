package host

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/playctl/playctl/internal/host/openapi"
	"github.com/playctl/playctl/protocol"
)

// newHandler routes requests to the lines of the table. It serves health and
// metrics as well unless they have a listener of their own.
func (h *Host) newHandler() http.Handler {
	mux := http.NewServeMux()
	methods, embed := map[string][]string{}, map[string]bool{}
	for _, rt := range h.mounted() {
		mux.Handle(rt.method+" "+rt.path, h.serve(&rt))
		methods[rt.path] = append(methods[rt.path], rt.method)
		embed[rt.path] = embed[rt.path] || rt.embed
	}
	for p, allowed := range methods {
		mux.Handle(p, h.otherMethod(p, allowed, embed[p]))
	}
	if h.options.OpsAddress == "" {
		h.addOps(mux)
	}
	notFound := h.notFound()
	mux.Handle("/", notFound)
	return secured(&h.options, func(w http.ResponseWriter, r *http.Request) {
		// The mux would redirect a path that is not clean; a refusal is better for a
		// program that sent a body there.
		if h.leadsToPage(r) && h.watch.checkSite(r, false) == nil {
			// Relative, so that it holds below a proxy's own path.
			w.Header().Set("Location", "../watch")
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		if p := r.URL.Path; p != "/" && path.Clean(p) != p {
			notFound.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// hsts makes a browser use TLS only, for a year (RFC 6797).
const hsts = "max-age=31536000"

// secured adds the security headers to every reply, and closes a connection on which a
// proxy may see different requests than this host.
func secured(o *Options, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
			// A request may have had a Content-Length as well, which net/http removed: a proxy
			// that relied on it takes the following bytes for another request (RFC 9112,
			// section 6.3).
			w.Header().Set("Connection", "close")
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if o.HSTS && r.TLS != nil {
			w.Header().Set("Strict-Transport-Security", hsts)
		}
		next(w, r)
	})
}

// otherMethod answers requests to a path with a method that the path does not have.
func (h *Host) otherMethod(p string, allowed []string, embed bool) http.Handler {
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	rt := &route{path: p, embed: embed}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.handle(h.newCall(w, r, rt), func(c *call) error {
			if c.preflight(allow) {
				return nil
			}
			c.w.Header().Set("Allow", allow)
			return protocol.Errorf(protocol.CodeMethodNotAllowed, "this path accepts %s", allow)
		})
	})
}

// notFound answers every path that is not a route. All share one name in the
// metrics, so that clients cannot create names there.
func (h *Host) notFound() http.Handler {
	rt := &route{path: "other"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.handle(h.newCall(w, r, rt), func(*call) error {
			return protocol.Errorf(protocol.CodeNotFound, "there is no such route")
		})
	})
}

// leadsToPage reports whether a request is for the watch page with a slash too
// many, as people type it.
func (h *Host) leadsToPage(r *http.Request) bool {
	trimmed, had := strings.CutSuffix(r.URL.Path, "/")
	return had && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		(trimmed == h.service.Watch() || h.options.Compat == CompatAgentPlay && trimmed == protocol.ServiceAgentPlay.Watch())
}

// clientAddress is the address that a request came from. A proxy's header counts
// only if the operator trusts the proxy: the list of X-Forwarded-For is read from
// its end, and the first address that is not a trusted proxy is the client. If
// that address cannot be parsed, the request shares the limits of one unknown
// address with all such requests.
func (h *Host) clientAddress(r *http.Request) netip.Addr {
	addr := parseAddress(r.RemoteAddr)
	if !h.options.trusts(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if addr = parseAddress(strings.TrimSpace(hop)); !addr.IsValid() {
			return unreadable
		}
		if !h.options.trusts(addr) {
			break
		}
	}
	return addr
}

// unreadable stands for every address that cannot be parsed.
var unreadable = netip.IPv6Unspecified()

func (o *Options) trusts(addr netip.Addr) bool {
	for _, p := range o.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// parseAddress parses an address with or without a port.
func parseAddress(text string) netip.Addr {
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

// The headers that pages of listed origins may send and read beyond those that
// browsers always allow. Cookies are not allowed: the watch page has the host's
// own origin.
const (
	corsRequestHeaders = "authorization, content-type, idempotency-key, if-none-match, last-event-id, x-api-key, x-invitation-digest, " +
		"x-node-id, x-node-passw, x-play-min-rev, x-registration-token"
	corsReplyHeaders = "etag, retry-after, x-play-rev, x-play-unconfirmed-hosts, x-request-id"
	// corsMaxAge is how long, in seconds, a browser may remember a preflight.
	corsMaxAge = "600"
)

// allowOrigin lets a page of a listed origin read the reply. Other pages get no
// such header, whatever they send.
func (h *Host) allowOrigin(c *call) {
	if len(h.options.CORSOrigins) == 0 && (!c.route.embed || len(h.options.WatchEmbed) == 0) {
		return
	}
	header := c.w.Header()
	header.Add("Vary", "Origin")
	shown := embedReplyHeaders
	origin := c.r.Header.Get("Origin")
	if slices.Contains(h.options.CORSOrigins, origin) {
		shown = corsReplyHeaders
	} else if !c.fromEmbed() {
		return
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", shown)
}

// preflight answers a browser's preflight request for a page of a listed origin.
func (c *call) preflight(methods string) bool {
	header := c.w.Header()
	if c.r.Method != http.MethodOptions || header.Get("Access-Control-Allow-Origin") == "" ||
		c.r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", methods)
	sent := corsRequestHeaders
	if c.needsPass() {
		sent = embedRequestHeaders
	} else if c.fromEmbed() {
		sent += ", " + protocol.HeaderWatchPass
	}
	header.Set("Access-Control-Allow-Headers", sent)
	header.Set("Access-Control-Max-Age", corsMaxAge)
	c.begin(http.StatusNoContent)
	return true
}

// certificate is the TLS certificate in use. It can be replaced while the host
// serves.
type certificate struct {
	certFile, keyFile string
	current           atomic.Pointer[tls.Certificate]
}

// loadCertificate reads the files that the options name; it returns nil if they name none.
func loadCertificate(certFile, keyFile string) (*certificate, error) {
	if certFile == "" {
		return nil, nil //nolint:nilnil // There is no TLS.
	}
	c := &certificate{certFile: certFile, keyFile: keyFile}
	if err := c.load(); err != nil {
		return nil, err
	}
	return c, nil
}

// load reads the files and uses them from now on if key and certificate match.
func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the TLS certificate %s with the key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current.Store(&pair)
	return nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current.Load(), nil
		},
	}
}

// openapiAnswer sends the document that describes all other routes. It is the same
// for every caller, so it requires no credentials.
func openapiAnswer() answer {
	document := encodedFile("openapi.json", func() ([]byte, error) { return openapi.JSON(), nil })
	return answer{order: []step{func(c *call) error {
		// The document is part of the program, so reading it cannot fail.
		e := c.fileFor(document)
		if e.zipped {
			c.w.Header()["Content-Encoding"] = gzipped
		}
		c.write(http.StatusOK, e.body)
		return nil
	}}}
}
