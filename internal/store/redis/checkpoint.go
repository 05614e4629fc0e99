package redis

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

// uploadTerm is the lifetime of the parts of an unfinished checkpoint.
const uploadTerm = 5 * time.Minute

// Checkpoint implements store.Journal. A checkpoint older than the newest one is an
// ErrConflict: another host stored one first.
func (j *Journal) Checkpoint(ctx context.Context, state store.State) (store.Kept, error) {
	kept, head, err := j.marks(ctx)
	if err != nil {
		return store.Kept{}, err
	}
	n := len(kept)
	if err := store.CheckState(head.position, kept, &state); err != nil {
		if n > 0 && state.Position < kept[n-1].Position {
			return store.Kept{}, fmt.Errorf("%w: %w", store.ErrConflict, err)
		}
		return store.Kept{}, fmt.Errorf("%w: %w", store.ErrDiverged, err)
	}
	if n == 0 || kept[n-1].Position != state.Position {
		kept = append(kept, store.Mark{Position: state.Position, Rev: state.Rev})
	}
	superfluous, err := j.options.Retention.Trim(kept, head.rev, j.newestFirst(ctx, head.position))
	if err != nil {
		return store.Kept{}, err
	}
	if err := j.upload(ctx, &state, superfluous.Checkpoints); err != nil {
		return store.Kept{}, err
	}
	return j.trim(ctx, head, &superfluous)
}

// Size implements store.Journal.
func (j *Journal) Size(ctx context.Context) (weight, limit uint64, err error) {
	all, err := j.count(ctx)
	return all.Bytes, j.options.Retention.Bytes, err
}

// count counts the entries up to the head of this moment.
func (j *Journal) count(ctx context.Context) (store.Kept, error) {
	head, err := j.Head(ctx)
	if err != nil {
		return store.Kept{}, err
	}
	return store.Count(j.newestFirst(ctx, head))
}

// marks returns the checkpoints, oldest first, and the head at the same moment.
func (j *Journal) marks(ctx context.Context) ([]store.Mark, headPlace, error) {
	var kept []store.Mark
	var head headPlace
	err := j.read(ctx, "reading", func() error {
		var values *goredis.SliceCmd
		var index *goredis.MapStringStringCmd
		_, err := j.client.TxPipelined(ctx, func(p goredis.Pipeliner) error {
			values = j.askHead(ctx, p)
			index = p.HGetAll(ctx, j.key("checkpoints"))
			return nil
		})
		if err != nil {
			return fmt.Errorf("asking for the checkpoints: %w", err)
		}
		if head, err = j.parseHead(values.Val()); err != nil {
			return err
		}
		for position, rev := range index.Val() {
			p, err := strconv.ParseUint(position, 10, 64)
			r, err2 := strconv.ParseUint(rev, 10, 64)
			if err := errors.Join(err, err2); err != nil {
				return refusal{fmt.Errorf("%w: its checkpoints: %w", store.ErrCorrupt, err)}
			}
			kept = append(kept, store.Mark{Position: store.Position(p), Rev: r})
		}
		return nil
	})
	slices.SortFunc(kept, func(a, b store.Mark) int { return cmp.Compare(a.Position, b.Position) })
	return kept, head, err
}

// upload writes a checkpoint in parts under a name of its own, then renames it
// atomically.
func (j *Journal) upload(ctx context.Context, state *store.State, drop []store.Position) error {
	name := j.key("upload:" + rand.Text())
	encoded := store.AppendState(slices.Clone(state.Commit[:]), state)
	encoded = store.AppendSealed(nil, "", checkpointSum(state.Position), encoded)
	for part := range slices.Chunk(encoded, checkpointRow) {
		err := j.call(ctx, "writing a checkpoint to", func() error {
			_, err := j.client.TxPipelined(ctx, func(p goredis.Pipeliner) error {
				p.RPush(ctx, name, part)
				p.Expire(ctx, name, uploadTerm)
				return nil
			})
			if err != nil {
				return fmt.Errorf("sending a part of it: %w", err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	args := []any{uint64(state.Position), state.Rev, state.Commit[:]}
	keys := []string{name, j.key("checkpoints"), j.key("journal"), j.checkpointKey(state.Position)}
	for _, old := range drop {
		args = append(args, uint64(old))
		keys = append(keys, j.checkpointKey(old))
	}
	reply, err := j.script(ctx, "writing a checkpoint to", checkpointScript(), keys, args...)
	if err != nil {
		return err
	}
	switch text(reply.at(0)) {
	case "OK":
		return nil
	case "CONFLICT":
		return fmt.Errorf("%w: %s has a checkpoint of position %s", store.ErrConflict, j.Path(), text(reply.at(1)))
	case "DIVERGED":
		return fmt.Errorf("%w: %s lost the entry of the checkpoint of position %d", store.ErrDiverged, j.Path(), state.Position)
	}
	return fmt.Errorf("%w: the parts of a checkpoint are gone from %s", store.ErrUnavailable, j.Path())
}

func (j *Journal) checkpointKey(position store.Position) string {
	return j.key("checkpoint:" + strconv.FormatUint(uint64(position), 10))
}

// Load implements store.Journal.
func (j *Journal) Load(ctx context.Context) (store.State, error) {
	for {
		kept, head, err := j.marks(ctx)
		base := j.options.Retention.Base(kept, head.rev)
		if err != nil || base < 0 {
			return store.State{}, err
		}
		var parts []string
		err = j.read(ctx, "reading", func() (err error) {
			parts, err = j.client.LRange(ctx, j.checkpointKey(kept[base].Position), 0, -1).Result()
			if err != nil {
				return fmt.Errorf("asking for a checkpoint's parts: %w", err)
			}
			return nil
		})
		if err != nil {
			return store.State{}, err
		}
		// Another host may have replaced the checkpoint in between.
		if len(parts) > 0 {
			return j.decodeState(kept[base].Position, parts)
		}
		if again, _, err := j.marks(ctx); err == nil && slices.Equal(again, kept) {
			return store.State{}, fmt.Errorf("%w: %s lists a checkpoint that it does not have", store.ErrCorrupt, j.Path())
		}
	}
}

// checkpointSum is the key of the checkpoint of a position in its checksum.
func checkpointSum(position store.Position) []byte {
	return strconv.AppendUint(nil, uint64(position), 10)
}

func (j *Journal) decodeState(position store.Position, parts []string) (store.State, error) {
	damaged := fmt.Errorf("%w: the checksum of the checkpoint of position %d of %s differs", store.ErrCorrupt, position, j.Path())
	encoded, err := store.Unseal("", checkpointSum(position), []byte(strings.Join(parts, "")))
	var commit store.CommitID
	if err != nil || copy(commit[:], encoded) != len(commit) {
		return store.State{}, damaged
	}
	state, err := store.DecodeState(encoded[len(commit):])
	if err != nil {
		return store.State{}, fmt.Errorf("reading the checkpoint of %s: %w", j.Path(), err)
	}
	state.Commit = commit
	return state, nil
}

// trim removes the entries that were listed from a head, oldest first, and returns those
// that are left. It removes none after the journal has lost that head.
func (j *Journal) trim(ctx context.Context, head headPlace, superfluous *store.Trim) (store.Kept, error) {
	for batch := range slices.Chunk(superfluous.Entries, trimAtOnce) {
		args := []any{uint64(head.position), head.commit, store.LastTrimmed(0, batch)}
		for _, p := range batch {
			args = append(args, strconv.FormatUint(uint64(p.Position), 10)+"-0")
		}
		lost := false
		err := j.read(ctx, "trimming", func() error {
			removed, err := trimScript().Run(ctx, j.client, []string{j.head(), j.key("journal")}, args...).Int()
			lost = removed < 0
			return err //nolint:wrapcheck // read says what it was
		})
		switch {
		case err != nil:
			return store.Kept{}, err
		case lost:
			return j.count(ctx)
		}
	}
	return superfluous.Kept, nil
}

func (j *Journal) newestFirst(ctx context.Context, head store.Position) iter.Seq2[store.Place, error] {
	return func(yield func(store.Place, error) bool) {
		for from := head; from > 0; {
			reply, err := j.readScript(ctx, "reading", placesScript(), []string{j.key("journal")}, fmt.Sprintf("%d-0", from), placesAtOnce, placesBytes)
			if err != nil {
				yield(store.Place{}, err)
				return
			}
			if len(reply) == 0 {
				return
			}
			for fields := range slices.Chunk(reply, placeFields) {
				p, err := place(fields)
				if !yield(p, err) || err != nil {
					return
				}
				from = p.Position - 1
			}
		}
	}
}

// placeFields is the number of fields that the script returns of each entry.
const placeFields = 6

func place(fields parts) (store.Place, error) {
	at := stored{id: text(fields.at(0))}
	position, err := at.position()
	p := store.Place{Position: position}
	for i, into := range []*uint64{&p.Seq, &p.Rev, &p.Events, &p.Bytes} {
		if err == nil {
			*into, err = strconv.ParseUint(text(fields.at(i+1)), 10, 64)
		}
	}
	if err != nil {
		return store.Place{}, fmt.Errorf("%w: the place of the entry %q: %w", store.ErrCorrupt, text(fields.at(0)), err)
	}
	p.MapChanged = text(fields.at(placeFields-1)) == "1"
	return p, nil
}
