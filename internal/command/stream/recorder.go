package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/sdk"
)

// recorder writes a recording. The file appears under its name with the first complete
// line, and never replaces another file.
type recorder struct {
	path    string
	context string
	file    *os.File
	// lines is the number of lines in the file, and digest the SHA-256 of its bytes.
	lines  int
	digest hash.Hash
	// broken is set after a line could not be written whole.
	broken bool
}

// newRecorder returns the recorder of a file that must not exist yet.
func newRecorder(path, context string) (*recorder, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, command.Hintf(fmt.Errorf("%s already exists", path), "use another file for the recording")
	}
	return &recorder{path: path, context: context, digest: sha256.New()}, nil
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

// write appends a line, with its number, in a single write.
func (r *recorder) write(line recordedLine) error {
	line.Number = r.lines + 1
	text, err := encodeLine(line)
	switch {
	case err != nil:
		return fmt.Errorf("record line %d: %w", line.Number, err)
	case len(text) > maxRecordedLine:
		return fmt.Errorf("a recording has lines of at most %d MiB: this world with its journeys and tools is larger", maxRecordedLine>>20)
	case r.file == nil:
		err = r.create(text)
	default:
		_, err = r.file.Write(text)
	}
	if err != nil {
		r.broken = true
		if failed, ok := errors.AsType[*os.PathError](err); ok {
			failed.Path = r.path // instead of the temporary file's, which is gone
		}
		return fmt.Errorf("write the recording: %w", err)
	}
	r.lines++
	r.digest.Write(text)
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

// close writes the end of the recording, syncs it to the disk and closes it. Without a
// whole last line it stays without an end.
func (r *recorder) close() error {
	if r.file == nil {
		return nil
	}
	var err error
	if !r.broken {
		err = r.write(recordedLine{End: &recordedEnd{r.lines, hex.EncodeToString(r.digest.Sum(nil))}})
	}
	if err := errors.Join(err, r.file.Sync(), r.file.Close()); err != nil {
		return fmt.Errorf("end the recording: %w", err)
	}
	return nil
}
