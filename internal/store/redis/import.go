package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// importTerm is how long an import may be idle before another one may replace it.
const importTerm = time.Minute

// Import is a store.Import: the keys of a world, with another name for its head.
type Import struct {
	journal *Journal
	place   store.Place
	base    string
	ended   bool
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
	j, err := openWith(ctx, o, rand.Text(), (*Journal).beginImport)
	if err != nil {
		return nil, err
	}
	return &Import{journal: j}, nil
}

func (j *Journal) beginImport(ctx context.Context) error {
	j.rootKey = j.options.RootKey
	args := []any{store.Format, j.rootKey, importTerm.Milliseconds()}
	for _, table := range store.Tables() {
		args = append(args, string(table))
	}
	return j.importing(ctx, "begin", args...)
}

// importing runs a step of an import.
func (j *Journal) importing(ctx context.Context, what string, args ...any) error {
	reply, err := j.script(ctx, "importing into", importScript(), []string{j.key("head"), j.key("journal"), j.key("checkpoints")}, append([]any{what, j.token}, args...)...)
	if err != nil {
		return err
	}
	return j.importVerdict(reply)
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
		return fmt.Errorf("%w: another import took the place of this one in %s; run it again", store.ErrUnavailable, j.Path())
	}
	return fmt.Errorf("%w: %s answered %q", store.ErrCorrupt, j.Path(), status)
}

// Entries implements store.Import.
func (i *Import) Entries(ctx context.Context, entries []store.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	if err := store.CheckImport(i.place, entries); err != nil {
		return err
	}
	if err := i.add(ctx, entries, nil); err != nil {
		return err
	}
	i.place = entries[len(entries)-1].Place()
	return nil
}

// Records implements store.Import.
func (i *Import) Records(ctx context.Context, records []store.Record) error {
	if err := store.CheckRecords(records); err != nil {
		return err
	}
	return i.add(ctx, nil, records)
}

// add writes entries to the stream, and records to the tables.
func (i *Import) add(ctx context.Context, entries []store.Entry, records []store.Record) error {
	batch := &store.Batch{After: store.Tip{Position: i.place.Position}, Entries: entries}
	a, err := i.journal.commit(ctx, "import", batch, records)
	switch {
	case err != nil:
		return err
	case a.status == "OK":
		return nil
	case a.status == "CONFLICT":
		return i.journal.importVerdict(parts{"GONE"})
	}
	return i.journal.importVerdict(parts{a.status})
}

// Complete implements store.Import.
func (i *Import) Complete(ctx context.Context, content *store.Content) error {
	if content.Base.Position > 0 {
		if err := i.journal.upload(ctx, &content.Base, nil); err != nil {
			return err
		}
		i.base = strconv.FormatUint(uint64(content.Base.Position), 10)
	}
	return i.journal.importing(ctx, "complete", content.Trimmed)
}

// Source implements store.Import.
func (i *Import) Source() store.Source { return i.journal }

// Finish implements store.Import.
func (i *Import) Finish(ctx context.Context) error {
	if err := i.journal.importing(ctx, "finish", uint64(i.place.Position), i.base); err != nil {
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
		err = i.journal.importing(ctx, "abort")
		cancel()
	}
	return errors.Join(err, i.journal.Close())
}
