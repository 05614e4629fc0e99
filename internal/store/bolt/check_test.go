package bolt_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
)

// TestDamagedPages writes noise over parts of a store. Whichever part is damaged,
// nothing panics, and an entry is unchanged, or an error reports its damage, or it
// is missing, which a check of the roots detects.
func TestDamagedPages(t *testing.T) {
	o := filledStore(t)
	j := open(t, o)
	want, _, err := readEverything(j)
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, j)
	// Without unused pages, every change damages data.
	if _, _, err := bolt.Compact(context.Background(), o.Path); err != nil {
		t.Fatal(err)
	}
	whole := content(t, o.Path)
	seen := map[string]int{}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		damaged := bytes.Clone(whole)
		at := random.IntN(len(damaged) - 64)
		for i := range 1 + random.IntN(64) {
			damaged[at+i] = byte(random.Uint32())
		}
		overwrite(t, o.Path, damaged)
		o.ReadOnly = seed%2 == 0
		seen[tryDamaged(t, o, want)]++
	}
	t.Logf("outcomes: %v", seen)
	if seen["found"] == 0 || seen["harmless"] == 0 {
		t.Errorf("the damage was never found or never harmless: %v", seen)
	}
}

func tryDamaged(t *testing.T, o bolt.Options, want []store.Entry) string {
	t.Helper()
	j, err := bolt.Open(context.Background(), o)
	if err != nil {
		checkErrorTexts(t, err.Error())
		return "not opened"
	}
	defer func() { _ = j.Close() }()
	got, _, err := readEverything(j)
	if err == nil {
		for _, e := range got {
			i, there := slices.BinarySearchFunc(want, e.Position, func(w store.Entry, at store.Position) int { return cmp.Compare(w.Position, at) })
			if !there || !reflect.DeepEqual(want[i], e) {
				t.Errorf("entry %d is read with another content and no error", e.Position)
			}
		}
	} else if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrFormat) && !errors.Is(err, store.ErrUnavailable) ||
		!strings.Contains(err.Error(), o.Path) {
		t.Errorf("damage is reported as %v", err)
	}
	problems, checkErr := j.CheckPages(context.Background())
	checkErrorTexts(t, append(problems, fmt.Sprint(err), fmt.Sprint(checkErr))...)
	if err != nil || checkErr != nil || len(problems) > 0 {
		return "found"
	}
	return "harmless"
}

// checkErrorTexts fails the test if damage is reported with the text of a panic.
func checkErrorTexts(t *testing.T, messages ...string) {
	t.Helper()
	for _, text := range messages {
		if strings.Contains(text, "runtime error") || strings.Contains(text, "assertion failed") {
			t.Errorf("damage is reported with the text of a panic: %s", text)
		}
	}
}
