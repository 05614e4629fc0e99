package redis

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// snapshotTerm is the lifetime of a copy that was not removed.
const snapshotTerm = time.Hour

// removeTerm bounds the removal of a copy.
const removeTerm = 10 * time.Second

// snapshot is a copy of a world under another prefix.
type snapshot struct {
	*Journal
	of     *Journal
	copies []string
}

// Snapshot implements store.Journal with a copy on the server, which serves no
// other client while it creates the copy.
func (j *Journal) Snapshot(ctx context.Context) (store.Snapshot, error) {
	prefix := j.key("snapshot:" + rand.Text() + ":")
	args := []any{prefix, int(snapshotTerm.Seconds())}
	for _, table := range store.Tables() {
		args = append(args, string(table))
	}
	keys, _ := j.everyKey()
	copied, err := j.script(ctx, "copying", snapshotScript(), keys, args...)
	if err != nil {
		return nil, err
	}
	s := &snapshot{of: j, Journal: &Journal{options: j.options, rootKey: j.rootKey, headName: worldHead, prefix: prefix, client: j.client}}
	for _, name := range copied {
		s.copies = append(s.copies, text(name))
	}
	return s, nil
}

// Close implements store.Snapshot. The context of the reader may have ended by
// then.
func (s *snapshot) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeTerm)
	defer cancel()
	return s.of.call(ctx, "removing a copy from", func() error {
		for _, name := range s.copies {
			if err := s.client.Unlink(ctx, name).Err(); err != nil {
				return err //nolint:wrapcheck // call says what it was.
			}
		}
		return nil
	})
}
