//go:build linux || darwin

package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// TestFullDisk runs in a process of its own, whose files must not grow past a
// limit, which has the effect of a full disk. The journal must report that it is
// unavailable, continue to serve readers, lose no acknowledged entry, and write
// again when there is space.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "world.db")
	output, err := startRole(t, roleFull, path).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(output), "passed\n") {
		t.Fatalf("%v\n%s", err, output)
	}
}

// platformRoles are roles for this system only.
var platformRoles = map[string]func(path string) int{roleFull: fillDisk}

func fillDisk(path string) int {
	// Go ends a program at the signal that comes with the limit, unless it is
	// ignored.
	signal.Ignore(syscall.SIGXFSZ)
	if err := fillAndFree(path); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("passed")
	return 0
}

func limitFiles(size uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if size == 0 {
		size = limit.Max
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: limit.Max})
}

func fillAndFree(path string) error {
	ctx := context.Background()
	j, err := bolt.Open(ctx, bolt.Options{Path: path, RootKey: rootKey})
	if err != nil {
		return err
	}
	f := &filler{j: j}
	// Full and free again several times, with the limit within and between pages.
	for _, size := range []uint64{300_000, 1 << 20, 5_000_001} {
		if err := limitFiles(size); err != nil {
			return err
		}
		if err := f.fill(ctx); err != nil {
			return fmt.Errorf("with a limit of %d: %w", size, err)
		}
		if f.j, err = restart(ctx, f.j, path); err != nil {
			return fmt.Errorf("a restart with a limit of %d: %w", size, err)
		}
		if err := f.compare(ctx); err != nil {
			return err
		}
		if err := f.j.Unwritten(); size > 4<<20 && !errors.Is(err, store.ErrUnavailable) {
			return fmt.Errorf("the log of a full disk was moved into the database: %w", err)
		}
		if err := limitFiles(0); err != nil {
			return err
		}
		if err := f.add(ctx); err != nil {
			return fmt.Errorf("after the limit of %d was lifted: %w", size, err)
		}
		if err := f.compare(ctx); err != nil {
			return err
		}
		problems, err := f.j.CheckPages(ctx)
		if err != nil || len(problems) > 0 {
			return fmt.Errorf("the pages after the limit of %d was lifted: %q, %w", size, problems, err)
		}
	}
	if err := f.j.Close(); err != nil {
		return err
	}
	if f.j, err = bolt.Open(ctx, bolt.Options{Path: path, RootKey: rootKey}); err != nil {
		return err
	}
	return errors.Join(f.compare(ctx), f.j.Close())
}

// restart closes a store whose disk is full, and opens it again.
func restart(ctx context.Context, j *bolt.Journal, path string) (*bolt.Journal, error) {
	if err := j.Close(); err != nil && !errors.Is(err, store.ErrUnavailable) {
		return nil, err
	}
	return bolt.Open(ctx, bolt.Options{Path: path, RootKey: rootKey})
}

// filler appends until the disk is full and records the acknowledged entries.
type filler struct {
	j    *bolt.Journal
	feed storetest.Feed
}

var load = bytes.Repeat([]byte("0123456789abcdef"), 2_000)

// add appends an entry with a record. If that fails, the next one has the same
// position.
func (f *filler) add(ctx context.Context) error {
	before := f.feed
	e := f.feed.Next(true, 1)
	e.Records = []store.Record{{Table: store.Journeys, Key: fmt.Append(nil, e.Position), Value: load}}
	if err := storetest.Append(ctx, f.j, e.Position-1, e); err != nil {
		f.feed = before
		return err
	}
	return nil
}

func (f *filler) fill(ctx context.Context) error {
	for range 10_000 {
		err := f.add(ctx)
		if err == nil {
			continue
		}
		if !errors.Is(err, store.ErrUnavailable) {
			return fmt.Errorf("a full disk is reported as %w", err)
		}
		// Readers continue. Pages released by the last reader may make room for
		// another append; an acknowledged one counts.
		for range 2 {
			if err := f.add(ctx); err != nil && !errors.Is(err, store.ErrUnavailable) {
				return fmt.Errorf("a second append to a full disk: %w", err)
			}
			if err := f.compare(ctx); err != nil {
				return err
			}
		}
		if _, err := f.j.Checkpoint(ctx, f.feed.State()); err != nil && !errors.Is(err, store.ErrUnavailable) {
			return fmt.Errorf("a checkpoint on a full disk: %w", err)
		}
		return nil
	}
	return errors.New("the disk did not fill up")
}

// compare reads back all acknowledged entries.
func (f *filler) compare(ctx context.Context) error {
	head, err := f.j.Head(ctx)
	if err != nil || head != f.feed.Head().Position {
		return fmt.Errorf("the head is %d, %w; acknowledged is %d", head, err, f.feed.Head().Position)
	}
	next := store.Position(1)
	for e, err := range f.j.Read(ctx, 0) {
		if err != nil || e.Position != next {
			return fmt.Errorf("read %d, want %d: %w", e.Position, next, err)
		}
		value, err := f.j.Get(ctx, store.Journeys, fmt.Append(nil, next))
		if err != nil || !bytes.Equal(value, load) {
			return fmt.Errorf("the record of entry %d has %d bytes: %w", next, len(value), err)
		}
		next++
	}
	if next != head+1 {
		return fmt.Errorf("the entries end before %d, the head is %d", next, head)
	}
	return nil
}

func TestFileThatCannotBeOpened(t *testing.T) {
	o := createdStore(t)
	if err := os.Remove(o.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(o.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(context.Background(), o); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Open of a folder: %v", err)
	}
}
