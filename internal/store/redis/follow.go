package redis

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

// missedAtOnce is the greatest number of entries that one call returns.
const missedAtOnce = 256

// replyBytes is about the greatest size of a reply, except for a reply with a
// single larger part: a quarter of a second at 32 Mbit/s.
const replyBytes = 1 << 20

// followBlock is how long a follower waits in the server. After that it compares
// its tip: a connection to a server that is no longer the master stays silent.
const followBlock = time.Second

// EntriesAfter implements store.Journal. It returns the entries even if the server
// restarted; ErrRestarted is returned at the journal's end.
func (j *Journal) EntriesAfter(ctx context.Context, tip store.Tip) ([]store.Entry, error) {
	a, err := j.retryAfterRestart(ctx, func() (answer, error) { return j.askMissed(ctx, tip) })
	switch {
	case err != nil:
		return nil, err
	case a.status != "OK":
		return nil, j.lost(a, tip)
	}
	return j.missed(a.rest.at(1), tip)
}

func (j *Journal) askMissed(ctx context.Context, tip store.Tip) (answer, error) {
	start := time.Now()
	reply, err := j.readScript(ctx, "reading", missedScript(), []string{j.key("journal"), j.key("local")},
		j.synced.Load(), uint64(tip.Position), tip.Commit[:], missedAtOnce, replyBytes)
	if err != nil {
		return answer{}, err
	}
	return j.parse(start, reply)
}

// missed decodes the entries that a script found after a tip; there is at least one
// if the head is after it.
func (j *Journal) missed(reply any, tip store.Tip) ([]store.Entry, error) {
	entries, err := after(fromReply(reply), tip)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", j.Path(), err)
	}
	return entries, nil
}

// Follow implements store.Journal.
func (j *Journal) Follow(ctx context.Context, tip store.Tip) iter.Seq2[[]store.Entry, error] {
	return func(yield func([]store.Entry, error) bool) {
		client, end := j.walk(ctx, followBlock+replyTimeout)
		defer end()
		for {
			entries, err := j.EntriesAfter(ctx, tip)
			if err == nil && len(entries) == 0 {
				entries, err = j.wait(ctx, client, tip)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if n := len(entries); n > 0 {
				tip = store.Tip{Position: entries[n-1].Position, Commit: entries[n-1].Commit}
				if !yield(entries, nil) {
					return
				}
			}
		}
	}
}

// wait returns the next entries, or none if there were none for a while.
func (j *Journal) wait(ctx context.Context, client goredis.UniversalClient, tip store.Tip) ([]store.Entry, error) {
	// By default the library would wait for this command 10 s longer than it blocks.
	cmd := goredis.NewXStreamSliceCmd(ctx, "xread", "count", missedAtOnce, "block", followBlock.Milliseconds(),
		"streams", j.key("journal"), fmt.Sprintf("%d-0", tip.Position))
	cmd.SetFirstKeyPos(6)
	err := client.Process(ctx, cmd)
	if errors.Is(err, goredis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, j.explain(ctx, "following", err)
	}
	var found []stored
	for _, stream := range cmd.Val() {
		found = append(found, fromMessages(stream.Messages)...)
	}
	entries, err := after(found, tip)
	if err != nil {
		return nil, fmt.Errorf("following %s: %w", j.Path(), err)
	}
	return entries, nil
}

// walk returns a client with connections of its own, which are cut when the context
// ends.
func (j *Journal) walk(ctx context.Context, reply time.Duration) (client goredis.UniversalClient, end func()) {
	connections := newConnTracker()
	client = connect(j.options, reply, connections)
	stop := context.AfterFunc(ctx, connections.cut)
	return client, func() {
		stop()
		_ = client.Close()
	}
}
