package world

import (
	"fmt"
	"sync"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// View is the world at one moment. It is immutable and shared: reading it never
// waits for the writer.
type View struct {
	replay.Map

	body *snapshotBody
}

// snapshotBody is the part of a snapshot that depends on the rev alone, encoded
// when the first reader asks and shared by all views of that rev.
type snapshotBody struct {
	once sync.Once
	// json ends with one brace more than the snapshot has: that of the reply
	// which it is the one field of.
	json []byte
}

// Snapshot returns the snapshot's JSON in two parts to be written one after the
// other: the second, large one is shared by all readers of a rev and must not
// be changed.
func (v *View) Snapshot() (head, body []byte) {
	head, body = v.parts("")
	return head, body[:len(body)-1]
}

// SnapshotReply returns the reply of getWorldSnapshot, {"snapshot": …}, in two
// parts as Snapshot does. Its closing brace is in the shared part: written alone
// it would cost a packet.
func (v *View) SnapshotReply() (head, body []byte) { return v.parts(`{"snapshot":`) }

func (v *View) parts(before string) (head, body []byte) {
	v.body.once.Do(func() {
		var err error
		if v.body.json, err = chain.AppendSnapshotBody(nil, v.Bounds, v.Tree); err != nil {
			panic("world: a snapshot of plain bounds has no JSON: " + err.Error())
		}
		v.body.json = append(v.body.json, '}')
	})
	head = chain.AppendSnapshotHead([]byte(before), chain.Head{
		SID: v.SID, MainNodeID: v.RootKey, Rev: &v.Rev, Seq: &v.Seq,
	})
	return head, v.body.json
}

// Find returns an occupant's or a space's canonical JSON, nil if the key is not
// on the map.
func (v *View) Find(stableKey string) []byte {
	if _, leaf := v.Tree.Find(stableKey); leaf != nil {
		return leaf.Payload()
	}
	return nil
}

// Node returns the chain node of a stable key as JSON. A key that is not on the
// map is a removed node; one that can never be is refused with
// stable_key_unknown.
func (v *View) Node(stableKey string) ([]byte, error) {
	if protocol.NodeKindOf(stableKey) == "" {
		return nil, protocol.Errorf(protocol.CodeStableKeyUnknown, "the stable key is of no kind that a map has")
	}
	n, err := v.Tree.Node(stableKey)
	if err != nil {
		return nil, refusal(fmt.Errorf("find the node of %s: %w", stableKey, err))
	}
	return appendNode(nil, &n), nil
}
