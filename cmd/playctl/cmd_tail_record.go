package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// recordedLine is one line of a recording: a full read of the world, or an event
// with the rows that it changed. An event's line is what "playctl tail" prints
// of it.
type recordedLine struct {
	Context string `json:"context,omitempty"`
	// Snapshot and Verification are those of a full read.
	Snapshot     json.RawMessage `json:"snapshot,omitempty"`
	Verification string          `json:"verification,omitempty"`
	// Seq, Event and Data are those of an event.
	Seq   *uint64            `json:"seq,omitempty"`
	Event protocol.EventKind `json:"event,omitempty"`
	Data  json.RawMessage    `json:"data,omitempty"`
}

// recorder writes a recording. The file appears under its name with the first
// whole line in it, and never takes the place of another.
type recorder struct {
	path    string
	context string
	file    *os.File
}

// newRecorder makes the recorder of a file that must not be there yet.
func newRecorder(path, context string) (*recorder, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, hintf(fmt.Errorf("%s: there is a file already", path), "name another file for the recording")
	}
	return &recorder{path: path, context: context}, nil
}

// snapshot records a full read.
func (r *recorder) snapshot(update *sdk.Update) error {
	text, err := update.Snapshot.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("record the world: %w", err)
	}
	return r.write(recordedLine{Context: r.context, Snapshot: text, Verification: update.Verification.String()})
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

// encodeLine is a value as one line of JSON.
func encodeLine(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.Bytes(), err
}

// recordingMode lets everybody read a recording, as far as their umask says: it
// holds what every subscriber sees, and no secret.
const recordingMode = 0o644

// create makes the file with its first line beside its place and links it there,
// which fails if something is there already.
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

// close ends the recording; what was recorded is on the disk then.
func (r *recorder) close() error {
	if r.file == nil {
		return nil
	}
	if err := errors.Join(r.file.Sync(), r.file.Close()); err != nil {
		return fmt.Errorf("end the recording: %w", err)
	}
	return nil
}
