package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// inspect compares the file's metadata with this program and the options, and
// returns its root key.
func inspect(db *bbolt.DB, o Options) (string, error) {
	var rootKey string
	err := guard(func() error {
		return db.View(func(tx *bbolt.Tx) (err error) {
			if err := whole(tx, o.Path); err != nil {
				return err
			}
			rootKey, err = inspectMeta(tx)
			return err
		})
	})
	if err != nil {
		return "", fmt.Errorf("opening %s: %w", o.Path, err)
	}
	if o.RootKey != "" && o.RootKey != rootKey {
		return "", fmt.Errorf("%w: %s was created with the root key %s, this host has %s; start with the other root file, or choose another folder for the data",
			store.ErrRootKey, o.Path, abbreviate(rootKey), abbreviate(o.RootKey))
	}
	return rootKey, nil
}

// whole refuses a file that is shorter than its pages: reading a mapped page past
// the end of a file is a fault.
func whole(tx *bbolt.Tx, path string) error {
	length, err := size(path)
	if err != nil {
		return err
	}
	if length < tx.Size() {
		return fmt.Errorf("%w: the file has only %d of at least %d bytes: its end is missing", store.ErrCorrupt, length, tx.Size())
	}
	return nil
}

func inspectMeta(tx *bbolt.Tx) (string, error) {
	values, err := bucket(tx, metaBucket)
	if err != nil {
		return "", err
	}
	format, err := parseNumber("format", values.Get(formatKey))
	if err == nil {
		err = store.CheckFormat("the store", format)
	}
	if err != nil {
		return "", err
	}
	if err := errors.Join(checkBuckets(tx), checkMeta(tx, values)); err != nil {
		return "", err
	}
	rootKey, err := meta(tx, rootKeyKey)
	if err == nil && len(rootKey) == 0 {
		err = fmt.Errorf("%w: it has no root key", store.ErrCorrupt)
	}
	return string(rootKey), err
}

// checkBuckets refuses a file with other buckets than those of a store: a bucket whose
// name changed would look like an empty one.
func checkBuckets(tx *bbolt.Tx) error {
	known := buckets()
	for _, name := range known {
		if _, err := bucket(tx, name); err != nil {
			return err
		}
	}
	count := 0
	err := tx.ForEach(func([]byte, *bbolt.Bucket) error {
		count++
		return nil
	})
	if err == nil && count != len(known) {
		err = fmt.Errorf("%w: it has %d buckets, not %d", store.ErrCorrupt, count, len(known))
	}
	return err
}

// checkMeta refuses damaged and unknown values of the meta bucket.
func checkMeta(tx *bbolt.Tx, values *bbolt.Bucket) error {
	known := []string{string(rootKeyKey), string(trimmedKey), string(keptKey), string(logKey), string(leftLogKey)}
	return values.ForEach(func(key, _ []byte) error {
		if bytes.Equal(key, formatKey) {
			return nil
		}
		if !slices.Contains(known, string(key)) {
			return fmt.Errorf("%w: it has the unknown value %q", store.ErrCorrupt, key)
		}
		_, err := meta(tx, key)
		return err
	})
}

// abbreviate shortens a root key to the part that a person compares.
func abbreviate(rootKey string) string {
	const shown = 12
	runes := []rune(rootKey)
	if len(runes) <= shown {
		return fmt.Sprintf("%q", rootKey)
	}
	return fmt.Sprintf("%q…", string(runes[:shown]))
}

func makeBuckets(tx *bbolt.Tx) error {
	for _, name := range buckets() {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return fmt.Errorf("making bucket %q: %w", name, err)
		}
	}
	return nil
}
