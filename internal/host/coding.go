package host

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/playctl/playctl/internal/world"
)

// codings are the content codings that a host supports; of two that a client accepts
// equally, the first is used.
var codings = []world.Coding{world.Zstd, world.Gzip}

// codingsOfWhole are the codings for content that never changes. The highest level of gzip
// makes it as short as the highest of zstd, except for 2 in 100 bytes, in a fifth of the time
// and with far less memory (BenchmarkCompressWhole).
var codingsOfWhole = []world.Coding{world.Gzip, world.Zstd}

// codingHeaders are values of Content-Encoding. They must not be modified.
var codingHeaders = map[world.Coding][]string{world.Zstd: {string(world.Zstd)}, world.Gzip: {string(world.Gzip)}}

// codingOf returns the coding that Accept-Encoding prefers (RFC 9110, section
// 12.5.3); a coding that it does not name is not used.
func codingOf(headers []string, of []world.Coding) world.Coding {
	best, weight := world.Identity, 0.0
	for _, coding := range of {
		if w := weightOf(headers, string(coding)); w > weight {
			best, weight = coding, w
		}
	}
	return best
}

// weightOf returns the weight of a coding, 0 if it is not accepted. A weight that
// cannot be parsed counts as the default.
func weightOf(headers []string, coding string) float64 {
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			name, parameter, _ := strings.Cut(part, ";")
			if !strings.EqualFold(strings.TrimSpace(name), coding) {
				continue
			}
			_, q, _ := strings.Cut(parameter, "=")
			if w, err := strconv.ParseFloat(strings.TrimSpace(q), 64); err == nil {
				return w
			}
			return 1
		}
	}
	return 0
}

// coding returns the one of these codings that the caller prefers, for a reply that varies
// by Accept-Encoding.
func (c *call) coding(of []world.Coding) world.Coding {
	c.w.Header().Add("Vary", "Accept-Encoding")
	return codingOf(c.r.Header["Accept-Encoding"], of)
}

// compressWhole compresses content that never changes. Higher levels of zstd would
// take up to 50 MB for each text.
func compressWhole(text []byte, coding world.Coding) []byte {
	if coding == world.Zstd {
		return compress(must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))), text)
	}
	return compress(must(gzip.NewWriterLevel(nil, gzip.BestCompression)), text)
}

// must is for encoders, whose options are constant and valid.
func must[T any](w T, err error) T {
	if err != nil {
		panic("host: the options of compression: " + err.Error())
	}
	return w
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
	of    map[listKey]*list.Element
}

// listKey names the text of a list, and its coding.
type listKey struct {
	sum    [sha256.Size]byte
	coding world.Coding
}

type compressedList struct {
	key  listKey
	body []byte
}

// get returns a list in a coding.
func (l *compressedLists) get(parts [][]byte, coding world.Coding) []byte {
	key := listKey{coding: coding}
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(part) // It never fails.
	}
	h.Sum(key.sum[:0])
	l.mu.Lock()
	e := l.of[key]
	if e != nil {
		l.order.MoveToFront(e)
	}
	l.mu.Unlock()
	if e != nil {
		return e.Value.(*compressedList).body //nolint:forcetypeassert // It holds nothing else.
	}
	body := compressParts(parts, coding)
	l.keep(&compressedList{key, body})
	return body
}

// keep makes room for a list and adds it, unless another call added it meanwhile.
func (l *compressedLists) keep(c *compressedList) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[c.key] != nil || len(c.body) > compressedListsBytes {
		return
	}
	for l.size+len(c.body) > compressedListsBytes {
		oldest := l.order.Remove(l.order.Back()).(*compressedList) //nolint:forcetypeassert // It holds nothing else.
		delete(l.of, oldest.key)
		l.size -= len(oldest.body)
	}
	if l.of == nil {
		l.of = map[listKey]*list.Element{}
	}
	l.of[c.key] = l.order.PushFront(c)
	l.size += len(c.body)
}

// encoder is the interface of both packages' writers.
type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

// encoders are reused: a new one takes a megabyte. They favor speed over size,
// because a list is rarely requested twice.
var encoders = map[world.Coding]*sync.Pool{
	world.Gzip: {New: func() any { return must(gzip.NewWriterLevel(nil, gzip.BestSpeed)) }},
	world.Zstd: {New: func() any {
		return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true)))
	}},
}

func compressParts(parts [][]byte, coding world.Coding) []byte {
	w := encoders[coding].Get().(encoder) //nolint:forcetypeassert // The pools hold nothing else.
	defer encoders[coding].Put(w)
	return compress(w, parts...)
}

func compress(w encoder, parts ...[]byte) []byte {
	var b bytes.Buffer
	w.Reset(&b)
	for _, part := range parts {
		_, _ = w.Write(part) // Nothing fails in memory.
	}
	_ = w.Close()
	return bytes.Clone(b.Bytes())
}

// writeList sends a JSON reply of 200 in parts, compressed if the client accepts it. It is
// not for replies with secrets, whose compressed length would reveal something about them.
func (c *call) writeList(parts [][]byte) {
	length := lengthOf(parts)
	coding := c.coding(codings)
	if coding == world.Identity || length < minCompressedList || length > maxCompressedList {
		c.writeParts(parts)
		return
	}
	body := c.host.lists.get(parts, coding)
	c.w.Header()["Content-Encoding"] = codingHeaders[coding]
	c.writeParts([][]byte{body})
}
