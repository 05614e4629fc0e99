package host

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// matchesTag compares weakly, as RFC 9110, section 13.1.2, requires.
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

// viewAt returns the view that answers a read at a rev: the view of that rev if it
// is still kept, else the present one.
func (c *call) viewAt(rev *uint64) (*world.View, error) {
	v, err := c.host.world.View(), error(nil)
	if rev != nil {
		v, err = c.pastView(world.PastRead{Rev: *rev})
	}
	if err == nil {
		c.setRev(v.Rev)
	}
	return v, err
}

var nodeReply = []byte(`{"node":`)

func sendChainNode(c *call, request protocol.ChainNodeRequest) error {
	v, err := c.viewAt(request.AtRev)
	if err != nil {
		return err
	}
	parts, err := v.AppendNode(append(make([][]byte, 0, 5), nodeReply), request.StableKey)
	if err != nil {
		return err
	}
	end := append(make([]byte, 0, 32), `,"rev":`...)
	end = append(strconv.AppendUint(end, v.Rev, 10), '}')
	c.writeParts(append(parts, end))
	return nil
}

func sendChainNodes(c *call, request protocol.ChainNodesRequest) error {
	v, err := c.viewAt(request.AtRev)
	if err != nil {
		return err
	}
	parts := append(make([][]byte, 0, 4*len(request.StableKeys)+2), []byte(`{"nodes":[`))
	for i, key := range request.StableKeys {
		if i > 0 {
			parts = append(parts, comma)
		}
		if parts, err = v.AppendNode(parts, key); err != nil {
			return err
		}
	}
	c.writeParts(append(parts, fmt.Appendf(nil, `],"rev":%d,"merkleRootHex":"%s","merkleLeafCount":%d}`, v.Rev, v.Tree.Root(), v.Tree.Len())))
	return nil
}

func sendChainProof(c *call, request protocol.ChainProofRequest) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	proof, there := v.Tree.Proof(request.StableKey)
	if !there {
		return protocol.Errorf(protocol.CodeNotFound, "there is no leaf with this stable key now")
	}
	parts, err := v.AppendNode(append(make([][]byte, 0, 5), nodeReply), request.StableKey)
	if err != nil {
		return err
	}
	reply := &protocol.ChainProofReply{
		LeafIndex: proof.LeafIndex, LeafDigestHex: proof.LeafDigestHex.String(),
		MerkleRootHex: proof.MerkleRootHex.String(), MerkleLeafCount: proof.MerkleLeafCount, Rev: v.Rev,
	}
	for _, s := range proof.Path {
		reply.Path = append(reply.Path, protocol.ProofStep{Side: s.Side, Hex: s.Hex.String()})
	}
	// The node is the first field of the reply, and is written from the view.
	rest := bytes.TrimPrefix(encode(reply), slices.Concat(nodeReply, []byte("null")))
	c.writeParts(append(parts, rest))
	return nil
}

// sendInteractions answers with a page of chat lines.
func sendInteractions(c *call, request protocol.ListRequest) error {
	return c.sendRecords("interactions", request, c.host.world.Interactions)
}

// sendJourneys answers with a page of the journeys.
func sendJourneys(c *call, request protocol.ListRequest) error {
	return c.sendRecords("journeys", request, c.host.world.Journeys)
}

// sendRecords answers with a page of records in their stored form, without decoding
// and encoding them again.
func (c *call) sendRecords(
	name string, request protocol.ListRequest,
	read func(context.Context, protocol.ListRequest) (world.HistoryPage, error),
) error {
	parts, err := c.readPage(func(ctx context.Context) ([][]byte, error) {
		page, err := read(ctx, request)
		parts := append(make([][]byte, 0, 2*len(page.Records)+2), []byte(`{"`+name+`":[`))
		end := fmt.Appendf(nil, `],"hasMore":%t`, page.HasMore)
		if len(page.Damaged) > 0 {
			end = append(append(end, `,"damaged":`...), encode(page.Damaged)...)
		}
		return append(appendItems(parts, page.Records), append(end, '}')), err
	})
	if err != nil {
		return err
	}
	c.writeList(parts)
	return nil
}
