package host

import (
	"github.com/playctl/playctl/protocol"
)

// checkSession compares the sid with that of the live session. The engine does
// so again when it carries out a command.
func checkSession(c *call) error {
	if !c.rules.sid {
		return nil
	}
	sid := c.query().Get(protocol.QuerySID)
	if sid == "" {
		return protocol.Errorf(protocol.CodeSIDMissing, "the query parameter sid is needed here: the session route gives it")
	}
	c.sid = sid
	return c.checkFresh(func() error {
		if sid != c.host.world.View().SID {
			return protocol.Errorf(protocol.CodeSIDInvalid, "the sid is not that of the live session: the session route gives it")
		}
		return nil
	})
}

// sendSession answers with the live session.
func sendSession(c *call) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	return c.send(&protocol.SessionReply{SID: v.SID, Rev: &v.Rev, Seq: &v.Seq, Capabilities: protocol.Capabilities()})
}
