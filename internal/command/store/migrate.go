package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/migrate"
)

// migrateResult is what "playctl store migrate" prints.
type migrateResult struct {
	From string `json:"from"` // the store that was read
	To   string `json:"to"`   // the store that was written
	migrate.Report
}

func newStoreMigrateCommand(a *command.App) *cobra.Command {
	var from, to string
	var stored place.Flags
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Copy a world from a file to Redis, or back",
		Long: `Copy a world from a file to Redis, or back: the map, nodes, interactions, journeys, and the events
that streams resume over. Revs, seqs, the session and every root stay as they are, so clients continue
where they were. --from and --to are the address of a Redis server or the folder of a store;
--host-id is the world's name on the Redis server.

Stop the world's hosts first, and start them on the copy afterwards. The copy is read back and
compared with the source, root and all, before it becomes a world: an interrupted migration leaves
no world; run it again to start over. A target that holds a world is refused. The source stays as it
is.`,
		Example: command.Example(
			"playctl store migrate --from ~/.local/state/playctl --to redis://redis.example.com:6379",
			"playctl store migrate --from redis://redis.example.com:6379 --to /var/lib/playctl --store-credentials redis.secret"),
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" || to == "" {
				return command.Usagef("--from and --to are required")
			}
			source, err := place.Named(a, &stored, "from", from)
			if err != nil {
				return err
			}
			target, err := place.Named(a, &stored, "to", to)
			if err != nil {
				return err
			}
			report, err := runMigration(cmd.Context(), a, source, target)
			if err != nil {
				return err
			}
			return a.Printer.Print(migrateResult{source.String(), target.String(), report}.document())
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "where the world is: the `address` of a Redis server or the folder of a store")
	cmd.Flags().StringVar(&to, "to", "", "where it goes: the `address` of a Redis server or the folder of a store")
	stored.RegisterBackends(cmd.Flags())
	return cmd
}

// runMigration copies a world and shows the progress.
func runMigration(ctx context.Context, a *command.App, source, target place.Place) (report migrate.Report, err error) {
	journal, err := source.Open(ctx)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	if err := refuseServed(ctx, journal, source); err != nil {
		return report, err
	}
	var copied progress
	err = a.Watching(copied.String, func() error {
		report, err = migrate.Run(ctx, journal, journal.RootKey(), migrate.Target{
			Begin: func(rootKey string) (store.Import, error) {
				into, err := target.Begin(ctx, rootKey)
				if err != nil {
					return nil, err
				}
				return &counted{into, &copied}, nil
			},
			SetTerm: target.Terms(),
		})
		return place.StopHosts(err)
	})
	return report, err
}

// refuseServed refuses a world that hosts serve: they would continue to change it beside
// the copy. A file that is in use cannot even be opened.
func refuseServed(ctx context.Context, journal store.Journal, source place.Place) error {
	known, ok := journal.(interface {
		Hosts(ctx context.Context) (int, error)
	})
	if !ok {
		return nil
	}
	switch hosts, err := known.Hosts(ctx); {
	case err != nil:
		return source.Explain(err)
	case hosts > 0:
		return command.Hintf(fmt.Errorf("%s is served by %s", source, command.Plural(hosts, "host", "hosts")),
			"stop them first: they would continue to write to it beside the copy")
	}
	return nil
}

// progress counts the copied part of a world.
type progress struct {
	started          atomic.Bool
	entries, records atomic.Int64
}

// String returns the progress for people.
func (p *progress) String() string {
	if !p.started.Load() {
		return "Checking the source"
	}
	return fmt.Sprintf("Migrating: %d entries and %d records copied", p.entries.Load(), p.records.Load())
}

// counted is an import that reports its progress.
type counted struct {
	store.Import
	progress *progress
}

// Entries implements store.Import.
func (c *counted) Entries(ctx context.Context, entries []store.Entry) error {
	c.progress.started.Store(true)
	c.progress.entries.Add(int64(len(entries)))
	return c.Import.Entries(ctx, entries)
}

// Records implements store.Import.
func (c *counted) Records(ctx context.Context, records []store.Record) error {
	c.progress.records.Add(int64(len(records)))
	return c.Import.Records(ctx, records)
}

func (r migrateResult) document() render.Document {
	return render.Document{
		Data: r,
		Views: []render.View{
			render.Line("Migrated the world; the copy is equal to the source."),
			render.Fields{
				{Name: "from", Value: r.From},
				{Name: "to", Value: r.To},
				{Name: "root", Value: r.Root},
				{Name: "rev", Value: command.Number(&r.Rev)},
				{Name: "seq", Value: command.Number(&r.Seq)},
				{Name: "entries", Value: command.Number(&r.Entries)},
				{Name: "events", Value: command.Number(&r.Events)},
				{Name: "rows", Value: command.Decimal(int64(r.Rows))},
				{Name: "records", Value: command.Number(&r.Records)},
			},
			render.Line("Start hosts on the copy only: the source does not follow it."),
		},
	}
}
