package backup

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	// SetTerm sets a record's Term if its kind has one; nil if no kind has.
	SetTerm func(*store.Record) error
	// SID is the new session, a random UUID v4.
	SID string
	// Now is the time of the restore.
	Now time.Time
}

// Restore restores the backup's world in a new store: the map in a new session, in one
// entry, then every table. The world exists if Restore returns nil, and otherwise
// nothing does. It fails as the import does, with store.ErrNotEmpty if there is a
// world. It returns the description of the backup.
func Restore(ctx context.Context, r io.Reader, to Target) (info Info, err error) {
	var tables [][]store.Record
	read, err := readAll(ctx, r, func(some []store.Record) { tables = append(tables, some) })
	if err != nil {
		return Info{}, err
	}
	entry, err := restored(&read, to)
	if err != nil {
		return Info{}, err
	}
	tables = append(tables, []store.Record{{
		Table: store.Meta, Key: []byte(store.ResetSeqKey), Value: binary.BigEndian.AppendUint64(nil, entry.Seq),
	}})
	if err := setTerms(tables, to.SetTerm); err != nil {
		return Info{}, err
	}
	into, err := to.Begin(read.info.RootKey)
	if err != nil {
		return Info{}, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	if err := fill(ctx, into, entry, tables); err != nil {
		return Info{}, fmt.Errorf("restoring: %w", err)
	}
	if err := readBack(ctx, into, read.info.RootKey, &entry, tables); err != nil {
		return Info{}, fmt.Errorf("verifying what was restored: %w", err)
	}
	if err := into.Finish(ctx); err != nil {
		return Info{}, fmt.Errorf("finishing the restore: %w", err)
	}
	return read.info, nil
}

func setTerms(tables [][]store.Record, setTerm func(*store.Record) error) error {
	if setTerm == nil {
		return nil
	}
	for _, records := range tables {
		for i := range records {
			if err := setTerm(&records[i]); err != nil {
				return fmt.Errorf("%w: the record %q of the table %s: %w", ErrInvalid, records[i].Key, records[i].Table, err)
			}
		}
	}
	return nil
}

// fill commits the entry, and then the records with entries that change nothing else.
func fill(ctx context.Context, into store.Journal, entry store.Entry, tables [][]store.Record) error {
	var tip store.Tip
	commit := func(e store.Entry) (err error) {
		e.Position = tip.Position + 1
		batch := store.Batch{After: tip, Entries: []store.Entry{e}}
		// Since Go 1.24 rand.Read fills the slice or ends the program.
		_, _ = rand.Read(batch.Commit[:])
		tip, err = into.Commit(ctx, &batch)
		return err
	}
	if err := commit(entry); err != nil {
		return err
	}
	for _, records := range tables {
		err := commit(store.Entry{At: entry.At, Rev: entry.Rev, Seq: entry.Seq, Root: entry.Root, LeafCount: entry.LeafCount, Records: records})
		if err != nil {
			return err
		}
	}
	return nil
}

// readBack reads what was restored, and compares the map with its root and the number of
// records.
func readBack(ctx context.Context, j store.Source, rootKey string, entry *store.Entry, tables [][]store.Record) error {
	state, err := replay.State(ctx, j, rootKey)
	if err != nil {
		return err
	}
	if state.Rev != entry.Rev || state.Root != entry.Root {
		return fmt.Errorf("%w: it is another world", store.ErrCorrupt)
	}
	isReset := func(r *store.Record) bool { return r.Table == store.Meta && string(r.Key) == store.ResetSeqKey }
	missing := 0
	for _, records := range tables {
		for i := range records {
			if !isReset(&records[i]) {
				missing++
			}
		}
	}
	for r, err := range store.Records(ctx, j) {
		if err != nil {
			return err
		}
		if !isReset(&r) {
			missing--
		}
	}
	if missing != 0 {
		return fmt.Errorf("%w: %d records are missing", store.ErrCorrupt, missing)
	}
	return nil
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
		At: to.Now.UnixMilli(), Rev: state.Rev + Jump, Seq: state.Seq + Jump,
		MapChanged: true, Cleared: true, Header: &header, Rows: state.Rows,
		Events: []store.Event{{Kind: string(protocol.EventSessionReset), Data: data}},
	}
	before := replay.New(c.info.RootKey)
	_, err = before.SetRoot(&e)
	return e, err
}
