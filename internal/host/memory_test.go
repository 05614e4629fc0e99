package host

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// liveHeap is how many bytes are reachable.
func liveHeap() int {
	runtime.GC()
	runtime.GC() // what sync.Pool keeps goes with the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// travel records a journey that takes about n bytes where it is kept.
func (f *fixture) travel(agent string, n int) {
	f.t.Helper()
	step := protocol.JourneyStep{Type: protocol.StepOrigin, Content: strings.Repeat("x", n/2), MessageID: "m"}
	_, err := f.world.Do(f.t.Context(), world.Request{Caller: world.Caller{NodeID: agent}, SID: f.world.View().SID}, world.RecordJourney{
		RecordJourneyRequest: protocol.RecordJourneyRequest{PlayerID: agent, Journey: protocol.Journey{
			Steps: []protocol.JourneyStep{step}, StartedAt: "2026-01-02T03:04:05.000Z", CompletedAt: "2026-01-02T03:04:06.000Z",
		}},
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// longest is how much a journey may take where it is kept: the body of a request
// has it once, the row and its event twice.
const longest = 256 << 10

// patient lets a subscriber that does not read stay for as long as a test.
func patient(s *setup) { s.host.Streams.WriteTimeout = time.Hour }

func TestAReplayThatIsNotReadKeepsLittle(t *testing.T) {
	f := newFixture(t, smallRing, patient)
	n := f.serve()
	owner := f.main()
	agent := f.player(owner)
	for range 100 {
		f.travel(agent.id, longest)
	}
	for range 8 {
		f.say(agent, "the ring has no journeys")
	}
	before := liveHeap()
	const streams = 10
	for range streams {
		s := n.open(as(owner), "&inline=1", with(protocol.HeaderLastEventID, "0"))
		defer s.close()
		for range 3 {
			s.next()
		}
		// The first bytes of an event are here, so the host is writing the batch.
		if _, err := s.lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	each := (liveHeap() - before) / streams
	t.Logf("a stream takes %d bytes", each)
	if each > 1<<20 {
		t.Errorf("%d streams that replay and are not read take %d bytes each", streams, each)
	}
}
