package stream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// longestRecordedLine limits the memory for a line of a recording.
const longestRecordedLine = 256 << 20

// recordedLines reads a recording line by line.
type recordedLines struct {
	in *bufio.Reader
	// number is the number of the last line, from 1.
	number int
	// cutOff is set if the last line was incomplete and was ignored.
	cutOff bool
}

func newRecordedLines(in io.Reader) *recordedLines {
	return &recordedLines{in: bufio.NewReaderSize(in, 64<<10)}
}

// next reads a line; io.EOF marks the end of the recording.
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
			why := "its fields have values of the wrong type"
			if _, refused := protocol.ParseObject(text); refused != nil {
				why = strings.Replace(refused.Message, "the body", "it", 1)
			}
			return nil, command.Hintf(fmt.Errorf("line %d is not a valid recording line: %s", l.number, why), "create recordings with \"playctl tail --record\"")
		}
		if (line.Snapshot == nil) == (line.Event == "") {
			return nil, fmt.Errorf("line %d is not a valid recording line: it is neither a snapshot nor an event", l.number)
		}
		return &line, nil
	}
}

// recordedLine is one line of a recording: a full read of the world, or an event with its
// changed rows. The line of an event is the same as in the output of "playctl tail".
type recordedLine struct {
	Context      string             `json:"context,omitempty"`
	Snapshot     json.RawMessage    `json:"snapshot,omitempty"`     // a full read of the world; absent in the line of an event
	Verification string             `json:"verification,omitempty"` // the result of the verification of the snapshot
	Seq          *uint64            `json:"seq,omitempty"`          // the number of the event
	Event        protocol.EventKind `json:"event,omitempty"`        // the kind of the event
	Data         json.RawMessage    `json:"data,omitempty"`         // what the event says, with the rows that it changed
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
	copy chain.Copy
	// lost is set while events are missing, as the host itself reported; the next snapshot
	// replaces them.
	lost bool
	// last is the position of the last event.
	last *uint64
}

// take applies one line. proved is true for an event whose root and leaf count were
// compared and are equal; the error is a failed verification.
func (w *recordedWorld) take(line *recordedLine) (proved bool, err error) {
	if line.Snapshot != nil {
		return false, w.replace(line)
	}
	restarted := line.Event == protocol.EventSessionReset || line.Event == protocol.EventSessionResync
	if line.Seq != nil && w.last != nil && *line.Seq <= *w.last && !restarted {
		return false, fmt.Errorf("it comes after event %d", *w.last)
	}
	w.last = line.Seq
	if restarted {
		w.lost = true
		return false, nil
	}
	state, err := chain.ParseEventState(line.Data)
	if err != nil {
		return false, err
	}
	return w.prove(line, &state)
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
	return w.copy.Replace(snapshot, stated)
}

// recorder writes a recording. The file appears under its name with the first complete
// line, and never replaces another file.
type recorder struct {
	path    string
	context string
	file    *os.File
}

// newRecorder returns the recorder of a file that must not exist yet.
func newRecorder(path, context string) (*recorder, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, command.Hintf(fmt.Errorf("%s already exists", path), "use another file for the recording")
	}
	return &recorder{path: path, context: context}, nil
}

// snapshot records a full read.
func (r *recorder) snapshot(state *sdk.State) error {
	text, err := state.Snapshot.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("record the world: %w", err)
	}
	return r.write(recordedLine{Context: r.context, Snapshot: text, Verification: state.Verification.String()})
}

// event records an event.
func (r *recorder) event(event *sdk.Event) error {
	line := recordedLine{Context: r.context, Event: event.Kind, Data: event.Data}
	if event.HasSeq {
		line.Seq = &event.Seq
	}
	return r.write(line)
}

// write appends a line in a single write.
func (r *recorder) write(line recordedLine) error {
	text, err := encodeLine(line)
	if err != nil {
		return fmt.Errorf("record an event: %w", err)
	}
	if r.file == nil {
		return r.create(text)
	}
	if _, err := r.file.Write(text); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	return nil
}

// encodeLine returns a value as one line of JSON.
func encodeLine(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.Bytes(), err
}

// recordingMode lets everybody read a recording, within the umask: it has what every
// subscriber sees, and no secret.
const recordingMode = 0o644

// create writes a temporary file with the first line in the same folder and links it to
// the path, which fails if that exists already.
func (r *recorder) create(first []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("begin the recording: %w", err)
		}
	}()
	file, err := os.CreateTemp(filepath.Dir(r.path), "."+filepath.Base(r.path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(first)
	if err == nil {
		err = file.Chmod(recordingMode)
	}
	if err == nil {
		err = os.Link(file.Name(), r.path)
	}
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		return errors.Join(err, file.Close())
	}
	r.file = file
	return nil
}

// close syncs the recording to the disk and closes it.
func (r *recorder) close() error {
	if r.file == nil {
		return nil
	}
	if err := errors.Join(r.file.Sync(), r.file.Close()); err != nil {
		return fmt.Errorf("end the recording: %w", err)
	}
	return nil
}
