package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backup"
)

// migrateResult is what "playctl store migrate" prints.
type migrateResult struct {
	From string `json:"from"` // the store that was read
	To   string `json:"to"`   // the store that was written
	backup.Info
	Records uint64 `json:"records"` // records that were copied: nodes, lines, journeys and what else is kept
}

func newStoreMigrateCommand(a *command.App) *cobra.Command {
	var from, to string
	var stored place.Flags
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Copy a world from a file to Redis, or back",
		Long: `Copy a world from a file to Redis, or back: a backup that is restored at once, without a file. Like
a restored world, the copy goes on in a new session, with rev and seq far above those of the source.
--from and --to are the address of a Redis server or the folder of a store; --host-id is the world's
name on the Redis server.

Stop the world's hosts first, and start them on the copy afterwards. An interrupted migration leaves
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
			var p command.Progress
			info, err := command.AwaitWith(a, p.Bytes("Migrating"), func() (backup.Info, error) { return migrate(cmd.Context(), a, source, target, &p) })
			if err != nil {
				return err
			}
			return a.Printer.Print(migrateResult{source.String(), target.String(), info, info.Records}.document())
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "where the world is: the `address` of a Redis server or the folder of a store")
	cmd.Flags().StringVar(&to, "to", "", "where it goes: the `address` of a Redis server or the folder of a store")
	stored.RegisterBackends(cmd.Flags())
	return cmd
}

// migrate restores the backup of a world while it is written.
func migrate(ctx context.Context, a *command.App, from, to place.Place, p *command.Progress) (info backup.Info, err error) {
	journal, err := from.Open(ctx)
	if err != nil {
		return info, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	if err := refuseServed(ctx, journal, from); err != nil {
		return info, err
	}
	in, out := io.Pipe()
	var failed error
	var writing sync.WaitGroup
	writing.Go(func() {
		_, failed = backup.Write(ctx, journal, journal.RootKey(), out)
		_ = out.CloseWithError(failed)
	})
	info, err = restoreFrom(ctx, a, p.Reader(in), to)
	_ = in.CloseWithError(err)
	writing.Wait()
	if place.WrittenTo(failed) {
		failed = command.Hintf(failed, "stop the hosts of this world and run it again")
	}
	if failed != nil {
		return info, failed
	}
	return info, err
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

func (r migrateResult) document() render.Document {
	return render.Document{
		Data: r,
		Views: []render.View{
			render.Line("Migrated the world."),
			append(render.Fields{{Name: "from", Value: r.From}, {Name: "to", Value: r.To}}, contentFields(&r.Info)...),
			render.Line("Start hosts on the copy only: the source does not follow it."),
		},
	}
}
