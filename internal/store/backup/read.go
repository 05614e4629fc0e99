package backup

import (
	"context"
	"fmt"
	"io"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// content is the content of a backup.
type content struct {
	info  Info
	state store.State
}

// Verify reads a backup to its end and returns its description: its checksum is
// right, and its rows have the root that it states. It fails with ErrInvalid, or
// with store.ErrFormat for a backup of another format.
func Verify(ctx context.Context, r io.Reader) (Info, error) {
	read, err := readAll(ctx, r, func([]store.Record) {})
	return read.info, err
}

// readAll reads a backup; keep gets its records in order.
func readAll(ctx context.Context, r io.Reader, keep func([]store.Record)) (content, error) {
	var c content
	in := newReader(r)
	var err error
	if c.info, err = in.head(); err != nil {
		return content{}, err
	}
	kind, payload, err := in.frame()
	if err != nil {
		return content{}, err
	}
	if kind != frameState {
		return content{}, fmt.Errorf("%w: it has no map", ErrInvalid)
	}
	if c.state, err = store.DecodeState(payload); err != nil {
		return content{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for {
		if err := ctx.Err(); err != nil {
			return content{}, err
		}
		kind, payload, err := in.frame()
		if err != nil {
			return content{}, err
		}
		switch kind {
		case frameRecords:
			records, err := decodeRecords(payload)
			if err != nil {
				return content{}, err
			}
			c.info.Records += uint64(len(records))
			keep(records)
		case frameSum:
			err := c.check()
			return c, err
		default:
			return content{}, fmt.Errorf("%w: it has a part of the unknown type %q", ErrInvalid, kind)
		}
	}
}

func decodeRecords(payload []byte) ([]store.Record, error) {
	e, err := store.DecodeEntry(payload)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for i := range e.Records {
		if r := &e.Records[i]; r.Value == nil || !r.Table.Known() {
			return nil, fmt.Errorf("%w: it has a record of the unknown table %q", ErrInvalid, r.Table)
		}
	}
	return e.Records, nil
}

// check compares the head and the rows with the stated root of the map.
func (c *content) check() error {
	stated := infoOf(c.info.RootKey, &c.state)
	// Records are not in the state, and times are not compared with ==.
	same := c.info.At.Equal(stated.At)
	stated.Records, stated.At = c.info.Records, c.info.At
	if !same || c.info != stated {
		return fmt.Errorf("%w: its head is about another world", ErrInvalid)
	}
	if _, err := replay.FromState(c.info.RootKey, &c.state); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}
