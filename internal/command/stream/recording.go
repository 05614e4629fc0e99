package stream

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// maxRecordedLine is how long a line of a recording may be, in bytes. The longest one has
// the snapshot of a whole world.
const maxRecordedLine = 16 << 20

// recordedLines reads a recording line by line, and checks that it has every line that was
// written, unchanged.
type recordedLines struct {
	in *bufio.Reader
	// number is the number of the last line, from 1.
	number int
	// digest is the SHA-256 of the lines so far.
	digest hash.Hash
	// complete is set after the last line of a complete recording.
	complete bool
}

func newRecordedLines(in io.Reader) *recordedLines {
	return &recordedLines{in: bufio.NewReaderSize(in, 64<<10), digest: sha256.New()}
}

// next reads a line; io.EOF marks the end of the recording. It fails with
// command.ErrUnverified if a line is missing or was changed.
func (l *recordedLines) next() (*recordedLine, error) {
	text, err := l.text()
	if err != nil {
		return nil, err
	}
	l.number++
	line, err := l.parse(text)
	switch {
	case err != nil:
		return nil, err
	case line.Number != l.number:
		return nil, l.changed(fmt.Errorf("it has the number %d, so lines are missing or in another order", line.Number))
	case l.complete:
		return nil, l.changed(errAfterEnd)
	case line.End == nil:
		l.digest.Write(text)
		return line, nil
	}
	if stated := (recordedEnd{l.number - 1, hex.EncodeToString(l.digest.Sum(nil))}); *line.End != stated {
		return nil, l.changed(fmt.Errorf("the lines before it are not those that were recorded: their SHA-256 is %s, not %s", stated.SHA256, line.End.SHA256))
	}
	l.complete = true
	return l.next()
}

// errAfterEnd is the reason for a line that no recorder wrote: it ends with the last one.
var errAfterEnd = errors.New("it comes after the end of the recording")

// text reads the bytes of a line, with its line feed. A last line without one was cut off
// and is left out, unless the recording has ended before it.
func (l *recordedLines) text() ([]byte, error) {
	var text []byte
	for {
		piece, err := l.in.ReadSlice('\n')
		text = append(text, piece...)
		switch {
		case len(text) > maxRecordedLine:
			return nil, fmt.Errorf("line %d of the recording is longer than %d MiB, the longest that playctl writes", l.number+1, maxRecordedLine>>20)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && l.complete && len(text) > 0:
			l.number++
			return nil, l.changed(errAfterEnd)
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			return nil, fmt.Errorf("read the recording: %w", err)
		}
		return text, nil
	}
}

// parse parses a line. What no recorder writes is a changed line, unless it is the first
// one: then the file is not a recording.
func (l *recordedLines) parse(text []byte) (*recordedLine, error) {
	var line recordedLine
	err := protocol.Decode(text, &line)
	switch {
	case err == nil && line.isOne() && line.Number > 0:
		return &line, nil
	case err == nil && line.isOne():
		err = errors.New("it has no number")
	case err == nil:
		err = errors.New("it is not one of a snapshot, an event and the end")
	default:
		why := "its fields have values of the wrong type"
		if _, refused := protocol.ParseObject(text); refused != nil {
			why = strings.Replace(refused.Message, "the body", "it", 1)
		}
		err = errors.New(why)
	}
	if l.number > 1 {
		return nil, l.changed(err)
	}
	return nil, command.Hintf(fmt.Errorf("line %d is not a valid recording line: %w", l.number, err), "create recordings with \"playctl tail --record\"")
}

// changed returns the error of a line that is not as it was recorded.
func (l *recordedLines) changed(err error) error {
	return fmt.Errorf("%w: line %d: %w", command.ErrUnverified, l.number, err)
}

// recordedLine is one line of a recording: a full read of the world, an event with its
// changed rows, or the end. The line of an event is the same as in the output of "playctl
// tail", after its number.
type recordedLine struct {
	Number       int                `json:"line"` // the number of the line, from 1
	Context      string             `json:"context,omitempty"`
	Snapshot     json.RawMessage    `json:"snapshot,omitempty"`     // a full read of the world; absent in other lines
	Verification string             `json:"verification,omitempty"` // the result of the verification of the snapshot
	Seq          *uint64            `json:"seq,omitempty"`          // the number of the event
	Event        protocol.EventKind `json:"event,omitempty"`        // the kind of the event
	Data         json.RawMessage    `json:"data,omitempty"`         // what the event says, with the rows that it changed
	End          *recordedEnd       `json:"end,omitempty"`          // the end of a complete recording: the last line
}

// recordedEnd states what is before the last line of a recording. It finds a file that was
// cut off, damaged or edited; anyone who edits a file on purpose can compute it anew.
type recordedEnd struct {
	Lines  int    `json:"lines"`  // the number of lines before it
	SHA256 string `json:"sha256"` // the SHA-256 of all bytes before it, in lower-case hex
}

// isOne reports whether a line is exactly one of its three kinds.
func (l *recordedLine) isOne() bool {
	kinds := 0
	for _, is := range []bool{l.Snapshot != nil, l.Event != "", l.End != nil} {
		if is {
			kinds++
		}
	}
	return kinds == 1
}

// name identifies the line in an error.
func (l *recordedLine) name() string {
	switch {
	case l.Snapshot != nil:
		return "a snapshot"
	case l.Seq == nil:
		return "an event " + string(l.Event)
	}
	return fmt.Sprintf("event %d (%s)", *l.Seq, l.Event)
}

// recordedWorld is the world of a recording, verified line by line.
type recordedWorld struct {
	copy    chain.Copy
	witness chain.Witness
	// lost is set while events are missing, as the host itself reported; the next snapshot
	// replaces them.
	lost bool
	// last is the position of the last event.
	last *uint64
	// gaps counts the positions between two events that no event has: the events there were
	// for other subscribers only.
	gaps uint64
}

// take applies one line. proved is true for an event whose root and leaf count were
// compared and are equal; the error is a failed verification.
func (w *recordedWorld) take(line *recordedLine) (proved bool, err error) {
	if line.Snapshot != nil {
		return false, w.replace(line)
	}
	if err := w.follow(line); err != nil {
		return false, err
	}
	switch line.Event {
	case protocol.EventSessionReset:
		w.witness = chain.Witness{}
		fallthrough
	case protocol.EventSessionResync:
		w.lost = true
		return false, nil
	}
	state, err := chain.ParseEventState(line.Data)
	if err != nil {
		return false, err
	}
	if err := w.witness.Event(line.Seq, &state); err != nil {
		return false, err
	}
	return w.prove(line, &state)
}

// follow takes the position of an event.
func (w *recordedWorld) follow(line *recordedLine) error {
	before := w.last
	w.last = line.Seq
	if line.Seq == nil {
		return nil
	}
	if err := w.witness.Position(*line.Seq); err != nil {
		return err
	}
	if before == nil || line.Event == protocol.EventSessionReset || line.Event == protocol.EventSessionResync {
		return nil
	}
	if *line.Seq <= *before {
		return fmt.Errorf("it comes after event %d", *before)
	}
	w.gaps += *line.Seq - *before - 1
	return nil
}

// prove merges an event into the copy and compares, unless the event states no root or is
// older than the copy.
func (w *recordedWorld) prove(line *recordedLine, state *chain.EventState) (bool, error) {
	have, known := w.copy.Rev()
	if !known || w.lost || state.Rev == nil || state.MerkleRootHex == "" || w.copy.Need(state) == chain.NeedNothing {
		return false, nil
	}
	// An event that changes the map has the rev after the previous one, any other event the
	// same rev: otherwise a line is missing.
	want := have
	if state.Notify != nil {
		want++
	}
	if *state.Rev != want {
		return false, fmt.Errorf("it has rev %d, but the recording is at rev %d: events are missing", *state.Rev, have)
	}
	found, err := w.copy.Apply(state, line.Seq)
	if found == chain.Equal {
		w.witness.Verified(w.copy.Snapshot())
	}
	return found == chain.Equal, err
}

// replace replaces the copy by a snapshot, if its root is the stated one and no mismatch
// was recorded for it.
func (w *recordedWorld) replace(line *recordedLine) error {
	snapshot, stated, err := chain.ParseSnapshot(line.Snapshot)
	if err != nil {
		return err
	}
	if line.Verification == chain.Mismatched.String() {
		return errors.New("it did not match the host's root when it was recorded")
	}
	w.lost = false
	if err := w.witness.Whole(snapshot, stated); err != nil {
		return err
	}
	if err := w.copy.Replace(snapshot, stated); err != nil {
		return err
	}
	if w.copy.Verification() == chain.Verified {
		w.witness.Verified(w.copy.Snapshot())
	}
	return nil
}
