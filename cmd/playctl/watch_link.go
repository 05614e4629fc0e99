package main

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// watchLink is the address of the watch page, for a person.
type watchLink struct {
	// url has the token in its fragment where there is one.
	url string
	// scope is what the link is good for.
	scope protocol.WatchScope
	// token tells that there is one, which ends at expiresAt.
	token     bool
	expiresAt string
}

// link finds out what the host gives freely, and makes a token where that is not
// everything and there is a main node to make one as. outside asks for an
// address that other machines reach.
func (a *app) link(ctx context.Context, who *caller, c *client.Client, outside bool) (*watchLink, error) {
	link := &watchLink{url: c.WatchURL()}
	scope, err := c.WatchScope(ctx)
	switch code := protocol.CodeOf(err); {
	case err == nil:
		link.scope = scope
	case code != protocol.CodeCredentialsMissing && code != protocol.CodeForbidden:
		return nil, err
	}
	local := isLoopbackURL(link.url)
	if link.scope == protocol.WatchScopeAct && (!outside || !local) {
		return link, nil
	}
	if who.main.IsZero() {
		return a.linkWithoutToken(who, link, outside && local)
	}
	reply, err := c.WatchToken(ctx)
	if err != nil {
		return nil, err
	}
	if outside && local {
		if link.url = reply.URL; isLoopbackURL(link.url) {
			return nil, errOnlyHere(who.server)
		}
	}
	link.url += "#token=" + url.QueryEscape(reply.Token.Reveal())
	link.scope, link.token, link.expiresAt = protocol.WatchScopeAct, true, reply.ExpiresAt
	return link, nil
}

// linkWithoutToken is what is left where nobody can make a token.
func (a *app) linkWithoutToken(who *caller, link *watchLink, onlyHere bool) (*watchLink, error) {
	switch {
	case onlyHere:
		return nil, errOnlyHere(who.server)
	case link.scope == "":
		return nil, who.noMain()
	}
	return link, nil
}

func errOnlyHere(server string) error {
	return hintf(fmt.Errorf("%s is this machine's own address, which no other one reaches", server),
		"name the address that others reach with --server, or start the host with --public-url")
}

func isLoopbackURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (addr.IsLoopback() || addr.IsUnspecified())
}
