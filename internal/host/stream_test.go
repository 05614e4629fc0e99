package host

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// smallRing configures a host that soon has to read events from the journal.
func smallRing(s *setup) { s.world.RingEvents = 4 }

func TestStreamStartsAtOnceAndContinuesLive(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	n := f.serve()
	s := n.subscribe(as(agent), "")
	defer s.close()
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "X-Accel-Buffering": "no", "Cache-Control": "no-store",
	} {
		if got := s.reply.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if head := f.world.Events().Head(); s.cursor != head {
		t.Errorf("the stream starts after %d, want the log's end %d", s.cursor, head)
	}
	f.say(agent, "hello")
	fr := s.event()
	if fr.event != string(protocol.EventInteraction) || fr.seq(t) != s.cursor+1 || fr.field(t, "text") != "hello" {
		t.Errorf("the first event is %+v", fr)
	}
	if fr.field(t, "playerChainNotify") != nil {
		t.Error("an event that did not change the map has a notify")
	}
	f.player(main)
	if fr = s.event(); fr.field(t, "playerChainNotify") == nil || fr.field(t, "playerChainNodes") != nil {
		t.Errorf("a registration arrived as %+v", fr)
	}
}

func TestStreamCarriesNodesInline(t *testing.T) {
	f := newFixture(t, smallRing)
	main := f.main()
	n := f.serve()
	s := n.subscribe(as(main), "&inline=1")
	defer s.close()
	start := s.cursor
	agent := f.player(main)
	first := s.event()
	nodes, _ := first.field(t, "playerChainNodes").([]any)
	if len(nodes) == 0 || !strings.Contains(first.data, agent.id) {
		t.Fatalf("the event has no nodes inline: %s", first.data)
	}
	for range 10 {
		f.say(agent, "push the registration off the ring")
	}
	again := n.subscribe(as(main), "&inline=1", with(protocol.HeaderLastEventID, itoa(start)))
	defer again.close()
	if replayed := again.event(); replayed != first {
		t.Errorf("replayed from the journal as %+v\nlive it was %+v", replayed, first)
	}
}

func TestStreamResumesWithoutGapOrRepeat(t *testing.T) {
	f := newFixture(t, smallRing)
	agent := f.player(f.main())
	start := f.world.Events().Head()
	for range 20 {
		f.say(agent, "one more")
	}
	n := f.serve()
	for name, open := range map[string]func() *subscription{
		"header": func() *subscription {
			return n.subscribe(as(agent), "", with(protocol.HeaderLastEventID, itoa(start+3)))
		},
		"query": func() *subscription { return n.subscribe(as(agent), "&lastEventId="+itoa(start+3)) },
		"header wins": func() *subscription {
			return n.subscribe(as(agent), "&lastEventId=0", with(protocol.HeaderLastEventID, itoa(start+3)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open()
			defer s.close()
			if s.cursor != start+3 {
				t.Errorf("the cursor is %d, want the requested one, %d", s.cursor, start+3)
			}
			end := f.world.Events().Head()
			f.say(agent, "live")
			for want := start + 4; want <= end+1; want++ {
				if got := s.event().seq(t); got != want {
					t.Fatalf("received event %d, want %d", got, want)
				}
			}
		})
	}
}

func TestStreamSendsResyncForInvalidCursor(t *testing.T) {
	f := newFixture(t, smallRing, func(s *setup) {
		s.journal = memory.Open(store.Retention{Events: 8, Revs: 1})
		s.world.CheckpointEvery = 4
	})
	agent := f.player(f.main())
	for range 60 {
		f.say(agent, "fill the journal until it is trimmed")
	}
	n := f.serve()
	for cursor, want := range map[string]string{
		"abc": reasonNotANumber, "-1": reasonNotANumber, "1e3": reasonNotANumber,
		"99999999999999999999999": reasonNotANumber,
		"1000000":                 world.ResyncAhead,
		"1":                       world.ResyncTooOld,
	} {
		t.Run(cursor, func(t *testing.T) {
			s := n.subscribe(as(agent), "&lastEventId="+cursor)
			defer s.close()
			reason, at := s.resync()
			if reason != want {
				t.Errorf("the reason is %q, want %q", reason, want)
			}
			if head := f.world.Events().Head(); s.cursor != head || at != head {
				t.Errorf("the cursor is %d and the resync's id %d, want the log's end %d in both", s.cursor, at, head)
			}
			f.say(agent, "the stream continues")
			if got := s.event().seq(t); got != at+1 {
				t.Errorf("the next event is %d, want %d", got, at+1)
			}
		})
	}
}

func TestResetEndsStreamsAndOldCursors(t *testing.T) {
	f := newFixture(t)
	agent := f.player(f.main())
	n := f.serve()
	old := f.world.Events().Head()
	s := n.subscribe(as(agent), "")
	defer s.close()
	f.post(f.play("/session/reset"), "{}", asAdmin).ok()
	fr := s.event()
	if fr.event != string(protocol.EventSessionReset) || fr.field(t, "sid") != f.world.View().SID {
		t.Fatalf("the stream continues with %+v, want the reset", fr)
	}
	s.ended()
	reset := fr.seq(t)
	before := n.subscribe(as(agent), "&lastEventId="+itoa(old))
	defer before.close()
	if reason, _ := before.resync(); reason != world.ResyncBeforeReset {
		t.Errorf("a cursor from before the reset: %q", reason)
	}
	same := n.subscribe(as(agent), "&lastEventId="+itoa(reset))
	defer same.close()
	f.post(f.play("/players"), registration(agent.id), as(agent)).ok()
	if got := same.event(); got.seq(t) != reset+1 || got.event != string(protocol.EventPlayerAdded) {
		t.Errorf("after the id of the reset the stream sent %+v", got)
	}
}

// A stream ends at once with its node, even one that waits for events if the
// deletion causes none.
func TestStreamOfDeletedNodeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		main := f.main()
		n := f.serve()
		other := n.subscribe(as(f.main()), "")
		defer other.close()
		for name, remove := range map[string]func(identity){
			"its owner": func(a identity) {
				f.do(http.MethodDelete, protocol.PathAgents+"?id="+a.id, nil, as(main)).ok()
			},
			"the administrator": func(a identity) {
				f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": a.id}, asAdmin).ok()
			},
		} {
			agent := f.agent(main)
			s := n.subscribe(as(agent), "")
			synctest.Wait()
			began := time.Now()
			remove(agent)
			s.ended()
			s.close()
			if took := time.Since(began); took != 0 {
				t.Errorf("deleted by %s, the stream continued for %s", name, took)
			}
		}
		agent := f.agent(main)
		s := n.subscribe(as(agent), "")
		defer s.close()
		f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": main.id}, as(main)).ok()
		if fr, err := readFrame(s.lines); err == nil && fr.event != string(protocol.EventAgentSignal) {
			t.Errorf("the agent of a deleted main node got %+v", fr)
		} else if err == nil {
			s.ended()
		}
		if fr := other.event(); fr.event != string(protocol.EventAgentSignal) {
			t.Errorf("another subscriber got %+v, want the signal of the deletion", fr)
		}
	})
}

func TestSilentStreamGetsComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		agent := f.player(f.main())
		n := f.serve()
		s := n.subscribe(as(agent), "")
		defer s.close()
		began := time.Now()
		if fr := s.next(); !fr.comment || time.Since(began) != defaultComment {
			t.Fatalf("after %s of silence the stream sent %+v, want a comment after %s", time.Since(began), fr, defaultComment)
		}
		wait(10 * time.Second)
		f.say(agent, "traffic puts the comment off")
		s.event()
		began = time.Now()
		if fr := s.next(); !fr.comment || time.Since(began) != defaultComment {
			t.Errorf("%s after an event the stream sent %+v, want a comment after %s", time.Since(began), fr, defaultComment)
		}
	})
}

// Silence ends no stream of HTTP/2, where a write's deadline is a timer that
// continues after the write.
func TestSilentStreamOverHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		agent := f.player(f.main())
		n := f.serve()
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		transport := &http.Transport{
			Protocols:   &protocols,
			DialContext: func(context.Context, string, string) (net.Conn, error) { return n.ln.dial() },
		}
		defer transport.CloseIdleConnections()
		n.client = &http.Client{Transport: transport}
		s := n.subscribe(as(agent), "")
		defer s.close()
		if got := s.reply.ProtoMajor; got != 2 {
			t.Fatalf("the stream uses HTTP/%d", got)
		}
		for range 3 {
			if fr := s.next(); !fr.comment {
				t.Fatalf("without events the stream sent %+v, want a comment", fr)
			}
		}
		f.say(agent, "after all that time")
		if fr := s.event(); fr.field(t, "text") != "after all that time" {
			t.Errorf("the next event is %+v", fr)
		}
	})
}

func TestStreamEndsAfterRandomLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		main := f.main()
		n := f.serve()
		var mu sync.Mutex
		lives := map[time.Duration]bool{}
		// The streams are open at the same time: an hour of a host takes as long for one as for
		// four.
		var living sync.WaitGroup
		for range 4 {
			s := n.subscribe(as(main), "")
			began := time.Now()
			living.Go(func() {
				defer s.close()
				s.ended()
				life := time.Since(began)
				mu.Lock()
				defer mu.Unlock()
				lives[life] = true
				if life < defaultMinLife || life > defaultMaxLife {
					t.Errorf("a stream lived %s", life)
				}
			})
		}
		living.Wait()
		if len(lives) < 2 {
			t.Errorf("four streams all lived for %v", lives)
		}
	})
}

// A subscriber that stops reading is cut when its write deadline passes, and no
// other waits for it.
func TestSlowSubscriberIsCutAndDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		agent := f.player(f.main())
		n := f.serve()
		slow := n.open(as(agent), "")
		defer slow.close()
		quick := n.subscribe(as(agent), "")
		defer quick.close()
		began := time.Now()
		big := strings.Repeat("words ", 600)
		for range 50 {
			f.say(agent, big)
			quick.event()
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the quick subscriber waited %s", took)
		}
		wait(defaultWriteTimeout + time.Second)
		synctest.Wait()
		if open := f.host.streams.count(); open != 1 {
			t.Errorf("%d streams are open, want only the quick one", open)
		}
	})
}

func TestStreamOverHTTP10AndHead(t *testing.T) {
	f := newFixture(t)
	agent := f.player(f.main())
	f.do(http.MethodHead, f.play("/events"), nil, as(agent)).ok()
	n := f.serve()
	conn, err := n.ln.dial()
	if err != nil {
		t.Fatal(err)
	}
	request := "GET " + f.play("/events") + " HTTP/1.0\r\nx-node-id: " + agent.id + "\r\nx-node-passw: " + agent.hash + "\r\n\r\n"
	if _, err := conn.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &subscription{t: t, reply: reply, lines: bufio.NewReader(reply.Body)}
	for range 3 {
		s.next()
	}
	f.say(agent, "hello")
	if fr := s.event(); fr.field(t, "text") != "hello" {
		t.Errorf("over HTTP/1.0 the event is %+v", fr)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

// wait lets the bubble's time pass.
func wait(d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	<-ctx.Done()
}

// Reading bytes that need no answer costs the host time, so a client that keeps sending
// beside its stream is cut.
func TestStreamOfSendingClientIsCut(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	f.serveTCP()
	conn, err := net.Dial("tcp", f.host.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s: %s\r\n%s: %s\r\n\r\n", f.play("/events"),
		protocol.HeaderNodeID, main.id, protocol.HeaderNodePassw, main.hash); err != nil {
		t.Fatal(err)
	}
	worldtest.Eventually(t, "the stream has started", func() bool { return f.host.streams.count() == 1 })
	for range 1000 {
		if _, err = conn.Write(make([]byte, maxHeaderBytes)); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("the host read everything")
	}
	worldtest.Eventually(t, "the stream has ended", func() bool { return f.host.streams.count() == 0 })
}
