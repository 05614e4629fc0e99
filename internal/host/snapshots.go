package host

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

const (
	// minZipped is the least length at which compressing a snapshot saves a packet, and
	// maxZipped the greatest that is compressed: longer ones take too long.
	minZipped = 2 << 10
	maxZipped = 1 << 20
	// maxShared is the greatest length of an uncompressed snapshot that readers share.
	// Copying a longer one takes each reader a twentieth of the time that writing it
	// takes, and keeping it would leave as much garbage at every change of the map.
	maxShared = 256 << 10
)

// viewReply is a reply with the snapshot of a view.
type viewReply struct {
	sid      string
	rev, seq uint64
	zipped   bool
	// body is nil if the snapshot is too long for a shared one.
	body []byte
}

// latestReply is the reply with the newest snapshot, plain or in gzip, that the readers of
// a route share. It is encoded when the first of them asks.
type latestReply struct {
	zipped bool
	// encoding is held while a reader encodes.
	encoding sync.Mutex
	reply    atomic.Pointer[viewReply]
}

// of returns the reply with the snapshot of a view or of a newer one. Readers that wait
// while another encodes share the reply with the view that is the newest afterwards: each
// waits for two encodings at most.
func (l *latestReply) of(v *world.View, newest func() *world.View, text func(*world.View) world.SnapshotJSON) *viewReply {
	isNew := func(r *viewReply) bool { return r != nil && r.sid == v.SID && r.rev >= v.Rev && r.seq >= v.Seq }
	if r := l.reply.Load(); isNew(r) {
		return r
	}
	l.encoding.Lock()
	defer l.encoding.Unlock()
	if r := l.reply.Load(); isNew(r) {
		return r
	}
	v = newest()
	r := &viewReply{sid: v.SID, rev: v.Rev, seq: v.Seq}
	snapshot := text(v)
	switch {
	case l.zipped && compressible(snapshot.Len()):
		r.zipped, r.body = true, compress(snapshot.Parts())
	case !l.zipped && snapshot.Len() <= maxShared:
		r.body = make([]byte, 0, snapshot.Len())
		for part := range snapshot.Parts() {
			r.body = append(r.body, part...)
		}
	}
	l.reply.Store(r)
	return r
}

func compressible(length int) bool { return length >= minZipped && length <= maxZipped }

// latestReplies are those of one route.
type latestReplies struct {
	newest        func() *world.View
	text          func(*world.View) world.SnapshotJSON
	plain, zipped latestReply
}

func newLatestReplies(w *world.World, text func(*world.View) world.SnapshotJSON) *latestReplies {
	return &latestReplies{newest: w.View, text: text, zipped: latestReply{zipped: true}}
}

// of returns the reply for a reader: in gzip if the reader accepts that and the length is
// right for it.
func (l *latestReplies) of(v *world.View, zip bool) *viewReply {
	if zip {
		if r := l.zipped.of(v, l.newest, l.text); r.body != nil {
			return r
		}
	}
	return l.plain.of(v, l.newest, l.text)
}

// sendSnapshot answers with the whole world, or 304 where the caller has this
// rev of this session already.
func sendSnapshot(c *call) error {
	v := c.host.world.View()
	zip := c.acceptsGzip()
	if asked := c.r.Header.Values("If-None-Match"); len(asked) > 0 {
		if matchesTag(asked, entityTag(v.SID, v.Rev, false)) || matchesTag(asked, entityTag(v.SID, v.Rev, true)) {
			snapshot := v.Snapshot()
			c.setRev(v.Rev)
			c.w.Header()["Etag"] = []string{entityTag(v.SID, v.Rev, zip && compressible(snapshot.Len()))}
			c.notModified()
			return nil
		}
	}
	c.writeLatest(c.host.snapshots, v, zip, true)
	return nil
}

// sendSnapshotReply is sendSnapshot as an operation.
func sendSnapshotReply(c *call, _ protocol.EmptyRequest) error {
	c.writeLatest(c.host.snapshotReplies, c.host.world.View(), c.acceptsGzip(), false)
	return nil
}

// writeLatest sends the snapshot of a view or of a newer one: the reply that readers
// share, or the view's if that is too long or the reader may not hold it.
func (c *call) writeLatest(replies *latestReplies, v *world.View, zip, tagged bool) {
	r := replies.of(v, zip)
	if r.body == nil || !c.holdReply(len(r.body)) {
		r = &viewReply{sid: v.SID, rev: v.Rev}
	}
	c.setRev(r.rev)
	if tagged {
		c.w.Header()["Etag"] = []string{entityTag(r.sid, r.rev, r.zipped)}
	}
	if r.body == nil {
		c.writeSnapshot(replies.text(v))
		return
	}
	if r.zipped {
		c.w.Header()["Content-Encoding"] = gzipped
	}
	c.writeParts([][]byte{r.body})
}

// entityTag names a map, plain or in gzip. It is weak (RFC 9110, section 8.8.1): two snapshots of
// one rev differ in their seq if events that did not change the map came in between.
func entityTag(sid string, rev uint64, zipped bool) string {
	tag := `W/"` + sid + "." + strconv.FormatUint(rev, 10)
	if zipped {
		tag += "-gzip"
	}
	return tag + `"`
}
