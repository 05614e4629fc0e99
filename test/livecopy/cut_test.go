//go:build full

package livecopy

import (
	"math/rand/v2"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// concurrentCuts is how many subscribers are cut at the same time.
const concurrentCuts = 120

// slack is how many more bytes a connection may carry than the measured one:
// positions get longer.
const slack = 80

// shortScenario is a scenario with each kind of frame.
var shortScenario = []step{
	{what: "place", who: 1, version: 1}, {what: "say", who: 0, version: 1}, {what: "withdraw", who: 1},
}

// Each connection of a subscriber breaks after each possible number of bytes:
// within headers, chunk sizes, ids, data and between frames, and within the replies
// to its reads. A run tests every 19th byte, with a different start each time; since
// the stride is odd, every other cut is a clean end.
func TestConnectionsBreakAtEveryByte(t *testing.T) {
	t.Parallel()
	const stride = 19
	for _, name := range []string{"nothing", "batches"} {
		t.Run("without "+name, func(t *testing.T) {
			s := openSite(t, "", 1024)
			defer func() { s.close() }()
			a := newAuthor(s)
			defer a.close()
			a.do(step{what: "register"})
			var cuts [][]int
			for connection, carried := range a.measure(lacking[name]) {
				for at := 1 + rand.N(stride); at < carried+slack; at += stride {
					cut := make([]int, connection+1)
					cut[connection] = at
					cuts = append(cuts, cut)
				}
			}
			for begin := 0; begin < len(cuts); begin += concurrentCuts {
				a.cut(cuts[begin:min(begin+concurrentCuts, len(cuts))], lacking[name])
			}
		})
	}
}

// measure returns the bytes that each connection of an undisturbed subscriber
// carries.
func (a *author) measure(lacks []protocol.Capability) []int {
	a.site.t.Helper()
	l := &line{}
	a.cutAll([]*line{l}, lacks)
	return l.bytesOf()
}

func (a *author) cut(cuts [][]int, lacks []protocol.Capability) {
	a.site.t.Helper()
	lines := make([]*line, len(cuts))
	for i := range cuts {
		lines[i] = &line{cuts: cuts[i]}
	}
	a.cutAll(lines, lacks)
}

// cutAll runs one subscriber over each of the lines through the same scenario.
func (a *author) cutAll(lines []*line, lacks []protocol.Capability) {
	a.site.t.Helper()
	a.withdrawLast()
	a.readers = nil
	defer a.closeReaders()
	for _, l := range lines {
		f := a.site.follow(l, lacks...)
		a.readers = append(a.readers, f)
	}
	for _, f := range a.readers {
		f.await(f.ready, "a first copy")
	}
	for _, s := range shortScenario {
		a.do(s)
	}
	a.finish()
	was := a.site.record()
	for _, f := range a.readers {
		f.close()
		f.verify(was)
	}
}
