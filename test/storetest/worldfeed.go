package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// RootKey is the root key of the worlds of a WorldFeed.
const RootKey = "8f2e6a5d4c3b2a190817263544536271f0e1d2c3b4a5968778695a4b3c2d1e0f"

// WorldFeed creates the entries of a small real world: rows in canonical form, the
// roots of its player chain, notifies. It panics on an error.
type WorldFeed struct {
	feed   Feed
	tree   *chain.Tree
	header store.Header
	usage  replay.Usage
}

// NewWorldFeed returns a feed for an empty journal and the first entry of its
// world.
func NewWorldFeed(sid string) (*WorldFeed, store.Entry) {
	f := &WorldFeed{header: store.Header{SID: sid, MaxX: 19, MaxY: 11}}
	f.tree = chain.NewTree(chain.GenesisLeaf(RootKey))
	e := f.feed.Next(false, 0)
	e.Header = &f.header
	f.tree = f.tree.Put(f.headerLeaf())
	e = f.sign(e)
	return f, e
}

// Place returns an entry that puts an MCP placement on the map, or changes the
// name of the one with that id.
func (f *WorldFeed) Place(id int, name string) store.Entry {
	row := &protocol.MCP{
		ID: fmt.Sprintf("mcp-%04d", id), NodeID: "node", Name: name,
		X: float64(id % 20), Y: float64(id / 20),
	}
	text, err := chain.AppendOccupant(nil, row)
	must0(err)
	return f.change(protocol.EventMCPRegistered, "mcp", json.RawMessage(text), store.Row{Key: row.StableKey(), JSON: text})
}

// Remove returns an entry that removes a placement from the map.
func (f *WorldFeed) Remove(id int) store.Entry {
	name := fmt.Sprintf("mcp-%04d", id)
	return f.change(protocol.EventMCPUnregistered, "id", name, store.Row{Key: protocol.MCPKey(name)})
}

// Say returns an entry whose event does not change the map, with a record of the
// line and the usage of the root node.
func (f *WorldFeed) Say(text string) store.Entry {
	e := f.feed.Next(false, 1)
	e.Events[0] = event(protocol.EventInteraction, "text", text)
	line := store.Record{Table: store.Interactions, Key: fmt.Appendf(nil, "player\x00%08d", e.Seq), Value: e.Events[0].Data}
	f.usage.Lines++
	f.usage.Bytes += len(line.Key) + len(line.Value)
	e.Records = []store.Record{line, {Table: store.Usage, Key: []byte(RootKey), Value: f.usage.Append(nil)}}
	return f.sign(e)
}

// State returns the checkpoint of the last entry.
func (f *WorldFeed) State() store.State {
	s := f.feed.State()
	s.Root, s.LeafCount, s.Header, s.Rows = f.tree.Root(), uint32(f.tree.Len()), f.header, nil
	for _, leaf := range f.tree.Occupants() {
		s.Rows = append(s.Rows, store.Row{Key: leaf.Key(), JSON: leaf.Payload()})
	}
	return s
}

// Head returns the place of the last entry.
func (f *WorldFeed) Head() store.Place { return f.feed.Head() }

func (f *WorldFeed) change(kind protocol.EventKind, field string, value any, row store.Row) store.Entry {
	e := f.feed.Next(true, 1)
	e.Events[0], e.Rows = event(kind, field, value), []store.Row{row}
	next := f.tree.Remove(row.Key)
	if row.JSON != nil {
		next = f.tree.Put(chain.NewLeaf(row.Key, row.JSON))
	}
	notify, err := json.Marshal(chain.Diff(f.tree, next, protocol.FormatTime(time.UnixMilli(e.At))))
	must0(err)
	e.Notify, f.tree = notify, next
	return f.sign(e)
}

func (f *WorldFeed) sign(e store.Entry) store.Entry {
	e.Root, e.LeafCount = f.tree.Root(), uint32(f.tree.Len())
	return e
}

func (f *WorldFeed) headerLeaf() *chain.Leaf {
	leaf, err := chain.HeaderLeaf(f.header.SID, protocol.Bounds{
		MaxX: float64(f.header.MaxX), MaxY: float64(f.header.MaxY),
	})
	must0(err)
	return leaf
}

func event(kind protocol.EventKind, field string, value any) store.Event {
	data, err := json.Marshal(map[string]any{field: value})
	must0(err)
	return store.Event{Kind: string(kind), Data: data}
}

func must0(err error) {
	if err != nil {
		panic(err)
	}
}
