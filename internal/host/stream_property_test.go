package host

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// reader is one client of the property test: how it opens its streams, and after
// how many bytes it drops each of them. It reads the last one to the end.
type reader struct {
	inline, query bool
	drops         []int
	// lags is how many events the host must be ahead before the client continues reading.
	lags []uint64
}

func drawReader(t *rapid.T) reader {
	return reader{
		inline: rapid.Bool().Draw(t, "inline"),
		query:  rapid.Bool().Draw(t, "query"),
		drops:  rapid.SliceOfN(rapid.IntRange(0, 9000), 0, 6).Draw(t, "drops"),
		lags:   rapid.SliceOfN(rapid.Uint64Range(0, 40), 0, 4).Draw(t, "lags"),
	}
}

// TestEverySubscriberSeesEveryEventOnce lets writers commit while clients read at
// their own speed, drop their connections at any byte, fall behind the ring and
// reconnect. Each must see every event, once, in order, as the journal has it.
func TestEverySubscriberSeesEveryEventOnce(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.world.RingEvents = 16 })
	main := f.main()
	agents := []identity{f.player(main), f.player(main), f.player(main)}
	n := f.serve()
	rapid.Check(t, func(rt *rapid.T) {
		perWriter := rapid.IntRange(1, 30).Draw(rt, "events for each writer")
		readers := rapid.SliceOfN(rapid.Custom(drawReader), 1, 4).Draw(rt, "readers")
		start := f.world.Events().Head()
		end := start + uint64(len(agents)*perWriter)
		var all sync.WaitGroup
		failures := make(chan error, len(readers)+len(agents))
		for _, r := range readers {
			all.Go(func() { failures <- n.follow(r, agents[0], start, end) })
		}
		for _, a := range agents {
			all.Go(func() { failures <- f.perform(a, perWriter) })
		}
		all.Wait()
		close(failures)
		for err := range failures {
			if err != nil {
				rt.Fatal(err)
			}
		}
	})
}

// perform has an agent do something n times, each of which is one event. It calls the
// world directly: HTTP requests of writers would take most of the test's time.
func (f *fixture) perform(a identity, n int) error {
	for i := range n {
		var c world.Command = chatLine(a.id, fmt.Sprintf("line %d", i))
		if i%3 == 1 && f.command(a, activity(a.id, fmt.Sprintf("at %d", f.world.View().Seq))) == nil {
			continue // Where a limit refuses it, the agent says something instead.
		}
		if i%3 == 0 {
			c = world.Register{RegisterRequest: protocol.RegisterRequest{
				Name: fmt.Sprintf("name at %d", f.world.View().Seq), Type: "test", AgentID: a.id,
				EnableP2A: protocol.P2AOff, LeaseTTLSeconds: protocol.DefaultLeaseTTLSeconds,
				Agent: protocol.AgentSpec{Type: "test", ToolNames: []string{protocol.ChatTool}},
			}}
		}
		if err := f.command(a, c); err != nil {
			return fmt.Errorf("%T: %w", c, err)
		}
	}
	return nil
}

func activity(agent, text string) world.RecordActivity {
	return world.RecordActivity{RecordActivityRequest: protocol.RecordActivityRequest{PlayerID: agent, State: protocol.ActivityWorking, Text: text}}
}

// command carries out an agent's command without an HTTP request.
func (f *fixture) command(a identity, c world.Command) error {
	_, err := f.world.Do(context.Background(), world.Request{Caller: world.Caller{NodeID: a.id}, SID: f.world.View().SID}, c)
	return err
}

func chatLine(agent, text string) world.RecordInteraction {
	return world.RecordInteraction{RecordInteractionRequest: protocol.RecordInteractionRequest{PlayerID: agent, Role: protocol.RoleUser, Text: text}}
}

// follow is one client from a cursor to the last event.
func (n *network) follow(r reader, who identity, start, end uint64) error {
	want := n.recorded(start, end, r.inline)
	seen := start
	var err error
	for connection := 0; seen < end; connection++ {
		limit := int64(1 << 40)
		if connection < len(r.drops) {
			limit = int64(r.drops[connection])
		}
		if connection < len(r.lags) {
			n.awaitEvent(min(end, seen+r.lags[connection]))
		}
		if seen, err = n.followOnce(r, who, seen, end, limit, want); err != nil {
			return fmt.Errorf("connection %d: %w", connection, err)
		}
		if connection > 1000 {
			return fmt.Errorf("after %d connections only event %d of %d was seen", connection, seen, end)
		}
	}
	return nil
}

// followOnce reads a stream until limit bytes came, the stream broke off, or the
// last event was seen.
func (n *network) followOnce(
	r reader, who identity, seen, end uint64, limit int64, want func(uint64) (string, error),
) (now uint64, err error) {
	conn, err := n.ln.dial()
	if err != nil {
		return seen, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	target := n.play("/events")
	if r.inline {
		target += "&inline=1"
	}
	request := n.request(http.MethodGet, target, nil, as(who))
	request.Host = "host"
	request.RequestURI = ""
	if r.query {
		request.URL.RawQuery += "&lastEventId=" + itoa(seen)
	} else {
		request.Header.Set(protocol.HeaderLastEventID, itoa(seen))
	}
	if err := request.Write(conn); err != nil {
		return seen, err
	}
	reply, err := http.ReadResponse(bufio.NewReader(io.LimitReader(conn, limit)), request)
	if err != nil {
		return seen, nil // The connection was dropped within the headers.
	}
	lines := bufio.NewReader(reply.Body)
	for seen < end {
		fr, err := readFrame(lines)
		if err != nil {
			return seen, nil // It was dropped, or cut for being slow.
		}
		if fr.event == "" {
			continue
		}
		if fr.id != itoa(seen+1) {
			return seen, fmt.Errorf("event %d is followed by %+v", seen, fr)
		}
		seen++
		data, err := want(seen)
		if err != nil {
			return seen, err
		}
		if fr.data != data {
			return seen, fmt.Errorf("event %d is\n%s\nthe journal has\n%s", seen, fr.data, data)
		}
	}
	return seen, nil
}

// recorded looks events up in the journal, waiting until each of them is there. They
// are looked up in order.
func (n *network) recorded(start, end uint64, inline bool) func(uint64) (string, error) {
	known := map[uint64]string{}
	last := start
	return func(seq uint64) (string, error) {
		if _, have := known[seq]; !have {
			for e, err := range n.world.History(context.Background(), last, end) {
				if err != nil {
					return "", err
				}
				fr, err := readFrame(bufio.NewReader(bytes.NewReader(frameOf(e, inline))))
				if err != nil {
					return "", err
				}
				known[e.Seq], last = fr.data, e.Seq
			}
		}
		return known[seq], nil
	}
}

// awaitEvent waits until an event is there.
func (n *network) awaitEvent(seq uint64) {
	log := n.world.Events()
	for log.Head() < seq {
		_, wake, err := log.Since(log.Head(), nil)
		if err != nil || wake == nil || log.Head() >= seq {
			continue
		}
		<-wake
	}
}
