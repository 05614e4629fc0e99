package host

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// sendEventList answers with a page of the log.
func sendEventList(c *call, request protocol.ListEventsRequest) error {
	parts, err := c.readPage(func(ctx context.Context) ([][]byte, error) {
		page, err := c.host.world.ListEvents(ctx, c.caller, request.AfterSeq, request.Limit, func(e *world.Event) int {
			if request.Brief {
				return briefBytes
			}
			data := e.InlineData()
			return briefBytes + len(data[0]) + len(data[1])
		})
		if err != nil {
			return nil, err
		}
		return listedEvents(page, request.Brief), nil
	})
	if err != nil {
		return err
	}
	c.writeList(parts)
	return nil
}

// listedEvents is a page of the log as JSON, in parts.
func listedEvents(page world.EventPage, brief bool) [][]byte {
	parts := append(make([][]byte, 0, 5*len(page.Events)+2), []byte(`{"events":[`))
	for i, e := range page.Events {
		if i > 0 {
			parts = append(parts, comma)
		}
		parts = append(parts, listedEvent(e, brief)...)
	}
	return append(parts, fmt.Appendf(nil, `],"afterSeq":%d,"lastSeq":%d,"hasMore":%t}`, page.After, page.Last, page.HasMore))
}

// listedEvent is a protocol.ListedEvent as JSON, in parts that are written one after
// the other. Its data is shared with the stream and must not be modified.
func listedEvent(e *world.Event, brief bool) [][]byte {
	head := fmt.Appendf(nil, `{"seq":%d,"rev":%d,"event":%q,"at":%q`, e.Seq, e.Rev, e.Kind, protocol.FormatTime(time.UnixMilli(e.At)))
	if !brief {
		data := e.InlineData()
		return [][]byte{append(head, `,"data":`...), data[0], data[1], data[2], closingBrace}
	}
	if who, err := json.Marshal(protocol.Subject(e.Data)); err == nil && len(who) > len(`""`) {
		head = append(append(head, `,"playerId":`...), who...)
	}
	return [][]byte{append(head, '}')}
}

var closingBrace = []byte("}")

// briefBytes is the greatest length of an event in a brief list: its names and
// numbers and an id of protocol.MaxIDChars characters.
const briefBytes = 192 + 4*protocol.MaxIDChars

// sendSnapshotAt answers with the map at an earlier rev.
func sendSnapshotAt(c *call, request protocol.SnapshotAtRequest) error {
	v, err := c.pastView(world.PastRead{Rev: *request.Rev, UpTo: true})
	if err != nil {
		return err
	}
	c.setRev(v.Rev)
	c.writeSnapshot(v.SnapshotReply())
	return nil
}

// pastView returns a view of an earlier rev. If it is not in memory, it is replayed in the
// caller's turn.
func (c *call) pastView(r world.PastRead) (*world.View, error) {
	v := c.host.world.Past(r)
	if v != nil {
		return v, nil
	}
	err := c.inTurn(c.host.replaying, func() (err error) {
		v, err = c.host.world.Replay(c.r.Context(), r)
		return err
	})
	return v, err
}
