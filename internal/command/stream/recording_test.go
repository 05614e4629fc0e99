package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// recordingOf returns a recording of a world in which placements come and go, generated
// with the chain itself.
func recordingOf(t testing.TB, names ...string) []string {
	t.Helper()
	rev := uint64(1)
	world, err := chain.NewSnapshot(chain.Head{SID: "s", MainNodeID: "m", Rev: &rev}, nil)
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
	if proved, err := verify(strings.Join(good, "\n") + "\n"); proved != 3 || err != nil {
		t.Fatalf("%d events are proved: %v", proved, err)
	}
	change := func(line int, old, next string) string {
		lines := append([]string{}, good...)
		if !strings.Contains(lines[line], old) {
			t.Fatalf("there is no %s in %s", old, lines[line])
		}
		lines[line] = strings.Replace(lines[line], old, next, 1)
		return strings.Join(lines, "\n") + "\n"
	}
	without := func(line int) string {
		return strings.Join(append(append([]string{}, good[:line]...), good[line+1:]...), "\n") + "\n"
	}
	for name, test := range map[string]struct{ text, says string }{
		"a row changed":         {change(2, `"name":"a"`, `"name":"A"`), "root"},
		"a key changed":         {change(2, `"stableKey":"mcp:a"`, `"stableKey":"mcp:z"`), "asked for"},
		"rows missing":          {change(2, `"playerChainNodes"`, `"leftOut"`), "0 inline nodes"},
		"another count":         {change(3, `"merkleLeafCount":5`, `"merkleLeafCount":6`), "leaves"},
		"another root":          {change(1, `"merkleRootHex":"`, `"merkleRootHex":"00`), "root"},
		"an event missing":      {without(2), "events are missing"},
		"a duplicate event":     {strings.Join(append(good, good[3]), "\n") + "\n", "comes after event 3"},
		"a snapshot changed":    {change(0, `"sid":"s"`, `"sid":"t"`), "root"},
		"a mismatched snapshot": {change(0, `"verified"`, `"mismatched"`), "when it was recorded"},
		"an invalid snapshot":   {change(0, `"worldMap"`, `"map"`), "snapshot cannot be read"},
		"an invalid notify":     {change(1, `"playerChainNotify":{`, `"playerChainNotify":7,"x":{`), "playerChainNotify"},
		"no JSON":               {change(1, `{`, `[`), "not a valid recording line"},
		"neither":               {`{"seq":1}` + "\n", "neither"},
		"both":                  {change(0, `{`, `{"event":"world:journey",`), "neither"},
	} {
		if proved, err := verify(test.text); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %d events are proved, %v", name, proved, err)
		}
	}
}

// After a gap that the host reported, verification continues at the next snapshot.
func TestRecordingWithGap(t *testing.T) {
	t.Parallel()
	first, second := recordingOf(t, "a"), recordingOf(t, "x", "y")
	gap := `{"seq":9,"event":"session:resync","data":{"reason":"too_old","rev":7}}`
	lost := `{"seq":10,"event":"world:journey","data":{"rev":70,"merkleRootHex":"aa","merkleLeafCount":9}}`
	again := make([]string, len(second))
	for i, line := range second {
		again[i] = strings.Replace(line, `"seq":`, `"seq":1`, 1) // 1 becomes 11
	}
	all := append(append(first, gap, lost), again...)
	if proved, err := verify(strings.Join(all, "\n") + "\n"); proved != 3 || err != nil {
		t.Errorf("%d events are proved: %v", proved, err)
	}
}

// An incomplete last line, as after a crash, is ignored and reported.
func TestIncompleteRecording(t *testing.T) {
	t.Parallel()
	text := strings.Join(recordingOf(t, "a"), "\n")
	lines := newRecordedLines(iotest.OneByteReader(strings.NewReader(text)))
	if _, err := lines.next(); err != nil {
		t.Fatal(err)
	}
	if _, err := lines.next(); !errors.Is(err, io.EOF) || !lines.cutOff {
		t.Errorf("the second line gives %v, cut off %v", err, lines.cutOff)
	}
	broken := errors.New("the disk is gone")
	if _, err := newRecordedLines(iotest.ErrReader(broken)).next(); !errors.Is(err, broken) {
		t.Errorf("a failing disk gives %v", err)
	}
}

// No recording causes a panic, and proved events have the stated root.
func FuzzRecording(f *testing.F) {
	good := recordingOf(f, "b", "a")
	f.Add([]byte(strings.Join(good, "\n") + "\n"))
	f.Add([]byte(good[0] + "\n" + good[2] + "\n" + good[1] + "\n"))
	f.Add([]byte(`{"snapshot":{},"verification":""}` + "\n"))
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
