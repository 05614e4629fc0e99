package chain_test

import (
	"errors"
	"testing"

	"github.com/playctl/playctl/chain"
)

// snapshotAt returns a snapshot of a session at a rev, whose content depends on the
// number of its rows.
func snapshotAt(t *testing.T, sid string, rev uint64, rows int) *chain.Snapshot {
	t.Helper()
	c, _ := copyWithAgents(t, rows)
	s, err := chain.NewSnapshot(chain.Head{SID: sid, MainNodeID: "root", Rev: &rev, Seq: new(uint64(20))}, c.Snapshot().Tree())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWitness(t *testing.T) {
	whole := func(w *chain.Witness, s *chain.Snapshot) error {
		err := w.Whole(s, statedOf(s))
		w.Verified(s)
		return err
	}
	root := func(w *chain.Witness, s *chain.Snapshot) error {
		return w.Root(s.Head().Rev, s.Root().Hex(), s.LeafCount())
	}
	event := func(w *chain.Witness, seq, rev uint64) error { return w.Event(&seq, &chain.EventState{Rev: &rev}) }
	for name, c := range map[string]struct {
		last func(w *chain.Witness) error
		want *chain.WentBackError
	}{
		"a later position":                {func(w *chain.Witness) error { return w.Position(21) }, nil},
		"the same position":               {func(w *chain.Witness) error { return w.Position(20) }, nil},
		"an earlier position":             {func(w *chain.Witness) error { return w.Position(19) }, &chain.WentBackError{What: "event", From: 20, To: 19}},
		"the same root":                   {func(w *chain.Witness) error { return root(w, snapshotAt(t, "s", 8, 2)) }, nil},
		"another root":                    {func(w *chain.Witness) error { return root(w, snapshotAt(t, "s", 8, 3)) }, &chain.WentBackError{What: "rev", From: 8, To: 8}},
		"another root of an older rev":    {func(w *chain.Witness) error { return root(w, snapshotAt(t, "s", 7, 2)) }, &chain.WentBackError{What: "rev", From: 7, To: 7}},
		"a root of an unknown rev":        {func(w *chain.Witness) error { return root(w, snapshotAt(t, "s", 6, 9)) }, nil},
		"a whole map of a later rev":      {func(w *chain.Witness) error { return whole(w, snapshotAt(t, "s", 9, 1)) }, nil},
		"a whole map of an earlier rev":   {func(w *chain.Witness) error { return whole(w, snapshotAt(t, "s", 7, 1)) }, &chain.WentBackError{What: "rev", From: 8, To: 7}},
		"an event of the same rev":        {func(w *chain.Witness) error { return event(w, 21, 8) }, nil},
		"a late event of an earlier rev":  {func(w *chain.Witness) error { return event(w, 20, 6) }, nil},
		"a later event of an earlier rev": {func(w *chain.Witness) error { return event(w, 21, 6) }, &chain.WentBackError{What: "rev", From: 8, To: 6}},
		"another session": {func(w *chain.Witness) error {
			w.Session("t")
			return errors.Join(w.Position(1), whole(w, snapshotAt(t, "t", 1, 1)))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var w chain.Witness
			w.Session("s")
			before := errors.Join(w.Position(10), w.Position(20), whole(&w, snapshotAt(t, "s", 7, 1)), whole(&w, snapshotAt(t, "s", 8, 2)))
			if before != nil {
				t.Fatal(before)
			}
			err := c.last(&w)
			got, _ := errors.AsType[*chain.WentBackError](err)
			if (err == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Fatalf("%v, want %v", err, c.want)
			}
			// It is reported once.
			if err := c.last(&w); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// However long a world is followed, the memory for it is bounded, and the newest revs are
// the ones that are known.
func TestWitnessForgetsOldestRevs(t *testing.T) {
	var w chain.Witness
	one := snapshotAt(t, "s", 1, 1)
	w.Session("s")
	for rev := uint64(1); rev <= 5000; rev++ {
		w.Verified(one.At(&rev, nil))
	}
	for rev, known := range map[uint64]bool{3976: false, 3977: true, 5000: true} {
		copied := w
		if err := copied.Root(&rev, one.Root().Hex(), 99); (err != nil) != known {
			t.Errorf("rev %d: %v, want known %t", rev, err, known)
		}
	}
}
