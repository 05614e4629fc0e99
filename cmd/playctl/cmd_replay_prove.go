package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// longestRecordedLine bounds the memory that a recording can take.
const longestRecordedLine = 256 << 20

// recordedLines reads a recording line by line.
type recordedLines struct {
	in *bufio.Reader
	// number is that of the line read last, from 1.
	number int
	// cutOff says that the last line had no end and was left out.
	cutOff bool
}

func newRecordedLines(in io.Reader) *recordedLines {
	return &recordedLines{in: bufio.NewReaderSize(in, 64<<10)}
}

// next reads a line; io.EOF is the recording's end.
func (l *recordedLines) next() (*recordedLine, error) {
	var text []byte
	for {
		piece, err := l.in.ReadSlice('\n')
		text = append(text, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(text) <= longestRecordedLine:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("line %d of the recording is longer than any that playctl writes", l.number+1)
		case errors.Is(err, io.EOF):
			l.cutOff = len(bytes.TrimSpace(text)) > 0
			return nil, io.EOF
		case err != nil:
			return nil, fmt.Errorf("read the recording: %w", err)
		}
		l.number++
		if len(bytes.TrimSpace(text)) == 0 {
			text = text[:0]
			continue
		}
		var line recordedLine
		if err := protocol.Decode(text, &line); err != nil {
			return nil, fmt.Errorf("line %d is not of a recording: %w", l.number, err)
		}
		if (line.Snapshot == nil) == (line.Event == "") {
			return nil, fmt.Errorf("line %d is not of a recording: it is neither a snapshot nor an event", l.number)
		}
		return &line, nil
	}
}

// name tells a line from others in an error.
func (l *recordedLine) name() string {
	switch {
	case l.Snapshot != nil:
		return "a snapshot"
	case l.Seq == nil:
		return "an event " + string(l.Event)
	}
	return fmt.Sprintf("event %d (%s)", *l.Seq, l.Event)
}

// recordedWorld is the world of a recording, proved as it goes.
type recordedWorld struct {
	// copy is nil before the first snapshot.
	copy *chain.Snapshot
	// lost says that events are missing, as the host said itself; the next
	// snapshot makes up for them.
	lost bool
	// last is the position of the last event.
	last *uint64
}

// take goes one line on. proved is true for an event whose root and leaf count
// were compared and are equal; an error says what does not prove.
func (w *recordedWorld) take(line *recordedLine) (proved bool, err error) {
	if line.Snapshot != nil {
		return false, w.replace(line)
	}
	anew := line.Event == protocol.EventSessionReset || line.Event == protocol.EventSessionResync
	if line.Seq != nil && w.last != nil && *line.Seq <= *w.last && !anew {
		return false, fmt.Errorf("it comes after event %d", *w.last)
	}
	w.last = line.Seq
	if anew {
		w.lost = true
		return false, nil
	}
	state, err := chain.ParseEventState(line.Data)
	if err != nil {
		return false, err
	}
	if !w.provable(&state) {
		return false, nil
	}
	return w.prove(line, &state, *w.copy.Head().Rev)
}

// provable tells whether there is a copy to compare an event with, and the event
// is not from before it.
func (w *recordedWorld) provable(state *chain.EventState) bool {
	if w.copy == nil || w.lost || w.copy.Head().Rev == nil || state.Rev == nil || state.MerkleRootHex == "" {
		return false
	}
	have := *w.copy.Head().Rev
	return *state.Rev > have || *state.Rev == have && state.Notify == nil
}

// prove merges an event and compares. The rev of one that changes the map is one
// above the rev before, and that of any other is the rev before: where it is not,
// a line is missing.
func (w *recordedWorld) prove(line *recordedLine, state *chain.EventState, have uint64) (bool, error) {
	want := have
	if state.Notify != nil {
		want++
	}
	if *state.Rev != want {
		return false, fmt.Errorf("it is of rev %d, the recording is at rev %d: events are missing", *state.Rev, have)
	}
	next := w.copy
	if state.Notify != nil {
		if len(state.Inline) != len(state.Notify.Nodes) {
			return false, fmt.Errorf("it has %d rows and should have %d", len(state.Inline), len(state.Notify.Nodes))
		}
		for i, ref := range state.Notify.Nodes {
			if err := chain.AnswersFor(state.Inline[i], ref.StableKey); err != nil {
				return false, err
			}
		}
		merged, err := w.copy.Merge(state.Inline...)
		if err != nil {
			return false, err
		}
		next = merged
	}
	if err := next.Verify(state.MerkleRootHex, state.MerkleLeafCount); err != nil {
		return false, err
	}
	w.copy = next.At(state.Rev, line.Seq)
	return true, nil
}

// replace takes a snapshot, if it is what it says it is, and was when it was
// recorded.
func (w *recordedWorld) replace(line *recordedLine) error {
	snapshot, stated, err := chain.ParseSnapshot(line.Snapshot)
	if err != nil {
		return err
	}
	if line.Verification == sdk.Mismatched.String() {
		return errors.New("it was not what the host's own root said when it was recorded")
	}
	if stated.MerkleRootHex != "" {
		if err := snapshot.Verify(stated.MerkleRootHex, stated.MerkleLeafCount); err != nil {
			return err
		}
	}
	w.copy, w.lost = snapshot, false
	return nil
}
