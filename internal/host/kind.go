package host

import (
	"github.com/playctl/playctl/protocol"
)

// kind is what kind of caller this is. Without a repository everybody who is
// not the administrator is taken for whatever the route needs.
func (c *call) kind() callers {
	switch {
	case c.caller.Admin:
		return admins
	case c.pass != nil && c.pass.scope == protocol.WatchScopeAct:
		return actors
	case c.pass != nil:
		return watchers
	case c.host.options.NoRepository:
		return nodes
	case c.node == nil:
		return 0
	case c.node.Kind == protocol.NodeKindMain:
		return mains
	case c.node.Kind == protocol.NodeKindAgent:
		return agents
	}
	return spaces
}

// checkKind refuses a caller whose kind has no business on the route. It comes
// after the body's checks, as all of ownership does.
func checkKind(c *call) error {
	if c.registrant != "" {
		// Nobody in particular: what proves the caller is in the body.
		return nil
	}
	if c.kind()&c.rules.callers == 0 {
		return protocol.Errorf(protocol.CodeForbidden, "only %s may do this", c.rules.callers)
	}
	return nil
}
