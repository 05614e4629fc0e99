package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// importTerm is how long an import may be idle before another one may replace it.
const importTerm = time.Minute

// Import is a store.Import: the keys of a world, with another name for its head.
type Import struct {
	*Journal
	// id stands for the commit before the first one, so that this import cannot commit to
	// one that replaced it.
	id    store.CommitID
	ended bool
}

var _ store.Import = (*Import)(nil)

// BeginImport begins a new world for Options.RootKey. It fails with
// store.ErrNotEmpty if there is one, and with store.ErrImporting while another
// import adds to it. The keys of an import that was interrupted at least a minute
// ago are removed.
func BeginImport(ctx context.Context, o Options) (*Import, error) {
	if o.RootKey == "" {
		return nil, errors.New("importing a world: its root key is missing")
	}
	i := &Import{}
	// Since Go 1.24 rand.Read fills the slice or ends the program.
	_, _ = rand.Read(i.id[:])
	_, err := openWith(ctx, o, importHead, func(j *Journal, ctx context.Context) error {
		i.Journal, j.rootKey = j, o.RootKey
		args := []any{store.Format, o.RootKey, importTerm.Milliseconds()}
		for _, table := range store.Tables() {
			args = append(args, string(table))
		}
		return i.step(ctx, "begin", args...)
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// step runs a step of the import.
func (i *Import) step(ctx context.Context, what string, args ...any) error {
	reply, err := i.script(ctx, "importing into", importScript(), []string{i.key("head"), i.key("journal")}, append([]any{what, i.id[:]}, args...)...)
	if err != nil {
		return err
	}
	return i.importVerdict(reply)
}

func (j *Journal) importVerdict(reply parts) error {
	status, detail := text(reply.at(0)), text(reply.at(1))
	switch status {
	case "OK":
		return nil
	case "NOTEMPTY":
		return fmt.Errorf("%w: %s ends at position %s; choose another host id, or delete its keys %s*", store.ErrNotEmpty, j.Path(), detail, j.prefix)
	case "BUSY":
		return fmt.Errorf("%w: another one writes to %s; if it was interrupted, run this again in %s s", store.ErrImporting, j.Path(), detail)
	case "REMAINS":
		return fmt.Errorf("%w: %s has a journal without a head; choose another host id, or delete its keys %s*", store.ErrNotEmpty, j.Path(), j.prefix)
	case "RESTARTED":
		return fmt.Errorf("%w: %s restarted during the import and may have lost parts of it; run it again", store.ErrUnavailable, j.Path())
	case "GONE":
		return fmt.Errorf("%w: the import into %s is gone: the server lost it, or another import took its place; run it again", store.ErrUnavailable, j.Path())
	}
	return fmt.Errorf("%w: %s answered %q", store.ErrCorrupt, j.Path(), status)
}

// Commit implements store.Journal. No host has the world yet, so a lost commit is not
// looked up.
func (i *Import) Commit(ctx context.Context, batch *store.Batch) (store.Tip, error) {
	own := *batch
	if own.After.Position == 0 {
		own.After.Commit = i.id
	}
	tip, err := i.Journal.Commit(ctx, &own)
	switch {
	case errors.Is(err, store.ErrRestarted):
		return tip, i.importVerdict(parts{"RESTARTED"})
	case errors.Is(err, store.ErrDiverged):
		return tip, i.importVerdict(parts{"GONE"})
	}
	return tip, err
}

// Finish implements store.Import.
func (i *Import) Finish(ctx context.Context) error {
	if err := i.step(ctx, "finish"); err != nil {
		return err
	}
	i.ended = true
	return nil
}

// closeTerm bounds the call of Close to the server.
const closeTerm = 2 * time.Second

// Close implements store.Import. If the call does not reach the server, the next
// import removes the keys of this one.
func (i *Import) Close() error {
	var err error
	if !i.ended {
		i.ended = true
		ctx, cancel := context.WithTimeout(context.Background(), closeTerm)
		err = i.step(ctx, "abort")
		cancel()
	}
	return errors.Join(err, i.Journal.Close())
}
