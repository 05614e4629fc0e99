package world

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// View is the world at one moment. It is immutable and shared: reading it never
// waits for the writer.
type View struct {
	replay.Map

	// snapshotLength is the length of the snapshot, once it was requested.
	snapshotLength atomic.Int64
	// dropped is set once the rev is no longer in memory.
	dropped atomic.Bool
	// agentCounts are the counts of agents, once they were requested.
	agentCounts atomic.Pointer[protocol.AgentCounts]
}

// SnapshotJSON is the JSON of a view's snapshot, or of a reply that contains it.
type SnapshotJSON struct {
	// Hold, if set, reports whether its reader may hold that many unshared bytes. If
	// not, a slow reader gets smaller chunks.
	Hold func(bytes int) bool

	view *View
	// reply is set for a reply with the snapshot as its only field.
	reply bool
}

// Snapshot is the snapshot's JSON.
func (v *View) Snapshot() SnapshotJSON { return SnapshotJSON{view: v} }

// SnapshotReply is the reply of getWorldSnapshot, {"snapshot": …}.
func (v *View) SnapshotReply() SnapshotJSON { return SnapshotJSON{view: v, reply: true} }

// replyHead is the beginning of a reply, before the snapshot; after it is one brace.
const replyHead = `{"snapshot":`

// Len is how many bytes it has.
func (s *SnapshotJSON) Len() int {
	n := int(s.view.snapshotLength.Load())
	if n == 0 {
		plain := s.view.Snapshot()
		for part := range plain.Parts() {
			n += len(part)
		}
		s.view.snapshotLength.Store(int64(n))
	}
	if s.reply {
		n += len(replyHead) + len(closingBrace)
	}
	return n
}

// Parts are what it consists of, each one row or less. A part must not be modified, and is
// valid until the next.
func (s *SnapshotJSON) Parts() iter.Seq[[]byte] {
	v := s.view
	body, err := chain.SnapshotBody(v.Bounds, v.Tree)
	if err != nil {
		panic("world: a snapshot of plain bounds has no JSON: " + err.Error())
	}
	return func(yield func([]byte) bool) {
		var head []byte
		if s.reply {
			head = []byte(replyHead)
		}
		if !yield(chain.AppendSnapshotHead(head, chain.Head{SID: v.SID, MainNodeID: v.RootKey, Rev: &v.Rev, Seq: &v.Seq})) {
			return
		}
		for part := range body {
			if !yield(part) {
				return
			}
		}
		if s.reply {
			yield(closingBrace)
		}
	}
}

// ErrDropped is the error of a snapshot that was not written to its end because its
// rev is no longer in memory.
var ErrDropped = errors.New("the rev of the snapshot is no longer in memory")

// How much of a snapshot is written at a time: the second size where there is no room
// for the first.
const (
	chunkBytes      = 64 << 10
	smallChunkBytes = 4 << 10
)

var chunkWriters = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, chunkBytes) }}

// WriteTo implements io.WriterTo. While w blocks, it holds one chunk and the rows of
// its rev. If those are no longer in memory otherwise, they count as bytes that the reader holds,
// and WriteTo fails with ErrDropped if it may not.
func (s *SnapshotJSON) WriteTo(w io.Writer) (int64, error) {
	var chunks *bufio.Writer
	if s.Hold == nil || s.Hold(chunkBytes) {
		chunks = chunkWriters.Get().(*bufio.Writer)
		defer chunkWriters.Put(chunks)
		chunks.Reset(w)
		defer chunks.Reset(nil)
	} else {
		chunks = bufio.NewWriterSize(w, smallChunkBytes)
	}
	n, alone := 0, false
	for part := range s.Parts() {
		if !alone && s.view.dropped.Load() {
			if alone = s.Hold != nil && s.Hold(s.Len()-n); !alone {
				return int64(n), ErrDropped
			}
		}
		more, err := chunks.Write(part)
		if n += more; err != nil {
			return int64(n), err
		}
	}
	return int64(n), chunks.Flush()
}

// AppendNode appends the chain node of a stable key as JSON to parts that are written
// one after the other. The row among them belongs to the view and must not be modified.
// A key that is not on the map is a removed node; a key that can never be on it is
// refused with stable_key_unknown.
func (v *View) AppendNode(parts [][]byte, stableKey string) ([][]byte, error) {
	if protocol.NodeKindOf(stableKey) == "" {
		return nil, protocol.Errorf(protocol.CodeStableKeyUnknown, "the stable key has an unknown kind")
	}
	n, err := v.Tree.Node(stableKey)
	if err != nil {
		return nil, refusal(fmt.Errorf("find the node of %s: %w", stableKey, err))
	}
	row := n.Occupant
	if n.Kind == protocol.NodeSpace {
		row = n.Space
	}
	n.Occupant, n.Space = nil, nil
	head := appendNode(make([]byte, 0, len(stableKey)+64), &n)
	if len(row) == 0 {
		return append(parts, head), nil
	}
	head = append(append(append(head[:len(head)-1], `,"`...), n.Kind...), `":`...)
	return append(parts, head, row, closingBrace), nil
}

var closingBrace = []byte("}")
