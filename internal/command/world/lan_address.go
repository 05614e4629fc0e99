package world

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// lanProbeTime limits how long one of this machine's addresses may take to answer.
const lanProbeTime = 5 * time.Second

// outwardTarget is in a network that nobody uses (RFC 5737) and stands for any address
// outside this machine. No packet is sent to it.
const outwardTarget = "198.51.100.1:9"

// lanURL replaces the loopback address in the URL of a page by one of this machine's
// network addresses at which a host answers; "" if there is none. It sends no credentials
// and no token.
func lanURL(ctx context.Context, caller *command.Caller, page string) string {
	for _, addr := range lanAddresses(ctx) {
		there, ok := withAddress(caller.Server, addr)
		if !ok || !answers(ctx, there, caller.Service) {
			continue
		}
		if moved, ok := withAddress(page, addr); ok {
			return moved
		}
	}
	return ""
}

// withAddress replaces the host name in a URL by an address.
func withAddress(text string, addr netip.Addr) (string, bool) {
	u, err := url.Parse(text)
	if err != nil {
		return "", false
	}
	u.Host = strings.TrimSuffix(net.JoinHostPort(addr.String(), u.Port()), ":")
	return u.String(), true
}

// answers reports whether a host with a watch page answers at an address. Any reply of
// the protocol about the page will do.
func answers(ctx context.Context, server string, service protocol.Service) bool {
	c, err := client.New(client.Options{BaseURL: server, Service: service, Timeout: lanProbeTime, Retry: retry.Policy{Attempts: 1}})
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = c.WatchScope(ctx)
	return err == nil || protocol.CodeOf(err) == protocol.CodeCredentialsMissing
}

// lanAddresses returns the addresses at which other machines may reach this one, the most
// likely one first: the one from which it connects to other machines.
func lanAddresses(ctx context.Context) []netip.Addr {
	var all []netip.Addr
	var dialer net.Dialer
	if conn, err := dialer.DialContext(ctx, "udp", outwardTarget); err == nil {
		if addr, ok := conn.LocalAddr().(*net.UDPAddr); ok {
			all = append(all, addr.AddrPort().Addr().Unmap())
		}
		_ = conn.Close()
	}
	networks, _ := net.InterfaceAddrs() // without them, only the address of the dialed connection is known
	var four, six []netip.Addr
	for _, network := range networks {
		prefix, err := netip.ParsePrefix(network.String())
		switch addr := prefix.Addr().Unmap(); {
		case err != nil:
		case addr.Is4():
			four = append(four, addr)
		default:
			six = append(six, addr)
		}
	}
	seen := map[netip.Addr]bool{}
	return slices.DeleteFunc(slices.Concat(all, four, six), func(addr netip.Addr) bool {
		out := seen[addr] || !addr.IsGlobalUnicast()
		seen[addr] = true
		return out
	})
}
