package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// AppendSpace appends the canonical JSON of an entry of `spaces` to dst. It
// fails only on texts that are not UTF-8; dst is then returned as it was.
func AppendSpace(dst []byte, s *protocol.Space) ([]byte, error) {
	e := encoder{out: dst}
	e.open('{')
	if len(s.ActivityObjectIDs) > 0 {
		e.texts("activityObjectIds", s.ActivityObjectIDs)
	}
	e.texts("amenities", s.Amenities)
	e.textMember("description", s.Description)
	e.textMember("designKey", s.DesignKey)
	e.textMember("id", s.ID)
	e.textMember("name", s.Name)
	e.key("owner")
	e.open('{')
	e.textMember("displayName", s.Owner.DisplayName)
	e.optional("nodeId", s.Owner.NodeID)
	e.optional("playerId", s.Owner.PlayerID)
	e.close('}')
	e.close('}')
	if e.err != nil {
		return dst, fmt.Errorf("encode space %.200q: %w", s.StableKey(), e.err)
	}
	return e.out, nil
}

// headerVersion is the `v` of the header's payload.
const headerVersion = 1

// AppendHeader appends the header leaf's payload to dst: the canonical JSON of
// `{ v, sid, bounds }`. It fails on a sid that is not UTF-8 and on bounds that
// are not finite; dst is then returned as it was.
func AppendHeader(dst []byte, sid string, b protocol.Bounds) ([]byte, error) {
	e := encoder{out: dst}
	e.open('{')
	e.key("bounds")
	e.bounds(b)
	e.textMember("sid", sid)
	e.countMember("v", headerVersion)
	e.close('}')
	if e.err != nil {
		return dst, fmt.Errorf("encode the chain header: %w", e.err)
	}
	return e.out, nil
}

// HeaderPayload is AppendHeader for a sid and bounds that the caller made itself
// and knows to be good; it panics on others.
func HeaderPayload(sid string, b protocol.Bounds) []byte {
	payload, err := AppendHeader(nil, sid, b)
	if err != nil {
		panic(err)
	}
	return payload
}

func (e *encoder) bounds(b protocol.Bounds) {
	e.open('{')
	e.numberMember("maxX", b.MaxX)
	e.numberMember("maxY", b.MaxY)
	e.numberMember("minX", b.MinX)
	e.numberMember("minY", b.MinY)
	e.close('}')
}
