package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// answer is a reply of the scripts of a shared journal.
type answer struct {
	status string
	run    string
	at     time.Time
	rest   parts
}

// parse parses a reply that begins with status, time and run id.
func (j *Journal) parse(start time.Time, reply parts) (answer, error) {
	if len(reply) < 4 {
		return answer{}, fmt.Errorf("%w: %s gave a reply of %d parts", store.ErrCorrupt, j.Path(), len(reply))
	}
	a := answer{status: text(reply.at(0)), run: text(reply.at(3)), rest: reply[4:]}
	seconds, err := strconv.ParseInt(text(reply.at(1)), 10, 64)
	micros, err2 := strconv.ParseInt(text(reply.at(2)), 10, 64)
	if err := errors.Join(err, err2); err != nil {
		return a, fmt.Errorf("%w: %s returned no time: %w", store.ErrCorrupt, j.Path(), err)
	}
	a.at = time.Unix(seconds, micros*1000)
	j.clock.observe(start, time.Now(), a.at, a.run)
	return a, nil
}

// Commit implements store.Journal.
func (j *Journal) Commit(ctx context.Context, batch *store.Batch) (store.Tip, error) {
	if err := follows(batch.After.Position, batch.Entries); err != nil {
		return store.Tip{}, err
	}
	if err := j.fitness.fault(); err != nil {
		return store.Tip{}, err
	}
	a, err := j.retryAfterRestart(ctx, func() (answer, error) { return j.commit(ctx, batch) })
	if err != nil {
		return store.Tip{}, err
	}
	if err := j.commitError(a, batch); err != nil {
		return store.Tip{}, err
	}
	if n := len(batch.Entries); n > 0 {
		return store.Tip{Position: batch.After.Position + store.Position(n), Commit: batch.Commit}, nil
	}
	return batch.After, nil
}

// follows checks entries as far as is possible without the head's seq and rev,
// which the script compares.
func follows(after store.Position, entries []store.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	first := entries[0].Place()
	if first.Seq < first.Events || first.MapChanged && first.Rev == 0 {
		return fmt.Errorf("entry %d of %d events ends at seq %d and rev %d", first.Position, first.Events, first.Seq, first.Rev)
	}
	before := store.Place{Position: after, Seq: first.Seq - first.Events, Rev: first.Rev}
	if first.MapChanged {
		before.Rev--
	}
	return store.CheckBatch(before, entries)
}

func (j *Journal) commit(ctx context.Context, batch *store.Batch) (answer, error) {
	var records []store.Record
	for i := range batch.Entries {
		records = append(records, batch.Entries[i].Records...)
	}
	start := time.Now()
	reply, err := j.script(ctx, "writing", commitScript(), j.touched(batch, records), j.arguments(batch, records)...)
	if err != nil {
		return answer{}, err
	}
	return j.parse(start, reply)
}

// touched returns the keys of a commit besides the head, the counted ones first.
func (j *Journal) touched(batch *store.Batch, records []store.Record) []string {
	keys := append(slices.Clone(j.counted), j.key("local"), j.key("journal"))
	if batch.Fence != nil {
		keys = append(keys, j.key("fence:"+batch.Fence.Name))
	}
	tables := map[store.Table]bool{}
	for _, d := range batch.Expired {
		tables[d.Table] = true
	}
	for _, r := range batch.Renewals {
		tables[r.Table] = true
	}
	for i := range records {
		tables[records[i].Table] = true
	}
	for table := range tables {
		keys = append(keys, j.tableKeys(table)[2:]...)
	}
	return keys
}

// arguments returns the arguments in the order in which the script reads them.
func (j *Journal) arguments(batch *store.Batch, records []store.Record) []any {
	fence, token := "", ""
	if batch.Fence != nil {
		fence, token = batch.Fence.Name, strconv.FormatUint(batch.Fence.Token, 10)
	}
	args := []any{
		j.synced.Load(), uint64(batch.After.Position), batch.After.Commit[:], batch.Resumed, len(j.counted),
		fence, token, len(batch.Expired),
	}
	for _, d := range batch.Expired {
		args = append(args, string(d.Table), d.Key)
	}
	messages := j.messages(batch.Entries)
	args = j.appendEntries(args, batch, channels(messages))
	args = appendChanges(args, records)
	args = append(args, len(batch.Renewals))
	for _, r := range batch.Renewals {
		args = append(args, string(r.Table), r.Key, milliseconds(r.Term))
	}
	args = append(args, len(messages))
	for _, m := range messages {
		args = append(args, m.Channel, m.Payload)
	}
	return args
}

func (j *Journal) appendEntries(args []any, batch *store.Batch, channels []any) []any {
	n := len(batch.Entries)
	if n == 0 {
		return append(args, 0, 0, "0", "", "", "", "", 0, 0)
	}
	first, last := &batch.Entries[0], &batch.Entries[n-1]
	args = append(args, first.Seq-uint64(len(first.Events)), first.Rev, bit(first.MapChanged),
		uint64(last.Position), batch.Commit[:], last.Seq, last.Rev, n, len(channels))
	args = append(args, channels...)
	for i := range batch.Entries {
		e := batch.Entries[i]
		records := store.Mirrored(e.Records)
		e.Records = nil
		var encoded []byte
		if len(records) > 0 && j.headName != importHead { // No host follows an import.
			encoded = store.AppendEntry(nil, &store.Entry{Position: e.Position, Records: records})
		}
		args = append(args, uint64(e.Position), store.AppendEntry(nil, &e), batch.Commit[:], encoded,
			e.Seq, e.Rev, len(e.Events), bit(e.MapChanged))
	}
	return args
}

// messages returns the messages that a commit publishes.
func (j *Journal) messages(entries []store.Entry) []store.Message {
	if j.options.Publish == nil {
		return nil
	}
	var messages []store.Message
	for i := range entries {
		messages = append(messages, j.options.Publish(&entries[i])...)
	}
	return messages
}

// channels returns the channels of messages, each once.
func channels(messages []store.Message) []any {
	var names []any
	for _, m := range messages {
		if !slices.Contains(names, any(m.Channel)) {
			names = append(names, m.Channel)
		}
	}
	return names
}

// commitError returns the error of a refused commit.
func (j *Journal) commitError(a answer, batch *store.Batch) error {
	switch a.status {
	case "OK":
		return nil
	case "CONFLICT":
		if len(a.rest) < 2 {
			return fmt.Errorf("%w: its head is %s, not %d", store.ErrConflict, text(a.rest.at(0)), batch.After.Position)
		}
		missed, err := j.missed(a.rest.at(1), batch.After)
		if err != nil {
			return err
		}
		return &store.OvertakenError{Entries: missed}
	case "NOTDUE":
		names, _ := a.rest.at(0).([]any)
		refused := &store.NotDueError{}
		for i := 0; i+1 < len(names); i += 2 {
			refused.Deadlines = append(refused.Deadlines, store.Deadline{Table: store.Table(text(names[i])), Key: text(names[i+1])})
		}
		return refused
	case "FENCED":
		return fmt.Errorf("%w: %s of %s", store.ErrFenced, batch.Fence.Name, j.Path())
	case "DENIED":
		return j.denied("writing", a.rest)
	case "MISSING":
		// An eviction is a better reason.
		signal(j.fitness.dialed)
		what := missing(a.rest)
		return &store.FaultError{Reason: what, Err: fmt.Errorf("%w: writing %s: %s: %s", store.ErrUnfit, j.Path(), what, missingAdvice)}
	case "REFUSED":
		return fmt.Errorf("entry %d goes back: the journal is at seq %s and rev %s", batch.Entries[0].Position, text(a.rest.at(0)), text(a.rest.at(1)))
	}
	return j.lost(a, batch.After)
}

// lost returns the error for a journal that is not the one that the host knows.
func (j *Journal) lost(a answer, tip store.Tip) error {
	switch a.status {
	case "GONE":
		return fmt.Errorf("%w: %s no longer has a world", store.ErrDiverged, j.Path())
	case "DIVERGED":
		return fmt.Errorf("%w: %s ends at position %s, but this host knows %d", store.ErrDiverged, j.Path(), text(a.rest.at(0)), tip.Position)
	case "RESTARTED":
		return fmt.Errorf("%w: %s", &store.RestartedError{Run: a.run, At: a.at}, j.Path())
	}
	return fmt.Errorf("%w: %s answered %q", store.ErrCorrupt, j.Path(), a.status)
}
