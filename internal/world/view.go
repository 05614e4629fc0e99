package world

import (
	"bytes"
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

	body *snapshotBody
	// head is the beginning of the reply with the snapshot, once it was requested.
	head atomic.Pointer[[]byte]
}

// replyHead is the beginning of a reply, before the head of a snapshot.
const replyHead = `{"snapshot":`

// SnapshotJSON is the JSON of a view's snapshot, or of a reply that contains it.
type SnapshotJSON struct {
	// Hold, if set, reports whether its reader may hold that many unshared bytes. If
	// not, a slow reader gets smaller chunks.
	Hold func(bytes int) bool

	view *View
	head []byte
	body int
}

// Snapshot is the snapshot's JSON.
func (v *View) Snapshot() SnapshotJSON { return v.snapshot(len(replyHead), 1) }

// SnapshotReply is the reply of getWorldSnapshot, {"snapshot": …}.
func (v *View) SnapshotReply() SnapshotJSON { return v.snapshot(0, 0) }

// snapshot is the JSON without the first bytes of the head and the last of the body.
func (v *View) snapshot(first, last int) SnapshotJSON {
	head := v.head.Load()
	if head == nil {
		text := chain.AppendSnapshotHead([]byte(replyHead), chain.Head{
			SID: v.SID, MainNodeID: v.RootKey, Rev: &v.Rev, Seq: &v.Seq,
		})
		head = &text
		v.head.Store(head)
	}
	return SnapshotJSON{view: v, head: (*head)[first:], body: v.body.load(v) - last}
}

// Len is how many bytes it has.
func (s *SnapshotJSON) Len() int { return len(s.head) + s.body }

// ErrDropped is the error of a snapshot that was not written to its end because its
// rev is no longer kept.
var ErrDropped = errors.New("the rev of the snapshot is not kept any more")

// WriteTo implements io.WriterTo. While w blocks, it holds one chunk and the rows of
// its rev. It fails with ErrDropped if those are no longer kept.
func (s *SnapshotJSON) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(s.head)
	for i := 0; err == nil && n < s.Len(); i++ {
		chunk := s.view.body.chunk(i)
		if chunk == nil {
			return s.writeRest(w, n)
		}
		var more int
		more, err = w.Write(s.cut(chunk, n))
		n += more
	}
	return int64(n), err
}

// writeRest continues after n bytes where no chunks are kept.
func (s *SnapshotJSON) writeRest(w io.Writer, n int) (int64, error) {
	size := chunkBytes
	if s.Hold != nil && !s.Hold(size) {
		size = smallChunkBytes
	}
	for chunk := range chunked(s.view.bodyParts(), n-len(s.head), size) {
		if s.view.body.dropped.Load() {
			return int64(n), ErrDropped
		}
		more, err := w.Write(s.cut(chunk, n))
		if n += more; err != nil {
			return int64(n), err
		}
	}
	return int64(n), nil
}

// cut removes the bytes of a chunk after the end.
func (s *SnapshotJSON) cut(chunk []byte, n int) []byte { return chunk[:min(len(chunk), s.Len()-n)] }

// bodyParts are the parts of the snapshot's body. It ends with one brace more than
// the snapshot, for the reply that has the snapshot as its only field: a separate
// write would cost a packet.
func (v *View) bodyParts() iter.Seq[[]byte] {
	parts, err := chain.SnapshotBody(v.Bounds, v.Tree)
	if err != nil {
		panic("world: a snapshot of plain bounds has no JSON: " + err.Error())
	}
	return func(yield func([]byte) bool) {
		for part := range parts {
			if !yield(part) {
				return
			}
		}
		yield(closingBrace)
	}
}

// snapshotBody is the part of a snapshot that depends on the rev alone. A short one is
// encoded when the first reader asks and shared by all views of that rev until it is no
// longer the newest. Of a long one, and of a past rev, each reader encodes one chunk
// after the other, so that a slow one keeps one.
type snapshotBody struct {
	encoding sync.Mutex
	length   atomic.Int64
	chunks   atomic.Pointer[[][]byte]
	gzipped  atomic.Pointer[compressedBody]
	zstd     atomic.Pointer[compressedBody]
	past     atomic.Bool
	// dropped is set once the budget for past revs has no room for the rev.
	dropped atomic.Bool
}

// maxShared is the greatest length of a body that readers share. Copying a longer one
// takes each reader a twentieth of the time that writing it takes, and keeping it would
// leave as much garbage at every change of the map.
const maxShared = 256 << 10

// load returns the body's length, and encodes the body if readers share it and that was
// not done yet.
func (b *snapshotBody) load(v *View) int {
	if n := b.length.Load(); n > 0 {
		return int(n)
	}
	b.encoding.Lock()
	defer b.encoding.Unlock()
	if n := b.length.Load(); n > 0 {
		return int(n)
	}
	length := 0
	for part := range v.bodyParts() {
		length += len(part)
	}
	if length <= maxShared && !b.past.Load() {
		chunks := make([][]byte, 0, (length+chunkBytes-1)/chunkBytes)
		for chunk := range chunked(v.bodyParts(), 0, chunkBytes) {
			chunks = append(chunks, bytes.Clone(chunk))
		}
		if b.chunks.Store(&chunks); b.past.Load() {
			b.chunks.Store(nil)
		}
	}
	b.length.Store(int64(length))
	return length
}

// chunk returns a chunk, nil if they are not kept.
func (b *snapshotBody) chunk(i int) []byte {
	if chunks := b.chunks.Load(); chunks != nil {
		return (*chunks)[i]
	}
	return nil
}

// release frees the chunks of a rev that is past.
func (b *snapshotBody) release() {
	b.past.Store(true)
	b.chunks.Store(nil)
	b.gzipped.Store(nil)
	b.zstd.Store(nil)
}

// How much of a snapshot is encoded, and written, at a time: the second size where
// there is no room for the first.
const (
	chunkBytes      = 64 << 10
	smallChunkBytes = 4 << 10
)

var chunkBuffers = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

// chunked copies parts, without the first bytes, into chunks of a size that are each
// valid until the next.
func chunked(parts iter.Seq[[]byte], skip, size int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var buf []byte
		if size == chunkBytes {
			pooled := chunkBuffers.Get().(*[chunkBytes]byte)
			defer chunkBuffers.Put(pooled)
			buf = pooled[:]
		} else {
			buf = make([]byte, size)
		}
		n := 0
		for part := range parts {
			if skip >= len(part) {
				skip -= len(part)
				continue
			}
			part, skip = part[skip:], 0
			for n+len(part) >= size {
				part = part[copy(buf[n:], part):]
				if n = 0; !yield(buf) {
					return
				}
			}
			n += copy(buf[n:], part)
		}
		if n > 0 {
			yield(buf[:n])
		}
	}
}

// AppendNode appends the chain node of a stable key as JSON to parts that are written
// one after the other. The row among them belongs to the view and must not be modified.
// A key that is not on the map is a removed node; a key that can never be on it is
// refused with stable_key_unknown.
func (v *View) AppendNode(parts [][]byte, stableKey string) ([][]byte, error) {
	if protocol.NodeKindOf(stableKey) == "" {
		return nil, protocol.Errorf(protocol.CodeStableKeyUnknown, "the stable key is of no kind that a map has")
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
