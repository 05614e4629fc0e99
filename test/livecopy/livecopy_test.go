//go:build full

package livecopy

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

// lacking are hosts without some of the capabilities.
var lacking = map[string][]protocol.Capability{
	"nothing":        nil,
	"inline":         {protocol.CapChainInline},
	"batches":        {protocol.CapChainInline, protocol.CapChainNodes},
	"revs":           {protocol.CapChainInline, protocol.CapChainAtRev, protocol.CapMinRev},
	"resume":         {protocol.CapChainInline, protocol.CapResume},
	"any extensions": {protocol.CapChainInline, protocol.CapChainNodes, protocol.CapChainAtRev, protocol.CapMinRev, protocol.CapResume, protocol.CapChainProof},
}

// maxFailedAttempts bounds how many consecutive connections end before their first
// frame: the client doubles its wait after each, from 2 s up to 30 s, and a scenario
// has two such sequences.
const maxFailedAttempts = 3

// firstFrame is more than the bytes of a stream's header and first frame.
const firstFrame = 2000

func drawLine(t *rapid.T) *line {
	cuts := rapid.SliceOfN(rapid.IntRange(0, 6000), 0, 8).Draw(t, "cuts")
	failedAttempts := 0
	for i, cut := range cuts {
		if failedAttempts++; cut >= firstFrame {
			failedAttempts = 0
		} else if failedAttempts > maxFailedAttempts {
			cuts[i], failedAttempts = cut+firstFrame, 0
		}
	}
	return &line{
		cuts:  cuts,
		piece: rapid.SampledFrom([]int{0, 1, 7, 100}).Draw(t, "piece"),
		lag:   rapid.SampledFrom([]time.Duration{0, 0, time.Millisecond / 10, 2 * time.Millisecond}).Draw(t, "lag"),
	}
}

// With random commands, speeds and connections, and hosts with and without the
// capabilities, in memory and in a file, that restart gracefully and abruptly:
// every subscriber ends with the host's exact map, was never shown a different one
// as verified, and saw every event once and in order.
func TestSubscribersReachHostsMap(t *testing.T) {
	t.Parallel()
	path := storePath(t)
	names := []string{"nothing", "inline", "batches", "revs", "resume", "any extensions"}
	rapid.Check(t, func(rt *rapid.T) {
		file := ""
		if rapid.Bool().Draw(rt, "in a file") {
			file = path()
		}
		// With a short ring, slow subscribers fall behind it and are served from the
		// journal.
		s := openSite(rt, file, rapid.SampledFrom([]int{2, 8, 1024}).Draw(rt, "ring"))
		defer func() { s.close() }()
		a := newAuthor(s)
		defer a.close()
		defer a.closeReaders()
		for range rapid.IntRange(1, 5).Draw(rt, "subscribers") {
			l := drawLine(rt)
			if l.piece == 1 {
				l.lag = 0
			}
			f := s.follow(l, lacking[rapid.SampledFrom(names).Draw(rt, "without")]...)
			a.readers = append(a.readers, f)
		}
		for _, step := range rapid.SliceOfN(rapid.Custom(drawStep), 1, 40).Draw(rt, "scenario") {
			a.do(step)
		}
		a.finish()
		was := s.record()
		for _, f := range a.readers {
			f.close()
			f.verify(was)
		}
	})
}
