package host

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// WatchAccess says which access to the watch page needs no token.
type WatchAccess string

// The modes of access to the watch page.
const (
	// WatchLocal gives both scopes freely on a loopback listener, and nothing
	// elsewhere. It is the default.
	WatchLocal WatchAccess = "local"
	// WatchPublic is WatchLocal, with free watching for everybody.
	WatchPublic WatchAccess = "public"
	// WatchToken gives nothing freely.
	WatchToken WatchAccess = "token"
)

// proxyHeaders are the headers that show that a request came through a proxy. A
// client that adds one to its own request only loses free access.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Server", "X-Real-Ip",
}

// watchRules decide who may watch.
type watchRules struct {
	options *Options
	// public is the public URL, nil if there is none, and elsewhere reports whether it
	// does not name loopback.
	public    *url.URL
	elsewhere bool
	origins   *http.CrossOriginProtection
}

// newWatchRules returns the rules of options that were checked.
func newWatchRules(o *Options) (*watchRules, error) {
	rules := &watchRules{options: o, origins: http.NewCrossOriginProtection()}
	if o.PublicURL == "" {
		return rules, nil
	}
	public, err := url.Parse(o.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("the public URL: %w", err)
	}
	rules.public, rules.elsewhere = public, !creds.IsLoopbackName(public.Hostname())
	// A proxy may call the host by another name than pages do.
	if err := rules.origins.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
		return nil, fmt.Errorf("the public URL as an origin: %w", err)
	}
	return rules, nil
}

// checkOrigin returns an error for a request that a browser sent for a page of
// another origin. Reads are checked as well.
func (w *watchRules) checkOrigin(r *http.Request) error {
	asked := *r
	// The library accepts every request with a safe method.
	asked.Method = http.MethodPost
	return w.origins.Check(&asked) //nolint:wrapcheck // The callers wrap it.
}

// checkWatchOrigin refuses a request of a page of another origin with a cookie; a
// page that may embed the town sends its pass in a header.
func checkWatchOrigin(c *call) error {
	if c.fromEmbed() && c.r.Header.Get(protocol.HeaderWatchPass) != "" {
		return nil
	}
	return c.refuseOtherOrigin()
}

func (c *call) refuseOtherOrigin() error {
	if err := c.host.watch.checkOrigin(c.r); err != nil {
		return protocol.WrapError(protocol.CodeForbidden, err, "the request comes from a page of another origin: open the host's own page")
	}
	return nil
}

// checkSite refuses, on a host that checks no credentials, a request that a browser
// sent for a foreign page: one whose name resolves to this host (DNS rebinding), or
// one of another origin that the operator did not list, unless it may embed the
// town, for which authenticate requires a pass. A link to the host's own page has no
// origin and passes.
func (w *watchRules) checkSite(r *http.Request, embedded bool) error {
	if !w.options.NoRepository {
		return nil
	}
	if !w.knows(hostName(r.Host)) {
		return protocol.Errorf(protocol.CodeHostUnknown,
			"this host does not accept the name in the Host header: use its address, or have the operator add the name with --allow-host")
	}
	origin := r.Header.Get("Origin")
	if origin == "" || embedded || slices.Contains(w.options.CORSOrigins, origin) {
		return nil
	}
	if err := w.checkOrigin(r); err != nil {
		return protocol.WrapError(protocol.CodeOriginForbidden, err,
			"the request comes from a page of another origin: open the host's own page, or have the operator add the origin with --cors-origin")
	}
	return nil
}

// knows reports whether a name may refer to this host. Names that anybody can
// register have a dot.
func (w *watchRules) knows(name string) bool {
	if name == "" {
		return false
	}
	_, err := netip.ParseAddr(name)
	o := w.options
	return err == nil || !strings.Contains(name, ".") || slices.Contains(o.WatchNames, name) || slices.Contains(o.AllowHosts, name) ||
		w.public != nil && strings.EqualFold(w.public.Hostname(), name)
}

// freeScope returns the scope that a request gets without a token, empty for none.
// A host that listens on loopback grants it for names of this machine only: a
// foreign page whose name resolves to this host must get nothing (DNS rebinding).
func (h *Host) freeScope(r *http.Request) protocol.WatchScope {
	switch {
	case h.options.WatchAccess == WatchToken:
		return ""
	case h.loopback.Load() && h.watch.isLocal(r):
		return protocol.WatchScopeAct
	case h.options.WatchAccess == WatchPublic:
		return protocol.WatchScopeWatch
	}
	return ""
}

// isLocal reports whether a request to a loopback listener may count as sent from
// this machine. Behind a proxy it may come from anywhere, so if there is a sign of
// one only the names that the operator listed count.
func (w *watchRules) isLocal(r *http.Request) bool {
	name := hostName(r.Host)
	if slices.Contains(w.options.WatchNames, name) {
		return true
	}
	return creds.IsLoopbackName(name) && !w.elsewhere && !isForwarded(r)
}

func isForwarded(r *http.Request) bool {
	return slices.ContainsFunc(proxyHeaders, func(name string) bool { return len(r.Header.Values(name)) > 0 })
}

// hostName returns a Host header without its port, in lower case.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
}

// cookieFrame returns a request's watch cookie without its value. Browsers share
// cookies among the ports of a host, so the port of the page's address is in the
// name.
func (c *call) cookieFrame() *http.Cookie {
	frame := &http.Cookie{Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: c.r.TLS != nil} //nolint:gosec // G124: Secure wherever TLS is
	authority := &url.URL{Host: c.r.Host}
	if public := c.host.watch.public; public != nil {
		authority = public
		frame.Secure = frame.Secure || public.Scheme == "https"
		if public.Path != "" && strings.EqualFold(c.r.Host, public.Host) {
			frame.Path = public.Path + "/"
		}
	}
	frame.Name = c.route.service.WatchCookie()
	if port := authority.Port(); port != "" {
		frame.Name += "_" + port
	}
	if frame.Secure && frame.Path == "/" {
		// Browsers accept a cookie with this prefix only from the host itself (RFC
		// 6265bis, section 4.1.3.2).
		frame.Name = "__Host-" + frame.Name
	}
	return frame
}
