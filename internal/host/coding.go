package host

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"crypto/sha256"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// gzipped is the value of Content-Encoding of compressed replies. It must not be modified.
var gzipped = []string{"gzip"}

// acceptsGzip reports whether Accept-Encoding names gzip with a weight that is not 0 (RFC
// 9110, section 12.5.3). A weight that cannot be parsed counts as the default.
func acceptsGzip(headers []string) bool {
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			name, parameter, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), gzipped[0]) {
				_, q, _ := strings.Cut(parameter, "=")
				weight, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
				return err != nil || weight > 0
			}
		}
	}
	return false
}

// acceptsGzip reports whether the caller accepts gzip, for a reply that varies by that.
func (c *call) acceptsGzip() bool {
	c.w.Header().Add("Vary", "Accept-Encoding")
	return acceptsGzip(c.r.Header["Accept-Encoding"])
}

const (
	// minCompressedList is the least length at which compressing a list saves a packet,
	// and maxCompressedList the greatest that is compressed: a page of long records has
	// 1 MiB.
	minCompressedList = 2 << 10
	maxCompressedList = 2 << 20
	// compressedListsBytes is how much memory compressed lists take together.
	compressedListsBytes = 2 << 20
)

// compressedLists are the lists that were requested most recently, so that callers
// that get the same bytes share them. Its zero value is ready.
type compressedLists struct {
	mu   sync.Mutex
	size int
	// order has a *compressedList in each element, the most recently requested one in
	// front.
	order list.List
	of    map[[sha256.Size]byte]*list.Element
}

type compressedList struct {
	// sum is the digest of the text.
	sum  [sha256.Size]byte
	body []byte
}

// get returns a list in gzip.
func (l *compressedLists) get(parts [][]byte) []byte {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(part) // It never fails.
	}
	key := [sha256.Size]byte(h.Sum(nil))
	l.mu.Lock()
	e := l.of[key]
	if e != nil {
		l.order.MoveToFront(e)
	}
	l.mu.Unlock()
	if e != nil {
		return e.Value.(*compressedList).body //nolint:forcetypeassert // It holds nothing else.
	}
	body := compress(slices.Values(parts))
	l.keep(&compressedList{key, body})
	return body
}

// keep makes room for a list and adds it, unless another call added it meanwhile.
func (l *compressedLists) keep(c *compressedList) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[c.sum] != nil || len(c.body) > compressedListsBytes {
		return
	}
	for l.size+len(c.body) > compressedListsBytes {
		oldest := l.order.Remove(l.order.Back()).(*compressedList) //nolint:forcetypeassert // It holds nothing else.
		delete(l.of, oldest.sum)
		l.size -= len(oldest.body)
	}
	if l.of == nil {
		l.of = map[[sha256.Size]byte]*list.Element{}
	}
	l.of[c.sum] = l.order.PushFront(c)
	l.size += len(c.body)
}

// compressors are reused: a new one takes a megabyte. They favor speed over size, because
// a list or a view is rarely requested twice.
var compressors = sync.Pool{New: func() any { return newCompressor(gzip.BestSpeed) }}

func newCompressor(level int) *gzip.Writer {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic("host: the level of compression: " + err.Error())
	}
	return w
}

// compress returns a text in gzip.
func compress(parts iter.Seq[[]byte]) []byte {
	w := compressors.Get().(*gzip.Writer) //nolint:forcetypeassert // The pool holds nothing else.
	defer compressors.Put(w)
	return compressWith(w, parts)
}

func compressWith(w *gzip.Writer, parts iter.Seq[[]byte]) []byte {
	var b bytes.Buffer
	w.Reset(&b)
	for part := range parts {
		_, _ = w.Write(part) // Nothing fails in memory.
	}
	_ = w.Close()
	return bytes.Clone(b.Bytes())
}

// writeList sends a JSON reply of 200 in parts, compressed if the client accepts it. It is
// not for replies with secrets, whose compressed length would reveal something about them.
func (c *call) writeList(parts [][]byte) {
	length := lengthOf(parts)
	if !c.acceptsGzip() || length < minCompressedList || length > maxCompressedList {
		c.writeParts(parts)
		return
	}
	body := c.host.lists.get(parts)
	c.w.Header()["Content-Encoding"] = gzipped
	c.writeParts([][]byte{body})
}
