package backup

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// Jump is added to rev and seq of a restored world, so that no number that was used
// after the backup is used again (protocol reference, "Ground rules").
const Jump = 1 << 32

// ReasonRestore is the reason of the `session:reset` with which a restored world
// begins.
const ReasonRestore = "restore"

// Target is the target of a restore.
type Target struct {
	// Begin begins the import for the backup's root key. It is called when the whole
	// backup was read and verified.
	Begin func(rootKey string) (store.Import, error)
	// SetTerm sets a record's Term if its kind has one; nil if the target keeps no
	// deadlines.
	SetTerm func(*store.Record) error
	// SID is the new session, a random UUID v4.
	SID string
	// Now is the time of the restore.
	Now time.Time
}

// recordsAtOnce is the number of records of one write to a store.
const recordsAtOnce = 256

// Restore restores the backup's world in a new store: the map, every table, a new
// session, in one entry. The world exists if Restore returns nil, and otherwise
// nothing does. It fails as the import does, with store.ErrNotEmpty if there is a
// world. It returns the description of the backup.
func Restore(ctx context.Context, r io.Reader, to Target) (info Info, err error) {
	var records []store.Record
	read, err := readAll(ctx, r, func(some []store.Record) { records = append(records, some...) })
	if err != nil {
		return Info{}, err
	}
	entry, err := restored(&read, to)
	if err != nil {
		return Info{}, err
	}
	records = append(records, store.Record{
		Table: store.Meta, Key: []byte(store.ResetSeqKey), Value: binary.BigEndian.AppendUint64(nil, entry.Seq),
	})
	if err := setTerms(records, to.SetTerm); err != nil {
		return Info{}, err
	}
	into, err := to.Begin(read.info.RootKey)
	if err != nil {
		return Info{}, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	if err := fill(ctx, into, &entry, records); err != nil {
		return Info{}, fmt.Errorf("restoring: %w", err)
	}
	state, err := replay.State(ctx, into.Source(), read.info.RootKey)
	if err != nil {
		return Info{}, fmt.Errorf("verifying what was restored: %w", err)
	}
	if state.Position != entry.Position || state.Root != entry.Root {
		return Info{}, fmt.Errorf("%w: what was restored is another world", store.ErrCorrupt)
	}
	if err := into.Finish(ctx); err != nil {
		return Info{}, fmt.Errorf("finishing the restore: %w", err)
	}
	return read.info, nil
}

func setTerms(records []store.Record, setTerm func(*store.Record) error) error {
	if setTerm == nil {
		return nil
	}
	for i := range records {
		if err := setTerm(&records[i]); err != nil {
			return fmt.Errorf("%w: the record %q of the table %s: %w", ErrInvalid, records[i].Key, records[i].Table, err)
		}
	}
	return nil
}

func fill(ctx context.Context, into store.Import, entry *store.Entry, records []store.Record) error {
	if err := into.Entries(ctx, []store.Entry{*entry}); err != nil {
		return err
	}
	for some := range slices.Chunk(records, recordsAtOnce) {
		if err := into.Records(ctx, some); err != nil {
			return err
		}
	}
	return into.Complete(ctx, new(store.Content))
}

// restored returns the entry that restores the world.
func restored(c *content, to Target) (store.Entry, error) {
	state := &c.state
	if max(state.Rev, state.Seq) > protocol.MaxSafeInteger-Jump {
		return store.Entry{}, fmt.Errorf("%w: its rev %d and seq %d leave no room for a restore", ErrInvalid, state.Rev, state.Seq)
	}
	header := state.Header
	header.SID = to.SID
	data, err := json.Marshal(&protocol.SessionResetData{Reason: ReasonRestore, SID: to.SID})
	if err != nil {
		return store.Entry{}, fmt.Errorf("encoding the event of the restore: %w", err)
	}
	e := store.Entry{
		Position: 1, At: to.Now.UnixMilli(), Rev: state.Rev + Jump, Seq: state.Seq + Jump,
		MapChanged: true, Cleared: true, Header: &header, Rows: state.Rows,
		Events: []store.Event{{Kind: string(protocol.EventSessionReset), Data: data}},
	}
	before := replay.New(c.info.RootKey)
	_, err = before.SetRoot(&e)
	return e, err
}
