// Package store has the commands for the store of a world.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backup"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/internal/store/verify"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	all := []*cobra.Command{
		newStoreCheckCommand(a), newStoreCompactCommand(a), newStoreBackupCommand(a), newStoreRestoreCommand(a),
		newStoreMigrateCommand(a), newStoreACLCommand(a),
	}
	for _, cmd := range all {
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error { return unverified(run(cmd, args)) }
	}
	return []*cobra.Command{command.Group(&cobra.Command{
		Use:     "store",
		GroupID: command.GroupHost,
		Short:   "Check, compact, back up, restore and migrate a store",
		Long: `Check, compact, back up, restore and migrate the store of a host. Only one process
at a time can open a store in a file: stop its host first. With --store it is the one in Redis,
whose hosts may run while it is read.`,
		Example: command.Example(
			"playctl store check",
			"playctl store backup world.backup",
			"playctl store migrate --from ~/.local/state/playctl --to redis://redis.example.com:6379"),
	}, all...)}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"store check":                 checkResult{},
		"store check; of a backup":    checkedBackup{},
		"store compact":               compactResult{},
		"store backup, store restore": backupResult{},
		"store migrate":               migrateResult{},
		"store acl":                   aclResult{},
	}
}

// unverified turns the error of a damaged store or backup into a failed verification.
// Other errors stay as they are.
func unverified(err error) error {
	if errors.Is(err, command.ErrUnverified) {
		return err
	}
	if errors.Is(err, backup.ErrInvalid) {
		return fmt.Errorf("%w: %w", command.ErrUnverified, err)
	}
	return place.Unverified(err)
}

// checkResult is what "playctl store check" prints.
type checkResult struct {
	Store string `json:"store"` // the file or the server of the store
	OK    bool   `json:"ok"`    // whether nothing is wrong
	verify.Report
}

func newStoreCheckCommand(a *command.App) *cobra.Command {
	var stored place.Flags
	cmd := &cobra.Command{
		Use:   "check [file]",
		Short: "Check a store or a backup; rebuild and compare every root",
		Long: `Check a store from its pages up to the world in it: the map is rebuilt as of the last checkpoint
and of every rev after it, and its Merkle root and leaf count are compared with those that were
published. It changes nothing and exits with 5 if something is wrong.

With the file of a backup, - for standard input, it checks that instead: the backup is complete and
unchanged, and its map has the root that it states. A backup has no earlier revs.`,
		Example: command.Example(
			"playctl store check",
			"playctl store check world.backup",
			"playctl store check --data-dir /var/lib/playctl --output json",
			"playctl store check --store redis://redis.example.com:6379 --store-credentials redis.secret"),
		Args: command.Takes("file?"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, isBackup, err := checked(a, &stored, args)
			if err != nil {
				return err
			}
			if isBackup {
				return checkBackup(cmd.Context(), a, args[0])
			}
			var p command.Progress
			result, err := command.AwaitWith(a, p.Items("Checking the store", "entries"), func() (*checkResult, error) { return checkStore(cmd.Context(), at, &p) })
			if err != nil {
				return orFromBackup(err)
			}
			if err := a.Printer.Print(result.document(a.Printer.Look)); err != nil || result.OK {
				return err
			}
			return command.Hintf(fmt.Errorf("%w: %s has %s", command.ErrUnverified, at, command.Plural(len(result.Problems), "problem", "problems")),
				place.HintRestore)
		},
	}
	stored.Register(cmd.Flags(), a)
	return cmd
}

// orFromBackup adds to the error of a store that running hosts have open or write to how to
// check a backup of it.
func orFromBackup(err error) error {
	if !errors.Is(err, store.ErrLocked) && !place.WrittenTo(err) {
		return err
	}
	return command.Hintf(err, "a running host writes a backup without stopping, and \"playctl store check FILE\" checks it: "+
		"\"playctl store backup FILE --server URL --admin-token-file FILE\"")
}

// checked returns the store to check: the one of the flags, or the one that an argument
// names by its file or its folder. Any other argument is a backup.
func checked(a *command.App, stored *place.Flags, args []string) (at place.Place, isBackup bool, err error) {
	if len(args) == 0 {
		at, err = place.Of(a, stored)
		return at, false, err
	}
	if a.Sources.ByFlag("data-dir") || a.Sources.ByFlag("store") {
		return at, false, command.Usagef("the argument is what to check: omit --data-dir and --store")
	}
	info, err := os.Stat(a.Absolute(args[0]))
	if err == nil && info.IsDir() || filepath.Base(args[0]) == place.StoreFile {
		at, err = place.Named(a, stored, "store", args[0])
		return at, false, err
	}
	return at, true, nil
}

// checkBackup checks a backup, and prints its content.
func checkBackup(ctx context.Context, a *command.App, name string) error {
	source, err := a.OpenInput(name)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	var p command.Progress
	info, err := command.AwaitWith(a, p.Bytes("Checking the backup"), func() (backup.Info, error) { return backup.Verify(ctx, p.Input(source)) })
	if errors.Is(err, backup.ErrInvalid) {
		err = command.Hintf(fmt.Errorf("%s: %w", command.InputName(name), err), "nothing can be restored from it: use another backup")
	}
	if err != nil {
		return err
	}
	result := checkedBackup{Info: info, File: name, OK: true, Records: info.Records}
	return a.Printer.Print(render.Document{Data: result, Views: []render.View{
		render.Line(a.Printer.Look.Good("good") + ": the backup is complete, and its map has the root that it states"),
		append(render.Fields{{Name: "file", Value: name}}, contentFields(&info)...),
	}})
}

// checkedBackup is what "playctl store check" prints for a backup.
type checkedBackup struct {
	backup.Info
	File    string `json:"file"`    // the file of the backup
	OK      bool   `json:"ok"`      // always true: a backup that is wrong is an error
	Records uint64 `json:"records"` // records in it: nodes, lines, journeys and what else is kept
}

// countedSource counts the entries that are read.
type countedSource struct {
	store.Source
	p *command.Progress
}

// Read implements store.Source.
func (s countedSource) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for entry, err := range s.Source.Read(ctx, after) {
			s.p.Add(1)
			if !yield(entry, err) {
				return
			}
		}
	}
}

// checkStore checks the pages of the file, if the store is one, and the world in it.
func checkStore(ctx context.Context, at place.Place, p *command.Progress) (result *checkResult, err error) {
	journal, err := at.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	problems, err := verify.Pages(ctx, journal)
	if err != nil {
		return nil, err
	}
	var report *verify.Report
	err = place.WhileItStands(ctx, journal, func() error {
		p.Expect(0)
		report, err = verify.Check(ctx, countedSource{journal, p}, journal.RootKey())
		return err
	})
	if err != nil {
		return nil, err
	}
	// The list is [] in JSON, even if there are no problems.
	report.Problems = append(append([]string{}, problems...), report.Problems...)
	return &checkResult{Store: at.String(), OK: len(report.Problems) == 0, Report: *report}, nil
}

func (r *checkResult) document(look render.Look) render.Document {
	verdict := look.Good("good") + ": every root is right"
	if !r.OK {
		verdict = look.Bad("damaged")
	}
	views := []render.View{render.Line(verdict), render.Fields{
		{Name: "store", Value: r.Store},
		{Name: "rebuilt", Value: r.rebuilt()},
		{Name: "revs", Value: fmt.Sprintf("%d to %d", r.FirstRev, r.LastRev)},
		{Name: "seqs", Value: fmt.Sprintf("%d to %d", r.FirstSeq, r.LastSeq)},
		{Name: "entries", Value: command.Number(&r.Entries)},
		{Name: "events", Value: command.Number(&r.Events)},
		{Name: "records", Value: command.Number(&r.Records)},
	}}
	for _, problem := range r.Problems {
		views = append(views, render.Line(look.Bad("problem:")+" "+render.Clean(problem)))
	}
	return render.Document{Data: r, Views: views}
}

// rebuilt states the revs at which the map was rebuilt. Revs before the checkpoint were
// compared when it was written.
func (r *checkResult) rebuilt() string {
	text := command.Plural(int(r.RevsVerified), "rev", "revs")
	if r.CheckpointRev > r.FirstRev {
		text += fmt.Sprintf(", from the checkpoint at rev %d on; the ones before went into it and were compared then", r.CheckpointRev)
	}
	return text
}

// compactResult is what "playctl store compact" prints; sizes are in bytes.
type compactResult struct {
	Store  string `json:"store"`  // the file of the store
	Before int64  `json:"before"` // its bytes before
	After  int64  `json:"after"`  // its bytes afterwards
}

func newStoreCompactCommand(a *command.App) *cobra.Command {
	var dataDir string
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Free the unused disk space of a store",
		Long: `Rewrite a store without its unused disk space. A crash leaves the store as it was; there must be
room for a second copy.`,
		Example: command.Example("playctl store compact"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := place.Of(a, &place.Flags{DataDir: dataDir})
			if err != nil {
				return err
			}
			done := compactResult{Store: at.String()}
			err = a.Waiting("Compacting the store", func() error {
				done.Before, done.After, err = at.Compact(cmd.Context())
				return err
			})
			if err != nil {
				return err
			}
			return a.PrintSentence(done, "Compacted the store from %d to %d bytes.", done.Before, done.After)
		},
	}
	place.RegisterDataDir(cmd.Flags(), a, &dataDir, place.FolderUsage)
	return cmd
}

// aclResult is what "playctl store acl" prints.
type aclResult struct {
	User  string   `json:"user"`  // the name of the Redis user
	Rules []string `json:"rules"` // its rules, a line of an ACL file each
}

func newStoreACLCommand(a *command.App) *cobra.Command {
	var hostID, user string
	var cluster bool
	cmd := &cobra.Command{
		Use:   "acl",
		Short: "Print the permissions that the Redis user of a world's hosts needs",
		Long: `Print the permissions that the Redis user of a world's hosts needs, as a line of an ACL file: the
keys and the channels of the world, the commands that hosts send, and nothing else. You still have
to add a password, as >PASSWORD, or as # and its hex SHA-256.`,
		Example: command.Example("playctl store acl", "playctl store acl --host-id arena --user arena --cluster --output json"),
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			if err := redis.CheckHostID(hostID); err != nil {
				return command.BadSetting(a.Sources.Where("host-id"), err)
			}
			result := aclResult{User: user, Rules: redis.Rules(hostID, cluster)}
			return a.PrintSentence(result, "user %s on %s", user, strings.Join(result.Rules, " "))
		},
	}
	cmd.Flags().StringVar(&hostID, "host-id", "default", "the `name` of the world on the Redis server")
	cmd.Flags().StringVar(&user, "user", "playctl", "the user's `name`")
	cmd.Flags().BoolVar(&cluster, "cluster", false, "for the nodes of a Cluster")
	command.Configurable(cmd.Flags(), "host-id")
	return cmd
}
