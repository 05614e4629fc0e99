package durability

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/test/hostprocess"
	"github.com/playctl/playctl/test/property"
)

const (
	writers = 32
	agents  = 4
)

// rounds returns how often the host is killed, each time at another moment: three
// times, with property.Full 20 times; PLAYCTL_KILL_ROUNDS overrides both.
func rounds(t *testing.T) int {
	if text := os.Getenv("PLAYCTL_KILL_ROUNDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("PLAYCTL_KILL_ROUNDS: %v", err)
		}
		return n
	}
	if property.Full {
		return 20
	}
	return 3
}

// world is the expected content of the host's store.
type world struct {
	*host
	sid    string
	main   hostprocess.Node
	agents [agents]hostprocess.Node
	// seq is the last event that was checked.
	seq uint64
}

type session struct {
	SID string `json:"sid"`
	Rev uint64 `json:"rev"`
	Seq uint64 `json:"seq"`
}

func (w *world) session() session {
	w.t.Helper()
	var s session
	if err := w.call(w.main, "GET", "/api/play/session", "", nil, &s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// populate creates an account with its agents and puts them on the map.
func (w *world) populate() {
	w.t.Helper()
	key, err := os.ReadFile(w.root)
	if err != nil {
		w.t.Fatal(err)
	}
	account := hostprocess.NewAccount(w.t, w.Host, strings.TrimSpace(string(key)), w.dir, agents)
	w.main = account.Main
	w.sid = w.session().SID
	for i, a := range account.Agents {
		a.Must(w.t, w.Host, hostprocess.Request{
			Method: "POST", Path: "/api/play/players?sid=" + w.sid, Body: map[string]any{
				"name": fmt.Sprint("Agent ", i), "type": "test", "agentId": a.ID,
				"agent": map[string]any{"type": "test", "toolNames": []string{"chat_tool"}},
			},
		}, nil)
		w.agents[i] = a
	}
	w.seq = w.session().Seq
}

// line is one write: acked is its seq once the host acknowledged it.
type line struct {
	agent     hostprocess.Node
	text, key string
	acked     uint64
}

func (w *world) send(l *line) error {
	var reply struct {
		Seq uint64 `json:"seq"`
	}
	err := w.call(l.agent, "POST", "/api/play/sdk/rpc?sid="+w.sid, l.key, map[string]any{
		"op": "recordInteraction", "payload": map[string]any{"playerId": l.agent.ID, "role": "assistant", "text": l.text},
	}, &reply)
	if err == nil {
		l.acked = reply.Seq
	}
	return err
}

// writeUntilKilled runs all writers, kills the host while they write, and returns
// their lines. The last line of each may be unacknowledged.
func (w *world) writeUntilKilled(round int, after time.Duration) []*line {
	var acks atomic.Int64
	started := make(chan struct{})
	sent := make([][]*line, writers)
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			for n := 0; ; n++ {
				l := &line{agent: w.agents[i%agents], text: fmt.Sprintf("round %d writer %d line %d", round, i, n)}
				l.key = fmt.Sprintf("%x", rand.Uint64())
				sent[i] = append(sent[i], l)
				if w.send(l) != nil {
					return
				}
				if acks.Add(1) == writers {
					close(started)
				}
			}
		})
	}
	<-started
	<-time.After(after)
	w.Kill()
	group.Wait()
	client.CloseIdleConnections()
	var all []*line
	for _, s := range sent {
		all = append(all, s...)
	}
	return all
}

// verify reads all events since the last round: consecutive seqs, each line at most
// once, and every acknowledged one at its acknowledged seq.
func (w *world) verify(lines []*line) {
	w.t.Helper()
	now := w.session()
	if now.SID != w.sid {
		w.t.Fatalf("the session changed from %s to %s", w.sid, now.SID)
	}
	found := map[string]uint64{}
	for _, e := range w.events(w.main, w.sid, w.seq, now.Seq) {
		if e.seq != w.seq+1 {
			w.t.Fatalf("event %d follows %d", e.seq, w.seq)
		}
		w.seq = e.seq
		var data struct {
			Text string `json:"text"`
			Rev  uint64 `json:"rev"`
		}
		if err := json.Unmarshal(e.data, &data); err != nil {
			w.t.Fatal(err)
		}
		if first, twice := found[data.Text]; twice {
			w.t.Fatalf("%q is stored twice, as %d and %d", data.Text, first, e.seq)
		}
		if data.Rev != now.Rev {
			w.t.Fatalf("event %d is of rev %d; no line changes the map, whose rev is %d", e.seq, data.Rev, now.Rev)
		}
		found[data.Text] = e.seq
	}
	for _, l := range lines {
		if seq, ok := found[l.text]; l.acked != 0 && (!ok || seq != l.acked) {
			w.t.Fatalf("%q was acknowledged as %d and is stored as %d", l.text, l.acked, seq)
		}
	}
	w.repeat(lines, found)
}

// repeat sends the unacknowledged lines once more, with the same keys: a line that
// was committed must not be committed again, and one that was not must be committed
// now.
func (w *world) repeat(lines []*line, found map[string]uint64) {
	w.t.Helper()
	for _, l := range lines {
		if l.acked != 0 {
			continue
		}
		before := w.seq
		if err := w.send(l); err != nil {
			w.t.Fatalf("the repeat of %q: %v", l.text, err)
		}
		switch seq, stored := found[l.text]; {
		case stored && l.acked != seq:
			w.t.Fatalf("%q was stored as %d and its repeat as %d", l.text, seq, l.acked)
		case !stored && l.acked != before+1:
			w.t.Fatalf("%q has seq %d after %d", l.text, l.acked, before)
		case !stored:
			w.seq++
		}
	}
	if now := w.session(); now.Seq != w.seq {
		w.t.Fatalf("the log ends at %d, want %d", now.Seq, w.seq)
	}
}

func TestAcknowledgedWritesSurviveKilledHost(t *testing.T) {
	w := &world{host: newHost(t)}
	w.Start()
	w.populate()
	total, unanswered := 0, 0
	for round := range rounds(t) {
		lines := w.writeUntilKilled(round, time.Duration(rand.IntN(150))*time.Millisecond)
		w.check()
		w.Start()
		for _, l := range lines {
			if l.acked == 0 {
				unanswered++
			}
		}
		total += len(lines)
		w.verify(lines)
	}
	t.Logf("%d writes, %d of them without a reply when the host was killed", total, unanswered)
}
