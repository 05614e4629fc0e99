package creds

import "net/netip"

// IsLoopbackName reports whether a host name or an IP address, without a port,
// refers to this machine only: credentials that are sent there do not cross a
// network. The name must be in lower case; otherwise the result is false. The
// unspecified address is not loopback: a listener there is reachable from elsewhere.
func IsLoopbackName(name string) bool {
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && addr.IsLoopback()
}
