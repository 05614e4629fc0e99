package host

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rawSubscriber is a subscriber over a connection of its own, whose stream is taken over.
type rawSubscriber struct {
	t    *testing.T
	body io.Closer
	in   *bufio.Scanner
	// last is the id of the last event.
	last uint64
}

func (f *fixture) rawSubscriber(t *testing.T, who identity) *rawSubscriber {
	t.Helper()
	answer := f.clientAt("127.0.0.1", false).open(f.play("/events"), who)
	t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK || !answer.Close || len(answer.TransferEncoding) != 1 {
		t.Fatalf("%+v", answer)
	}
	s := &rawSubscriber{t: t, body: answer.Body, in: bufio.NewScanner(answer.Body)}
	s.in.Buffer(nil, 1<<20)
	s.last = s.id()
	return s
}

// id reads up to the next id.
func (s *rawSubscriber) id() uint64 {
	s.t.Helper()
	for s.in.Scan() {
		if text, ok := strings.CutPrefix(s.in.Text(), "id: "); ok {
			id, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return id
		}
	}
	s.t.Fatalf("the stream ended after %d: %v", s.last, s.in.Err())
	return 0
}

// events reads n events, whose ids must have no gap.
func (s *rawSubscriber) events(n int) {
	s.t.Helper()
	for range n {
		id := s.id()
		if id != s.last+1 {
			s.t.Fatalf("event %d after event %d", id, s.last)
		}
		s.last = id
	}
}

// A subscriber that does not read for a while misses nothing, and the others do not
// wait for it.
func TestPumpDoesNotWaitForSlowSubscriber(t *testing.T) {
	f := newFixture(t, longWriteTimeout)
	main := f.main()
	agent := f.player(main)
	f.serveTCP()
	slow := f.rawSubscriber(t, main)
	quick := []*rawSubscriber{f.rawSubscriber(t, main), f.rawSubscriber(t, agent), f.rawSubscriber(t, main)}
	const lines = 1500
	text := strings.Repeat("words ", 600)
	for range lines {
		if err := f.command(agent, chatLine(agent.id, text)); err != nil {
			t.Fatal(err)
		}
		for _, s := range quick {
			s.events(1)
		}
	}
	slow.events(lines)
	f.say(agent, "and one more")
	for _, s := range append(quick, slow) {
		s.events(1)
	}
}

// A stream that was taken over counts until its client is gone, and ends with a last
// chunk.
func TestTakenOverStreamsEnd(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	stop := f.serveTCP()
	leaves, stays := f.rawSubscriber(t, main), f.rawSubscriber(t, main)
	if n, asking := f.host.streams.count(), f.metric(`playctl_connections{state="asking"}`); n != 2 || asking != "2" {
		t.Fatalf("%d streams, %s connections in state asking", n, asking)
	}
	if err := leaves.body.Close(); err != nil {
		t.Fatal(err)
	}
	for f.host.streams.count() != 1 {
		runtime.Gosched()
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	for stays.in.Scan() {
		if strings.HasPrefix(stays.in.Text(), "id: ") {
			t.Error("an event arrived during the shutdown")
		}
	}
	// A reader of chunks fails where the last one is missing.
	if err := stays.in.Err(); err != nil {
		t.Errorf("the end of the stream: %v", err)
	}
	if n := f.host.streams.count(); n != 0 {
		t.Errorf("%d streams remain", n)
	}
}

// A panic cuts the streams of one pump. Later streams are served.
func TestPumpSurvivesPanic(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	f.serveTCP()
	for i := range f.host.pumps.all {
		client, server := net.Pipe()
		t.Cleanup(func() { _ = client.Close() })
		broken := &hijackedStream{
			stream: stream{host: f.host}, conn: server, pump: &f.host.pumps.all[i], at: -1, ended: make(chan struct{}),
		}
		broken.pump.join(broken) // The stream has no connection to write to.
		f.say(agent, "hello")
		<-broken.ended
	}
	for range f.host.pumps.all {
		s := f.rawSubscriber(t, main)
		f.say(agent, "hello again")
		s.events(1)
	}
}

// An event after a short round is sent at once, and no event waits for long.
func TestPumpsWaitAfterLongRounds(t *testing.T) {
	for _, c := range []struct {
		writes     int
		took, want time.Duration
	}{
		{0, time.Second, 0},
		{fewWrites, time.Second, 0},
		{1000, cheapRound, 0},
		{1000, time.Millisecond, time.Millisecond},
		{1000, time.Second, longestWait},
	} {
		if got := untilNext(c.writes, c.took); got != c.want {
			t.Errorf("after %d writes in %v it waits %v, want %v", c.writes, c.took, got, c.want)
		}
	}
}
