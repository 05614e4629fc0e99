package redis

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

// Chunks of walks: small enough that the server answers others in between.
const (
	firstRead     = 16
	lastRead      = 256
	firstScan     = 64
	lastScan      = 512
	placesAtOnce  = 512
	placesBytes   = 1 << 20
	trimAtOnce    = 1000
	checkpointRow = 256 << 10
)

// headPlace is the part of the head that a walk reads.
type headPlace struct {
	position store.Position
	rev      uint64
	trimmed  uint64
	// commit is the one that wrote the entry at the position.
	commit string
}

func (j *Journal) parseHead(values parts) (headPlace, error) {
	var numbers [3]uint64
	for i := range numbers {
		n, err := strconv.ParseUint(text(values.at(i)), 10, 64)
		if err != nil {
			return headPlace{}, refusal{headFault(values)}
		}
		numbers[i] = n
	}
	// A newer host may have restored the world under this one.
	if format, err := strconv.ParseUint(text(values.at(4)), 10, 64); err == nil && format != store.Format {
		return headPlace{}, refusal{store.CheckFormat(j.Path(), format)}
	}
	return headPlace{store.Position(numbers[0]), numbers[1], numbers[2], text(values.at(3))}, nil
}

// headFault returns the error for a head that cannot be read. Without any field the world
// was deleted, or the server is another one.
func headFault(values parts) error {
	for i := range 3 {
		if text(values.at(i)) != "" {
			return fmt.Errorf("%w: the world's head cannot be read", store.ErrCorrupt)
		}
	}
	return &store.FaultError{
		Reason: "the Redis server has no world",
		Err:    fmt.Errorf("%w: the world's head is missing: %s", store.ErrCorrupt, missingAdvice),
	}
}

func (j *Journal) askHead(ctx context.Context, from goredis.Cmdable) *goredis.SliceCmd {
	return from.HMGet(ctx, j.head(), "position", "rev", "trimmed", "commit", "format")
}

// Head implements store.Journal.
func (j *Journal) Head(ctx context.Context) (store.Position, error) {
	if err := j.fitness.fault(); err != nil {
		return 0, err
	}
	var head headPlace
	err := j.read(ctx, "reading", func() error {
		values, err := j.askHead(ctx, j.client).Result()
		if err == nil {
			head, err = j.parseHead(values)
		}
		return err
	})
	return head.position, err
}

// Read implements store.Journal.
func (j *Journal) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	count := firstRead
	var last store.Tip
	return store.ReadChunks(after, func(w *store.Walk) ([]store.Entry, error) {
		found, err := j.chunk(ctx, w, count)
		if err != nil {
			return nil, err
		}
		count = nextCount(count, found)
		chunk := make([]store.Entry, len(found))
		for i := range found {
			e := &chunk[i]
			// Between two chunks the server may lose its last entries and get others.
			if *e, err = found[i].decode(false); err == nil && last.Position > 0 && e.Position == last.Position+1 {
				err = checkPrev(e, last)
			}
			if err != nil {
				return chunk[:i], fmt.Errorf("reading %s: %w", j.Path(), err)
			}
			last = store.Tip{Position: e.Position, Commit: e.Commit}
		}
		return chunk, nil
	})
}

// nextCount returns how many entries to request next: many of the usual size, few
// long ones.
func nextCount(count int, found []stored) int {
	bytes := 0
	for i := range found {
		bytes += len(found[i].fields["e"])
	}
	switch {
	case bytes > replyBytes:
		return max(count/4, 1)
	case bytes < replyBytes/4:
		return min(4*count, lastRead)
	}
	return count
}

// chunk reads the next entries and the head at one moment.
func (j *Journal) chunk(ctx context.Context, w *store.Walk, count int) ([]stored, error) {
	var found []stored
	err := j.read(ctx, "reading", func() error {
		var values *goredis.SliceCmd
		var messages *goredis.XMessageSliceCmd
		_, err := j.client.TxPipelined(ctx, func(p goredis.Pipeliner) error {
			values = j.askHead(ctx, p)
			messages = p.XRangeN(ctx, j.key("journal"), fmt.Sprintf("%d-0", w.After+1), "+", int64(count))
			return nil
		})
		if err != nil {
			return fmt.Errorf("asking for entries: %w", err)
		}
		head, err := j.parseHead(values.Val())
		if err != nil {
			return err
		}
		found = fromMessages(messages.Val())
		if err := w.Step(head.position, head.trimmed); err != nil {
			return refusal{err}
		}
		return nil
	})
	return found, err
}

// Seek implements store.Journal.
func (j *Journal) Seek(ctx context.Context, seq uint64) (store.Position, error) {
	reply, err := j.readScript(ctx, "reading", seekScript(), []string{j.key("journal")}, seq)
	if err != nil {
		return 0, err
	}
	switch {
	case len(reply) == 2 && text(reply.at(0)) == "TRIMMED":
		return 0, fmt.Errorf("%w: events up to seq %s are gone, but those after %d were requested", store.ErrTrimmed, text(reply.at(1)), seq)
	case len(reply) == 2:
		if n, err := strconv.ParseUint(text(reply.at(1)), 10, 64); err == nil {
			return store.Position(n), nil
		}
	}
	return 0, fmt.Errorf("%w: the head of %s is missing or damaged", store.ErrCorrupt, j.Path())
}
