package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/durable"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backup"
	"github.com/playctl/playctl/internal/store/verify"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// backupResult is what "playctl store backup" and "restore" print: the content of the
// backup.
type backupResult struct {
	backup.Info
	File    string `json:"file"`    // the file of the backup
	Store   string `json:"store"`   // the store that was backed up or restored into, or the address of the host
	Records uint64 `json:"records"` // records in it: nodes, lines, journeys and what else is kept
}

func newStoreBackupCommand(a *command.App) *cobra.Command {
	var stored place.Flags
	var admin command.AdminFlags
	var flags backupFlags
	cmd := &cobra.Command{
		Use:        "backup <file>",
		SuggestFor: []string{"backup"},
		Short:      "Write the world into one file and verify it",
		Long: `Write the world into one file, - for standard output: the map, nodes, interactions, journeys.
All of the store is checked first, as by "playctl store check", and the complete file is read back
and verified. A damaged store is not backed up without --damaged: the backup then has what can be
read, without the ids of earlier requests. It holds digests of credentials: keep it as safe as the
store. If hosts write to a world in Redis during the read, it is read again.

With --server it reads the world at one moment from a running host, as the administrator, while
writes continue there. --timeout limits that only if it is set; without it, a host that sends nothing
for two minutes has failed.`,
		Example: command.Example(
			"playctl store backup world.backup",
			"playctl store backup world.backup --server https://play.example.com --admin-token-file admin.token",
			"playctl store backup - | gzip > world.backup.gz",
			"playctl store backup world.backup --store redis://redis.example.com:6379 --store-credentials redis.secret"),
		Args: command.Takes("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.Sources.ByFlag("server") {
				return backUpHost(cmd.Context(), a, &admin, args[0], &flags)
			}
			at, err := place.Of(a, &stored)
			if err != nil {
				return err
			}
			if args[0] == "-" {
				_, err := backUp(cmd.Context(), at, a.Stdout, flags.damaged)
				return orFromHost(withDamaged(err), args[0])
			}
			return orFromHost(writeBackup(cmd.Context(), a, args[0], flags.force, at.String(), func(ctx context.Context, temp *os.File, p *command.Progress) (backup.Info, error) {
				info, err := backUpAgain(ctx, at, temp, p, flags.damaged)
				return info, withDamaged(err)
			}), args[0])
		},
	}
	stored.Register(cmd.Flags(), a)
	admin.RegisterToken(cmd)
	cmd.Flags().BoolVar(&flags.force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&flags.damaged, "damaged", false, "write what can be read of a damaged store")
	cmd.Flags().IntVar(&flags.maxSize, "max-size", 4096, "how many MiB the backup of a host may have; 0 = no limit")
	return cmd
}

// backupFlags are the flags of a backup into a file.
type backupFlags struct {
	force   bool
	damaged bool
	maxSize int // in MiB, of a host's backup; 0 for no limit
}

// orFromHost adds to the error of a store that running hosts have open or write to how to
// get a backup from a host.
func orFromHost(err error, file string) error {
	if !errors.Is(err, store.ErrLocked) && !place.WrittenTo(err) {
		return err
	}
	return command.Hintf(err, "a running host creates one without stopping: \"playctl store backup %s --server URL --admin-token-file FILE\"", command.ShellWord(file))
}

// withDamaged adds to the error of a damaged store what is left to do if there is no good
// backup.
func withDamaged(err error) error {
	if _, damaged := errors.AsType[*verify.DamagedStoreError](err); !damaged && !protocol.HasCode(err, protocol.CodeRecordDamaged) {
		return err
	}
	return command.Hintf(fmt.Errorf("%w: %w", command.ErrUnverified, err),
		"restore the newest good backup; without one, \"playctl store backup --damaged\" saves what can be read")
}

// backUp writes a backup of the world in a store, or of what can be read of it.
func backUp(ctx context.Context, at place.Place, out io.Writer, damaged bool) (info backup.Info, err error) {
	journal, err := at.Open(ctx)
	if err != nil {
		return backup.Info{}, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	if damaged {
		return backup.WriteRest(ctx, journal, journal.RootKey(), out)
	}
	return backup.Write(ctx, journal, journal.RootKey(), out)
}

// backUpHost reads a backup from a running host, and verifies it before it gets its name.
func backUpHost(ctx context.Context, a *command.App, admin *command.AdminFlags, name string, flags *backupFlags) error {
	if flags.maxSize < 0 || flags.maxSize > mostMebibytes {
		return command.Usagef("--max-size must be from 0 to %d", mostMebibytes)
	}
	if a.Sources.Made("timeout") {
		limited, cancel := a.Limited(ctx)
		defer cancel()
		ctx = limited
	}
	caller, err := a.Caller()
	if err != nil {
		return err
	}
	c, err := a.AdminClient(caller, admin)
	if err != nil {
		return err
	}
	defer c.Close()
	limit := int64(flags.maxSize) << 20
	if name == "-" {
		return withDamaged(c.Backup(ctx, a.Stdout, limit, flags.damaged))
	}
	return writeBackup(ctx, a, name, flags.force, caller.Server, func(ctx context.Context, temp *os.File, p *command.Progress) (backup.Info, error) {
		return backup.Info{}, withDamaged(c.Backup(ctx, p.Writer(temp), limit, flags.damaged))
	})
}

// mostMebibytes is the largest size that is a number of bytes.
const mostMebibytes = math.MaxInt64 >> 20

// writeBackup writes a backup to a file, as backUpTo does, and prints its content.
func writeBackup(ctx context.Context, a *command.App, name string, force bool, from string, write writer) error {
	file := a.Absolute(name)
	if _, err := os.Lstat(file); err == nil && !force {
		return command.FileExists(name)
	}
	var p command.Progress
	info, err := command.AwaitWith(a, p.Bytes("Writing and verifying the backup"), func() (backup.Info, error) { return backUpTo(ctx, file, &p, write) })
	if err != nil {
		return err
	}
	return a.Printer.Print(backupDocument(info, file, from, "Wrote a backup of"))
}

// writer writes a backup to a file, and counts the bytes.
type writer func(context.Context, *os.File, *command.Progress) (backup.Info, error)

// leftAfter is the age from which a temporary file is one of a backup that was killed: a
// host may be silent for two minutes during a backup.
const leftAfter = 10 * time.Minute

// backUpTo writes a backup to a temporary file in the same folder, verifies the written
// file, and renames it. After a failure it leaves no file.
func backUpTo(ctx context.Context, file string, p *command.Progress, write writer) (backup.Info, error) {
	prefix := "." + filepath.Base(file) + ".tmp-"
	durable.RemoveLeft(filepath.Dir(file), prefix, leftAfter)
	// os.CreateTemp creates files that only their owner can read.
	temp, err := os.CreateTemp(filepath.Dir(file), prefix+"*")
	if err != nil {
		return backup.Info{}, fmt.Errorf("write the backup: %w", err)
	}
	info, err := fill(ctx, temp, p, write)
	if err == nil {
		if err = os.Rename(temp.Name(), file); err != nil {
			err = fmt.Errorf("put the backup in its place: %w", err)
		}
	}
	if err != nil {
		return backup.Info{}, errors.Join(err, os.Remove(temp.Name()))
	}
	// Without this the file could lose its name in a power failure.
	if err := durable.SyncFolder(filepath.Dir(file)); err != nil {
		return info, fmt.Errorf("sync the folder of the backup: %w", err)
	}
	return info, nil
}

// fill writes a backup to a file, and verifies the written file.
func fill(ctx context.Context, temp *os.File, p *command.Progress, write writer) (info backup.Info, err error) {
	written, err := write(ctx, temp, p)
	if err == nil {
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return backup.Info{}, err
	}
	info, err = verifyBackup(ctx, temp.Name(), p)
	if err != nil {
		return backup.Info{}, err
	}
	if written != (backup.Info{}) && info != written {
		return backup.Info{}, fmt.Errorf("%w: the file has a different world when read back", backup.ErrInvalid)
	}
	return info, nil
}

// backUpAgain repeats a backup from its beginning, a few times at most, until the world
// did not change during it.
func backUpAgain(ctx context.Context, at place.Place, file *os.File, p *command.Progress, damaged bool) (info backup.Info, err error) {
	for range place.AttemptsToRead {
		p.Expect(0)
		if _, err = file.Seek(0, io.SeekStart); err == nil {
			err = file.Truncate(0)
		}
		if err != nil {
			return info, fmt.Errorf("write the backup: %w", err)
		}
		if info, err = backUp(ctx, at, p.Writer(file), damaged); !place.WrittenTo(err) {
			return info, err
		}
	}
	return info, err
}

func verifyBackup(ctx context.Context, file string, p *command.Progress) (backup.Info, error) {
	in, err := os.Open(file) //nolint:gosec // G304: the user names the path
	if err != nil {
		return backup.Info{}, fmt.Errorf("read the backup: %w", err)
	}
	defer func() { _ = in.Close() }()
	return backup.Verify(ctx, p.Input(in))
}

func newStoreRestoreCommand(a *command.App) *cobra.Command {
	var stored place.Flags
	cmd := &cobra.Command{
		Use:        "restore <file>",
		SuggestFor: []string{"restore"},
		Short:      "Create a store from a backup",
		Long: `Create a store from a backup, in a folder that has none, or with --store in a Redis database that
has no world with that --host-id. The backup is verified before anything is written. The world goes
on in a new session, with rev and seq far above those of the backup, so that no client confuses it
with the earlier one.

The backup includes the world's root key: "playctl serve" takes it from the store.`,
		Example: command.Example(
			"playctl store restore world.backup --data-dir /var/lib/playctl",
			"playctl store restore world.backup --store redis://redis.example.com:6379 --host-id restored"),
		Args: command.Takes("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := place.Of(a, &stored)
			if err != nil {
				return err
			}
			var p command.Progress
			info, err := command.AwaitWith(a, p.Bytes("Restoring"), func() (backup.Info, error) { return restore(cmd.Context(), a, args[0], at, &p) })
			if err != nil {
				return err
			}
			if err := a.Printer.Print(backupDocument(info, args[0], at.String(), "Restored")); err != nil {
				return err
			}
			a.Note("The backup includes the world's root key: \"playctl serve\" takes it from the store, without a root key file.")
			return nil
		},
	}
	stored.Register(cmd.Flags(), a)
	return cmd
}

func restore(ctx context.Context, a *command.App, name string, to place.Place, p *command.Progress) (info backup.Info, err error) {
	source, err := a.OpenInput(name)
	if err != nil {
		return backup.Info{}, err
	}
	defer func() { _ = source.Close() }()
	info, err = restoreFrom(ctx, a, p.Input(source), to)
	if errors.Is(err, backup.ErrInvalid) {
		return backup.Info{}, command.Hintf(fmt.Errorf("%s: %w", name, err), "use another backup: nothing was restored")
	}
	return info, err
}

// restoreFrom restores the world of a backup.
func restoreFrom(ctx context.Context, a *command.App, in io.Reader, to place.Place) (backup.Info, error) {
	return backup.Restore(ctx, in, backup.Target{
		SID:     newSID(),
		Now:     a.Now(),
		Begin:   func(rootKey string) (store.Import, error) { return to.Begin(ctx, rootKey) },
		SetTerm: world.SetTerm,
	})
}

// newSID generates the id of a session: a random UUID, version 4 (RFC 9562).
func newSID() string {
	var id [16]byte
	// Since Go 1.24 rand.Read fills the slice or ends the program.
	_, _ = rand.Read(id[:])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

func backupDocument(info backup.Info, file, at, done string) render.Document {
	return render.Document{
		Data: backupResult{Info: info, File: file, Store: at, Records: info.Records},
		Views: []render.View{
			render.Line(done + " " + render.Clean(at) + "."),
			append(render.Fields{{Name: "file", Value: file}}, contentFields(&info)...),
		},
	}
}

// contentFields describe the content of a backup.
func contentFields(info *backup.Info) render.Fields {
	return render.Fields{
		{Name: "rev", Value: command.Number(&info.Rev)},
		{Name: "seq", Value: command.Number(&info.Seq)},
		{Name: "root", Value: info.Root},
		{Name: "rows", Value: command.Decimal(int64(info.Rows))},
		{Name: "records", Value: command.Number(&info.Records)},
	}
}
