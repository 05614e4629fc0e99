package host

import (
	"context"
	"strconv"
	"time"

	"github.com/playctl/playctl/protocol"
)

// maxRevWait is how long a request waits for the rev that it asks for.
const maxRevWait = time.Second

// awaitRev holds a request with x-play-min-rev back until the host has that
// rev, so that a caller reads here what it wrote at another host. It comes
// before the sid is compared: the session may have changed with that rev.
func awaitRev(c *call) error {
	c.setRev(c.host.world.View().Rev)
	text := c.r.Header.Get(protocol.HeaderMinRev)
	if text == "" {
		return nil
	}
	rev, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return &protocol.Error{
			Code: protocol.CodeBodyInvalid, Field: protocol.HeaderMinRev,
			Message: "the header " + protocol.HeaderMinRev + " must be a rev: a whole number from 0",
		}
	}
	if c.rev >= rev {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), maxRevWait)
	defer cancel()
	// A store that does not answer leaves the wait as it is: the follower may
	// still hear of the rev.
	_ = c.host.world.Refresh(ctx)
	err = c.host.world.WaitRev(ctx, rev)
	c.setRev(c.host.world.View().Rev)
	if err != nil && c.r.Context().Err() == nil {
		e := protocol.WrapError(protocol.CodeBehind, err, "this host has not seen the rev that was asked for yet")
		e.RetryAfter = time.Second
		return e
	}
	return err
}
