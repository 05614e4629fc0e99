package sdk

import (
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

// A reply that arrives after the agent was registered again is about a row that may be gone: it
// settles nothing.
func TestLateReplySettlesNothing(t *testing.T) {
	t.Parallel()
	for _, late := range []error{nil, protocol.Errorf(protocol.CodeLeaseUnknown, "unknown"), protocol.Errorf(protocol.CodeBodyInvalid, "no")} {
		now := time.Unix(1000, 0)
		pace := activityPace{newest: protocol.RecordActivityRequest{State: protocol.ActivityDone}}
		sent := pace.begin(now)
		pace.registered()
		pace.ended(now, sent, late)
		if at, due := pace.due(); !due || at.After(now) {
			t.Errorf("%v: due %v at %v", late, due, at)
		}
	}
}
