package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// recordingOf returns the lines of a recording without their numbers: of a world in which
// placements come and go, generated with the chain itself.
func recordingOf(t testing.TB, names ...string) []string {
	t.Helper()
	return recordingIn(t, "s", names...)
}

// recordingIn is recordingOf in a session.
func recordingIn(t testing.TB, sid string, names ...string) []string {
	t.Helper()
	rev := uint64(1)
	world, err := chain.NewSnapshot(chain.Head{SID: sid, MainNodeID: "m", Rev: &rev}, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := world.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{`{"snapshot":` + string(first) + `,"verification":"verified"}`}
	for i, name := range names {
		leaf, err := chain.OccupantLeaf(&protocol.MCP{ID: name, NodeID: "n", Name: name})
		if err != nil {
			t.Fatal(err)
		}
		next := world.Tree().Put(leaf)
		data := eventData{Rev: rev + uint64(i) + 1, Root: next.Root().Hex(), Leaves: next.Len(), Notify: chain.Diff(world.Tree(), next, "now")}
		node, err := next.Node(leaf.Key())
		if err != nil {
			t.Fatal(err)
		}
		data.Nodes = append(data.Nodes, node)
		lines = append(lines, encoded(t, map[string]any{"seq": i + 1, "event": "world:mcp_registered", "data": data}))
		if world, err = chain.NewSnapshot(world.Head(), next); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// eventData has the fields of an event's data that the chain reads.
type eventData struct {
	Rev    uint64               `json:"rev"`
	Root   string               `json:"merkleRootHex"`
	Leaves int                  `json:"merkleLeafCount"`
	Notify *protocol.Notify     `json:"playerChainNotify"`
	Nodes  []protocol.ChainNode `json:"playerChainNodes"`
}

func encoded(t testing.TB, value any) string {
	t.Helper()
	text, err := encodeLine(value)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}

// recorded returns a recording of lines without numbers.
func recorded(lines ...string) string {
	var text strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&text, "{\"line\":%d,%s\n", i+1, strings.TrimPrefix(line, "{"))
	}
	return text.String()
}

// ended returns a recording with the end that belongs to it.
func ended(t testing.TB, text string) string {
	t.Helper()
	lines, sum := strings.Count(text, "\n"), sha256.Sum256([]byte(text))
	return text + encoded(t, recordedLine{Number: lines + 1, End: &recordedEnd{lines, hex.EncodeToString(sum[:])}}) + "\n"
}

// verify verifies a recording and returns how many events were proved, and the error.
func verify(text string) (proved int, err error) {
	lines, world := newRecordedLines(strings.NewReader(text)), recordedWorld{}
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return proved, nil
		}
		if err != nil {
			return proved, err
		}
		ok, err := world.take(line)
		if err != nil {
			return proved, err
		}
		if ok {
			proved++
		}
	}
}

func TestInvalidRecordingsAreRefused(t *testing.T) {
	t.Parallel()
	good := recordingOf(t, "b", "a", "c")
	if proved, err := verify(recorded(good...)); proved != 3 || err != nil {
		t.Fatalf("%d events are proved: %v", proved, err)
	}
	change := func(line int, old, next string) string {
		lines := slices.Clone(good)
		if !strings.Contains(lines[line], old) {
			t.Fatalf("there is no %s in %s", old, lines[line])
		}
		lines[line] = strings.Replace(lines[line], old, next, 1)
		return recorded(lines...)
	}
	for name, test := range map[string]struct{ text, says string }{
		"a row changed":         {change(2, `"name":"a"`, `"name":"A"`), "root"},
		"a key changed":         {change(2, `"stableKey":"mcp:a"`, `"stableKey":"mcp:z"`), "asked for"},
		"rows missing":          {change(2, `"playerChainNodes"`, `"leftOut"`), "0 inline nodes"},
		"another count":         {change(3, `"merkleLeafCount":5`, `"merkleLeafCount":6`), "leaves"},
		"another root":          {change(1, `"merkleRootHex":"`, `"merkleRootHex":"00`), "root"},
		"an event missing":      {recorded(slices.Delete(slices.Clone(good), 2, 3)...), "events are missing"},
		"a duplicate event":     {recorded(append(slices.Clone(good), good[3])...), "comes after event 3"},
		"a snapshot changed":    {change(0, `"sid":"s"`, `"sid":"t"`), "root"},
		"a mismatched snapshot": {change(0, `"verified"`, `"mismatched"`), "when it was recorded"},
		"an invalid snapshot":   {change(0, `"worldMap"`, `"map"`), "snapshot cannot be read"},
		"an invalid notify":     {change(1, `"playerChainNotify":{`, `"playerChainNotify":7,"x":{`), "playerChainNotify"},
		"the world goes back":   {recorded(append(slices.Clone(good), good[0])...), "went back from rev 4 to 1"},
		"no JSON":               {recorded(good...) + "[]\n", "line 5: it must be a JSON object"},
		"an unknown line":       {change(1, `"event":"world:mcp_registered",`, ``), "not one of a snapshot, an event and the end"},
		"two kinds":             {change(0, `{`, `{"event":"world:journey",`), "not one of a snapshot, an event and the end"},
		"no number":             {recorded(good...) + good[3] + "\n", "line 5: it has no number"},
		"no numbers":            {strings.Join(good, "\n") + "\n", "line 1 is not a valid recording line: it has no number"},
	} {
		if proved, err := verify(test.text); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %d events are proved, %v", name, proved, err)
		}
	}
}

// Whatever is changed in a recording with its end is found, also where nothing in it is part
// of the map.
func TestChangedRecordingIsFound(t *testing.T) {
	t.Parallel()
	said := `{"seq":4,"event":"world:interaction","data":{"playerId":"p","text":"hello"}}`
	good := ended(t, recorded(append(recordingOf(t, "b", "a", "c"), said)...))
	if _, err := verify(good); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(good))
	for i := range lines[:len(lines)-1] {
		for name, changed := range map[string][]string{
			"without": slices.Delete(slices.Clone(lines), i, i+1),
			"twice":   slices.Insert(slices.Clone(lines), i, lines[i]),
		} {
			if _, err := verify(strings.Join(changed, "")); !errors.Is(err, command.ErrUnverified) {
				t.Errorf("%s line %d: %v", name, i+1, err)
			}
		}
	}
	for name, text := range map[string]string{
		"another text":         strings.Replace(good, "hello", "hullo", 1),
		"more white space":     strings.Replace(good, `{"line":5,`, `{"line":5, `, 1),
		"lines for Windows":    strings.ReplaceAll(good, "\n", "\r\n"),
		"a line after its end": good + strings.Replace(lines[4], `"line":5`, `"line":7`, 1),
		"a blank line":         good + "\n",
		"bytes after its end":  good + "x",
	} {
		if _, err := verify(text); !errors.Is(err, command.ErrUnverified) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After a gap that the host reported, verification continues at the next snapshot.
func TestRecordingWithGap(t *testing.T) {
	t.Parallel()
	gap := `{"seq":9,"event":"session:resync","data":{"reason":"too_old","rev":7}}`
	lost := `{"seq":10,"event":"world:journey","data":{"rev":70,"merkleRootHex":"aa","merkleLeafCount":9}}`
	for sid, says := range map[string]string{"t": "", "s": "went back from rev 2 to 1"} {
		all := append(recordingOf(t, "a"), gap, lost)
		for _, line := range recordingIn(t, sid, "x", "y") {
			all = append(all, strings.Replace(line, `"seq":`, `"seq":1`, 1)) // 1 becomes 11
		}
		proved, err := verify(recorded(all...))
		if says == "" && (proved != 3 || err != nil) {
			t.Errorf("%d events are proved: %v", proved, err)
		}
		if says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%d events are proved in the same session: %v", proved, err)
		}
	}
}

// A recording without its end, as after a crash, is verified as far as it goes. An
// incomplete last line is left out.
func TestIncompleteRecording(t *testing.T) {
	t.Parallel()
	text := recorded(recordingOf(t, "a")...)
	lines := newRecordedLines(iotest.OneByteReader(strings.NewReader(strings.TrimSuffix(text, "\n"))))
	if _, err := lines.next(); err != nil {
		t.Fatal(err)
	}
	if _, err := lines.next(); !errors.Is(err, io.EOF) || lines.complete || lines.number != 1 {
		t.Errorf("the second line gives %v, complete %v, number %d", err, lines.complete, lines.number)
	}
	broken := errors.New("the disk is gone")
	if _, err := newRecordedLines(iotest.ErrReader(broken)).next(); !errors.Is(err, broken) {
		t.Errorf("a failing disk gives %v", err)
	}
	endless := io.MultiReader(strings.NewReader(`{"line":1,"context":"`), zeros{})
	if _, err := newRecordedLines(endless).next(); err == nil || !strings.Contains(err.Error(), "longer than 16 MiB") {
		t.Errorf("an endless line gives %v", err)
	}
}

// zeros is an endless text.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// Positions that no event has are those of events for other subscribers.
func TestGapsAreCounted(t *testing.T) {
	t.Parallel()
	var world recordedWorld
	for _, seq := range []uint64{3, 4, 7, 8, 10} {
		line := recordedLine{Seq: &seq, Event: protocol.EventInteraction, Data: []byte(`{}`)}
		if _, err := world.take(&line); err != nil {
			t.Fatal(err)
		}
	}
	if world.gaps != 3 {
		t.Errorf("%d gaps", world.gaps)
	}
}

// No recording causes a panic, and proved events have the stated root.
func FuzzRecording(f *testing.F) {
	good := recordingOf(f, "b", "a")
	f.Add([]byte(ended(f, recorded(good...))))
	f.Add([]byte(recorded(good[0], good[2], good[1])))
	f.Add([]byte(`{"line":1,"snapshot":{},"verification":""}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, world := newRecordedLines(bytes.NewReader(text)), recordedWorld{}
		for {
			line, err := lines.next()
			if err != nil {
				return
			}
			proved, err := world.take(line)
			if err != nil {
				return
			}
			if !proved {
				continue
			}
			state, err := chain.ParseEventState(line.Data)
			if err != nil || world.copy.Snapshot().Verify(state.MerkleRootHex, state.MerkleLeafCount) != nil {
				t.Fatalf("%s is proved and has another root: %v", line.Data, err)
			}
		}
	})
}
