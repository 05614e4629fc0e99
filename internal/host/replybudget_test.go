package host

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// requestJourneys requests a page of journeys and reads only the headers of the reply.
func (n *network) requestJourneys(who identity, limit int) (conn net.Conn, reply *http.Response) {
	n.t.Helper()
	conn, err := n.ln.dial()
	if err != nil {
		n.t.Fatal(err)
	}
	body := fmt.Sprintf(`{"op":"listJourneys","payload":{"limit":%d}}`, limit)
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\nX-Node-Id: %s\r\nX-Node-Passw: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", n.play("/sdk/rpc"), who.id, who.hash, len(body), body)
	if err != nil {
		n.t.Fatal(err)
	}
	reply, err = http.ReadResponse(bufio.NewReaderSize(conn, 1024), nil)
	if err != nil {
		n.t.Fatal(err)
	}
	return conn, reply
}

// A client that reads a part of a long reply in each window gets all of it;
// otherwise the connection is closed.
func TestMinimumReplyRate(t *testing.T) {
	for name, c := range map[string]struct {
		part  int64
		pause time.Duration
		whole bool
	}{
		"slow":     {replyPace, replyWindow / 2, true},
		"too slow": {replyPace / 2, replyWindow, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				owner := f.main()
				player := f.player(owner)
				for range 2 {
					f.addJourney(player.id, maxJourneyBytes)
				}
				n := f.serve()
				conn, reply := n.requestJourneys(owner, 2)
				defer func() { _ = conn.Close() }()
				if reply.StatusCode != http.StatusOK || reply.ContentLength < 5*replyPace {
					t.Fatalf("%d with %d bytes", reply.StatusCode, reply.ContentLength)
				}
				began, read, err := time.Now(), int64(0), error(nil)
				for err == nil {
					<-time.After(c.pause) // of the bubble
					var more int64
					more, err = io.CopyN(io.Discard, reply.Body, c.part)
					read += more
				}
				if whole := read == reply.ContentLength; whole != c.whole {
					t.Errorf("%d of %d bytes were read, %v", read, reply.ContentLength, err)
				} else if took := time.Since(began); took >= writeTimeout {
					t.Errorf("the reply ended after %v", took)
				}
			})
		})
	}
}

// Pages that are not read stay within the budget for replies, of which one caller gets
// a share.
func TestReplyBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const budget = 8 << 20
		f := newFixture(t, func(s *setup) { s.host.ReplyBudget = budget })
		owner := f.main()
		player := f.player(owner)
		for range 8 {
			f.addJourney(player.id, maxJourneyBytes)
		}
		n := f.serve()
		var open []net.Conn
		end := func() {
			for _, conn := range open {
				_ = conn.Close()
			}
		}
		defer end()
		// stall opens connections of a caller until one is refused, and counts the others.
		stall := func(who identity) int {
			for count := 0; ; count++ {
				conn, reply := n.requestJourneys(who, 1000)
				open = append(open, conn)
				switch {
				case reply.StatusCode == http.StatusServiceUnavailable && reply.Header.Get("Retry-After") != "":
					return count
				case reply.StatusCode != http.StatusOK || count > 20:
					t.Fatalf("page %d: %d", count, reply.StatusCode)
				}
			}
		}
		if stall(owner); f.host.replies.bytes() > budget/perCallerDivisor {
			t.Errorf("one caller holds %d bytes of %d", f.host.replies.bytes(), budget)
		}
		for callers := 1; stall(f.main()) > 0; callers++ {
			if callers > 2*perCallerDivisor {
				t.Fatalf("%d callers hold %d bytes of %d", callers, f.host.replies.bytes(), budget)
			}
		}
		if held := f.host.replies.bytes(); held < budget*3/4 || held > budget {
			t.Errorf("replies hold %d bytes of %d", held, budget)
		}
		end()
		synctest.Wait()
		if held := f.host.replies.bytes(); held != 0 {
			t.Errorf("with no request in progress replies hold %d bytes", held)
		}
		f.rpc("listJourneys", map[string]any{}, as(owner)).ok()
	})
}

// Maps that are not read hold large chunks within the budget, and small ones beyond it.
func TestUnreadSnapshotsCountInReplyBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const budget, chunk = 1 << 20, 64 << 10
		f := newFixture(t, func(s *setup) { s.host.ReplyBudget = budget })
		owner := f.main()
		for range 3 {
			f.addJourney(f.player(owner).id, maxJourneyBytes)
		}
		n := f.serve()
		var open []net.Conn
		for range budget/perCallerDivisor/chunk + 2 {
			conn, err := n.ln.dial()
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, conn)
			if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: h\r\nX-Node-Id: %s\r\nX-Node-Passw: %s\r\n\r\n", n.play("/snapshot"), owner.id, owner.hash); err != nil {
				t.Fatal(err)
			}
			reply, err := http.ReadResponse(bufio.NewReaderSize(conn, 1024), nil)
			if err != nil || reply.StatusCode != http.StatusOK {
				t.Fatalf("%v, %v", reply, err)
			}
		}
		synctest.Wait()
		if held := f.host.replies.bytes(); held != budget/perCallerDivisor {
			t.Errorf("one caller holds %d bytes of %d", held, budget)
		}
		for _, conn := range open {
			_ = conn.Close()
		}
		synctest.Wait()
		if held := f.host.replies.bytes(); held != 0 {
			t.Errorf("with no request in progress replies hold %d bytes", held)
		}
	})
}

// The log of a space counts as well, for as long as the client does not read it.
func TestUnreadSpaceLogCountsInReplyBudget(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	var made protocol.SpaceReply
	f.rpc("registerSpaceNode", map[string]any{
		"name": "Corner", "designKey": "plain", "owner": map[string]any{"displayName": "Ada"}, "amenities": []string{"shop"},
	}, as(owner)).into(&made)
	amenity := map[string]any{"spaceId": made.Space.ID, "kind": "supermarket"}
	for range 250 {
		f.rpc("addSpaceAmenity", amenity, as(owner)).ok()
		f.rpc("removeSpaceAmenity", amenity, as(owner)).ok()
	}
	n := f.serve()
	before := f.host.replies.bytes()
	reply := n.stall("inspectSpace", map[string]any{"spaceId": made.Space.ID}, as(owner))
	if held := f.host.replies.bytes() - before; int64(held) < reply.ContentLength-1<<10 || held > int(reply.ContentLength) {
		t.Errorf("an unread log of %d bytes holds %d of the budget", reply.ContentLength, held)
	}
	_ = reply.Body.Close()
	worldtest.Eventually(t, "the budget of the log is released", func() bool { return f.host.replies.bytes() == before })
}

// A page waits for its turn to be read for a while, and is then refused.
func TestPageWaitsForTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		owner := f.main()
		busy := f.host.reading.free
		for range busy {
			if err := f.host.reading.acquire(t.Context(), "another"); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		f.rpc("listJourneys", map[string]any{}, as(owner)).refused(protocol.CodeOverloaded)
		if took := time.Since(began); took != readingTurn {
			t.Errorf("the page was refused after %v, want %v", took, readingTurn)
		}
		for range busy {
			f.host.reading.release()
		}
		f.rpc("listJourneys", map[string]any{}, as(owner)).ok()
	})
}
