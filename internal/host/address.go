package host

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress is the address that a request came from. What a proxy says
// counts only where the operator trusts the proxy: the list of X-Forwarded-For
// is read from its end, and the first address that is no trusted proxy is the
// client. The zero Addr is one that cannot be told.
func (h *Host) clientAddress(r *http.Request) netip.Addr {
	addr := parseAddress(r.RemoteAddr)
	if !h.trusts(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next := parseAddress(strings.TrimSpace(hop))
		if !next.IsValid() {
			break
		}
		addr = next
		if !h.trusts(addr) {
			break
		}
	}
	return addr
}

func (h *Host) trusts(addr netip.Addr) bool {
	for _, p := range h.options.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// parseAddress reads an address with or without a port.
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
