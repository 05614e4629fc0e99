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
	hidden := outside && isLoopbackURL(link.url)
	if link.scope == protocol.WatchScopeAct && !hidden {
		return link, nil
	}
	if who.main.IsZero() {
		return a.linkWithoutToken(ctx, who, link, hidden)
	}
	reply, err := c.WatchToken(ctx)
	if err != nil {
		return nil, err
	}
	if hidden {
		if link.url, err = a.outsideURL(ctx, who, reply, link.url); err != nil {
			return nil, err
		}
	}
	link.url += "#token=" + url.QueryEscape(reply.Token.Reveal())
	link.scope, link.token, link.expiresAt = protocol.WatchScopeAct, true, reply.ExpiresAt
	return link, nil
}

// outsideURL is the page's address for other machines, where this one knows the
// host by loopback. The host's word that it listens at all addresses is needed: a
// token must not lead people to another program that has the port elsewhere.
func (a *app) outsideURL(ctx context.Context, who *caller, reply *protocol.WatchTokenReply, local string) (string, error) {
	if !isLoopbackURL(reply.URL) {
		return reply.URL, nil
	}
	if reply.AllAddresses {
		if found := a.lanURL(ctx, who, local); found != "" {
			return found, nil
		}
	}
	return "", errOnlyHere(who.server)
}

// linkWithoutToken is what is left where nobody can make a token. hidden tells
// that the address is of no use to other machines.
func (a *app) linkWithoutToken(ctx context.Context, who *caller, link *watchLink, hidden bool) (*watchLink, error) {
	if hidden {
		// A host that lets this machine act freely listens at loopback only.
		if link.scope == protocol.WatchScopeAct {
			return nil, errOnlyHere(who.server)
		}
		if link.url = a.lanURL(ctx, who, link.url); link.url == "" {
			return nil, errOnlyHere(who.server)
		}
	}
	if link.scope == "" {
		return nil, who.noMain()
	}
	return link, nil
}

func errOnlyHere(server string) error {
	return hintf(fmt.Errorf("%s is this machine's own address, which no other one reaches", server),
		"name the address that others reach with --server, or start the host with --public-url, or with --listen 0.0.0.0:<port>")
}

func isLoopbackURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (addr.IsLoopback() || addr.IsUnspecified())
}
