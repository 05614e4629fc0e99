package host

import (
	"bufio"
	"bytes"
	"net/http"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// sendNodes lists the caller's account, or every node if the administrator
// requests all of them.
func sendNodes(c *call) error {
	all := c.query().Get(protocol.QueryAll) == "true"
	if all != c.caller.Admin {
		return protocol.Errorf(protocol.CodeForbidden,
			"a main node can list only its own nodes, and the administrator only all of them, with ?all=true")
	}
	if all {
		c.list((*listing).everything)
		return nil
	}
	c.list(func(l *listing) {
		own := l.registry.Agents(c.caller.NodeID)
		l.text(`{"genesisNodeId":`)
		l.value(l.root)
		l.text(`,"mainNode":`)
		l.main(l.mainRecord(c.node), own)
		l.text(`,"agentNodes":[`)
		l.agents(own)
		l.text("]}")
	})
	return nil
}

// sendAgents lists the caller's agents.
func sendAgents(c *call) error {
	c.list(func(l *listing) {
		l.text(`{"agents":[`)
		l.agents(l.registry.Agents(c.caller.NodeID))
		l.text("]}")
	})
	return nil
}

// listing is a list of nodes that is encoded while the client reads it: a client
// that does not read costs a buffer and the list of nodes, but none of their
// records.
type listing struct {
	out      *bufio.Writer
	call     *call
	registry *world.Registry
	root     string
	// labels reports whether the request asks for labels.
	labels bool
	// gone is set when the client no longer reads the reply.
	gone bool
}

// list answers 200 with a list of nodes. One that fits the buffer has its length in
// the headers.
func (c *call) list(write func(*listing)) {
	out := replyBuffers.Get().(*bufio.Writer) //nolint:forcetypeassert // The pool holds nothing else.
	out.Reset(lateReply{c})
	write(&listing{
		out: out, call: c, registry: c.host.world.Registry(), root: c.host.world.View().RootKey,
		labels: c.query().Get(protocol.QueryLabels) == "true",
	})
	if c.status == 0 {
		c.beginJSON(http.StatusOK, out.Buffered())
	}
	_ = out.Flush() // a client that is gone
	out.Reset(nil)
	replyBuffers.Put(out)
}

// lateReply begins a reply of unknown length with its first bytes.
type lateReply struct{ call *call }

// Write implements io.Writer.
func (w lateReply) Write(b []byte) (int, error) {
	if w.call.status == 0 {
		w.call.beginJSON(http.StatusOK, unknownLength)
	}
	return w.call.Write(b)
}

func (l *listing) bytes(b []byte) {
	_, err := l.out.Write(b)
	l.gone = err != nil
}

func (l *listing) text(s string) { l.bytes([]byte(s)) }

func (l *listing) value(v any) { l.bytes(encode(v)) }

// items writes the items of an array, except those whose record is nil.
func items[T any](l *listing, of []T, record func(T) []byte) {
	some := false
	for _, one := range of {
		if l.gone {
			return
		}
		if b := record(one); b != nil {
			if some {
				l.bytes(comma)
			}
			l.bytes(b)
			some = true
		}
	}
}

// everything writes all nodes, with the usage of accounts where it is requested.
func (l *listing) everything() {
	l.text(`{"genesisNodeId":`)
	l.value(l.root)
	l.text(`,"mainNodes":[`)
	l.mains(l.registry.All(protocol.NodeKindMain))
	l.text(`],"agentNodes":[`)
	l.agents(l.registry.All(protocol.NodeKindAgent))
	l.text(`],"spaceNodes":[`)
	items(l, l.registry.All(protocol.NodeKindSpace), func(n *world.Node) []byte {
		return encode(&protocol.SpaceNodeRecord{
			NodeID: n.ID, Kind: n.Kind, ParentNodeID: n.Parent, SpaceID: n.SpaceID, CreatedAt: formatMillis(n.CreatedAt),
		})
	})
	l.text("]}")
}

// usagePage is how many accounts' usage is read from the writer at a time.
const usagePage = 1000

func (l *listing) mains(all []*world.Node) {
	asked := l.call.query().Get(protocol.QueryUsage) == "true"
	names := l.call.query().Get(protocol.QueryAgentBytes) == "true"
	var usage map[string]world.Amounts
	known := asked
	for i, n := range all {
		if l.gone {
			return
		}
		if known && i%usagePage == 0 {
			// Usage is read from the writer, and left out once the store does not answer.
			usage, known = l.usage(all[i:min(i+usagePage, len(all))])
		}
		if i > 0 {
			l.bytes(comma)
		}
		r := l.mainRecord(n)
		if asked && len(n.Limits) > 0 {
			r.Limits = n.OwnLimits()
		}
		if known {
			used := usage[n.ID]
			r.Usage = used.Wire()
			if names {
				r.Usage.AgentBytes = new(uint64(used[world.AgentBytes]))
			}
		}
		l.main(r, l.registry.Agents(n.ID))
	}
}

func (l *listing) usage(of []*world.Node) (usage map[string]world.Amounts, known bool) {
	ids := make([]string, len(of))
	for i, n := range of {
		ids[i] = n.ID
	}
	usage, err := l.call.host.world.Usage(l.call.r.Context(), ids...)
	return usage, err == nil
}

func (l *listing) mainRecord(n *world.Node) *protocol.MainNodeRecord {
	r := &protocol.MainNodeRecord{NodeID: n.ID, Kind: n.Kind, ParentNodeID: l.root, CreatedAt: formatMillis(n.CreatedAt)}
	if l.labels {
		r.Label = n.Label
	}
	return r
}

// main writes the record of a main node with its agents.
func (l *listing) main(r *protocol.MainNodeRecord, own []*world.Node) {
	const list = `"agentNodeIds":[`
	// No text of a record can contain this marker: quotes in texts are escaped.
	head, tail, _ := bytes.Cut(encode(r), []byte(list))
	l.bytes(head)
	l.text(list)
	items(l, own, func(a *world.Node) []byte { return encode(a.ID) })
	l.bytes(tail)
}

// agents writes the records of agents, which all readers share, with labels
// inserted.
func (l *listing) agents(own []*world.Node) {
	items(l, own, func(n *world.Node) []byte {
		record := l.registry.Record(n.ID, encodeAgentRecord)
		if record == nil || !l.labels || n.Label == "" {
			return record
		}
		// The label's place is before the last two fields, whose texts are times.
		at := bytes.LastIndex(record, []byte(`,"createdAt":`))
		return slices.Concat(record[:at], []byte(`,"label":`), encode(n.Label), record[at:])
	})
}

// encodeAgentRecord encodes an agent node with its aggregate, without its label.
func encodeAgentRecord(n *world.Node, a *world.Aggregate) []byte {
	r := protocol.AgentRecord{
		AgentID: n.ID, CreatedAt: formatMillis(n.CreatedAt), UpdatedAt: formatMillis(n.UpdatedAt),
	}
	if a != nil {
		r.Name, r.ToolNames = a.Name, a.ToolNames
		r.ZoneCount, r.YieldCount, r.Flagged = a.ZoneCount, a.YieldCount, a.Flagged()
		r.UpdatedAt = formatMillis(max(a.UpdatedAt, n.UpdatedAt))
	}
	return encode(&r)
}

func formatMillis(ms int64) string { return protocol.FormatTime(time.UnixMilli(ms)) }
