package host

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// sendSnapshot answers with the whole world, or 304 where the caller has this
// rev of this session already.
func sendSnapshot(c *call) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	tag := entityTag(v)
	c.w.Header()["Etag"] = []string{tag}
	if matchesTag(c.r.Header.Values("If-None-Match"), tag) {
		c.notModified()
		return nil
	}
	c.writeSnapshot(v.Snapshot())
	return nil
}

// planSnapshotReply is the same as an operation, whose payload is {}.
func planSnapshotReply(c *call) (action, error) {
	if _, err := c.payload(); err != nil {
		return nil, err
	}
	return sendSnapshotReply, nil
}

func sendSnapshotReply(c *call) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	c.writeSnapshot(v.SnapshotReply())
	return nil
}

// entityTag names a map. It is weak (RFC 9110, section 8.8.1): two snapshots of
// one rev differ in their seq when something was said in between.
func entityTag(v *world.View) string {
	return `W/"` + v.SID + "." + strconv.FormatUint(v.Rev, 10) + `"`
}

// matchesTag compares weakly, as RFC 9110, section 13.1.2, wants it.
func matchesTag(headers []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, header := range headers {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

func (c *call) notModified() {
	header := c.w.Header()
	header["Cache-Control"] = noStore
	header["X-Play-Rev"] = []string{strconv.FormatUint(c.rev, 10)}
	c.begin(http.StatusNotModified)
}

// viewAt is the view that a read at a rev is answered from: that rev's where it
// is still kept, else the present one.
func (c *call) viewAt(rev *uint64) *world.View {
	v := c.host.world.View()
	if rev != nil {
		v = c.host.world.ViewAt(*rev)
	}
	c.setRev(v.Rev)
	return v
}

func planChainNode(c *call) (action, error) {
	request, err := payloadOf[protocol.ChainNodeRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		v := c.viewAt(request.AtRev)
		node, err := v.Node(request.StableKey)
		if err != nil {
			return err
		}
		return c.send(&protocol.ChainNodeReply{Node: node, Rev: &v.Rev})
	}, nil
}

func planChainNodes(c *call) (action, error) {
	request, err := payloadOf[protocol.ChainNodesRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		v := c.viewAt(request.AtRev)
		nodes := make([]json.RawMessage, len(request.StableKeys))
		for i, key := range request.StableKeys {
			if nodes[i], err = v.Node(key); err != nil {
				return err
			}
		}
		return c.send(&protocol.ChainNodesReply{
			Nodes: nodes, Rev: v.Rev, MerkleRootHex: v.Tree.Root().String(), MerkleLeafCount: v.Tree.Len(),
		})
	}, nil
}

func planChainProof(c *call) (action, error) {
	request, err := payloadOf[protocol.ChainProofRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		v := c.viewAt(nil)
		proof, there := v.Tree.Proof(request.StableKey)
		if !there {
			return protocol.Errorf(protocol.CodeNotFound, "there is no leaf with this stable key now")
		}
		node, err := v.Node(request.StableKey)
		if err != nil {
			return err
		}
		reply := &protocol.ChainProofReply{
			Node: node, LeafIndex: proof.LeafIndex, LeafDigestHex: proof.LeafDigestHex.String(),
			MerkleRootHex: proof.MerkleRootHex.String(), MerkleLeafCount: proof.MerkleLeafCount, Rev: v.Rev,
		}
		for _, s := range proof.Path {
			reply.Path = append(reply.Path, protocol.ProofStep{Side: s.Side, Hex: s.Hex.String()})
		}
		return c.send(reply)
	}, nil
}

// interactionsReply is protocol.InteractionsReply with lines as they are kept,
// so that a page is not decoded only to be encoded again.
type interactionsReply struct {
	Interactions protocol.List[json.RawMessage] `json:"interactions"`
	HasMore      bool                           `json:"hasMore"`
}

// journeysReply is protocol.JourneysReply likewise.
type journeysReply struct {
	Journeys protocol.List[json.RawMessage] `json:"journeys"`
	HasMore  bool                           `json:"hasMore"`
}

func planListInteractions(c *call) (action, error) {
	request, err := payloadOf[protocol.ListRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		lines, more, err := c.host.world.Interactions(c.r.Context(), request)
		if err != nil {
			return err
		}
		return c.send(&interactionsReply{Interactions: lines, HasMore: more})
	}, nil
}

func planListJourneys(c *call) (action, error) {
	request, err := payloadOf[protocol.ListRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		journeys, more, err := c.host.world.Journeys(c.r.Context(), request)
		if err != nil {
			return err
		}
		return c.send(&journeysReply{Journeys: journeys, HasMore: more})
	}, nil
}
