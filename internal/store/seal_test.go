package store_test

import (
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

// The checksum of a record covers its table, its key and its value.
func TestUnsealFindsEveryChange(t *testing.T) {
	stored := func(table store.Table, key, value string) []byte {
		return store.AppendSealed(nil, table, []byte(key), []byte(value))
	}
	for _, value := range []string{"", "value"} {
		got, err := store.Unseal(store.Nodes, []byte("key"), stored(store.Nodes, "key", value))
		if err != nil || got == nil || string(got) != value {
			t.Errorf("the value %q is read as %q, %v", value, got, err)
		}
	}
	value := stored(store.Nodes, "key", "value")
	for name, test := range map[string]struct {
		table  store.Table
		key    string
		stored []byte
		was    string
	}{
		"a changed bit":                  {store.Nodes, "key", append([]byte("w"), value[1:]...), "key"},
		"a truncated value":              {store.Nodes, "key", value[:len(value)-1], "key"},
		"no value":                       {store.Nodes, "key", nil, "key"},
		"the value of another key":       {store.Nodes, "keys", value, "keys"},
		"a key with a changed bit":       {store.Nodes, "kez", stored(store.Nodes, "kex", "value"), "kex"},
		"the value of a similar key":     {store.Nodes, "kdy", value, "key"},
		"the value of another table":     {store.Spaces, "key", value, "key"},
		"a byte of the key in the value": {store.Nodes, "ke", append([]byte("y"), value...), "ke"},
	} {
		_, err := store.Unseal(test.table, []byte(test.key), test.stored)
		damaged, is := errors.AsType[*store.DamagedError](err)
		if !is || !errors.Is(err, store.ErrCorrupt) || damaged.Table != test.table || string(damaged.Key) != test.was {
			t.Errorf("%s: %v", name, err)
		}
	}
}
