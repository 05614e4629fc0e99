package backup

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/verify"
	"github.com/playctl/playctl/protocol"
)

// Jump is how far rev and seq of a restored world are above the backup's, so that
// none that anybody saw after the backup comes again (protocol section 1).
const Jump = 1 << 32

// ReasonRestore is the reason of the `session:reset` that a restored world begins
// with.
const ReasonRestore = "restore"

// ErrNotEmpty means that the store to restore into holds a world already.
var ErrNotEmpty = errors.New("the store to restore into is not empty")

// Target says where a backup is restored to.
type Target struct {
	// Open opens the store for the backup's root key. Restore closes what it
	// returned. It is called when the whole backup was read and found right.
	Open func(rootKey string) (store.Journal, error)
	// SID is the new session, a random UUID v4.
	SID string
	// Now is the time of the restore.
	Now time.Time
}

// Restore makes the backup's world in an empty store: the map, every table, a new
// session. All of it is one entry, so a restore that fails leaves the store
// empty. It returns what the backup holds.
func Restore(ctx context.Context, r io.Reader, to Target) (info Info, err error) {
	var records []store.Record
	read, err := readAll(ctx, r, func(some []store.Record) { records = append(records, some...) })
	if err != nil {
		return Info{}, err
	}
	entry, err := restored(&read, records, to)
	if err != nil {
		return Info{}, err
	}
	j, err := to.Open(read.info.RootKey)
	if err != nil {
		return Info{}, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	_, err = j.Append(ctx, 0, []store.Entry{entry})
	if errors.Is(err, store.ErrConflict) {
		return Info{}, fmt.Errorf("%w: %w; restore into another folder, or move the old store away", ErrNotEmpty, err)
	}
	return read.info, err
}

// restored is the entry that makes the world.
func restored(c *content, records []store.Record, to Target) (store.Entry, error) {
	state := &c.state
	if max(state.Rev, state.Seq) > protocol.MaxSafeInteger-Jump {
		return store.Entry{}, fmt.Errorf("%w: its rev %d and seq %d leave no room for a restore", ErrInvalid, state.Rev, state.Seq)
	}
	header := state.Header
	header.SID = to.SID
	tree, err := verify.Tree(c.info.RootKey, &header, state.Rows)
	if err != nil {
		return store.Entry{}, err
	}
	data, err := json.Marshal(&protocol.SessionResetData{Reason: ReasonRestore, SID: to.SID})
	if err != nil {
		return store.Entry{}, fmt.Errorf("encoding the event of the restore: %w", err)
	}
	seq := state.Seq + Jump
	records = append(records, store.Record{
		Table: store.Meta, Key: []byte(store.ResetSeqKey), Value: binary.BigEndian.AppendUint64(nil, seq),
	})
	return store.Entry{
		Position: 1, At: to.Now.UnixMilli(), Rev: state.Rev + Jump, Seq: seq,
		Root: tree.Root(), LeafCount: uint32(min(tree.Len(), math.MaxUint32)),
		MapChanged: true, Cleared: true, Header: &header, Rows: state.Rows,
		Events:  []store.Event{{Kind: string(protocol.EventSessionReset), Data: data}},
		Records: records,
	}, nil
}
