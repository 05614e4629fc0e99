package memory

import (
	"iter"
	"slices"

	"github.com/playctl/playctl/internal/store"
)

func (j *Journal) marks() []store.Mark {
	marks := make([]store.Mark, len(j.checkpoints))
	for i, c := range j.checkpoints {
		marks[i] = c.Mark
	}
	return marks
}

// trim removes the entries and checkpoints that the retention does not need, and
// returns them.
func (j *Journal) trim(headRev uint64) (store.Trim, error) {
	superfluous, err := j.retention.Trim(j.marks(), headRev, j.newestFirst())
	if err != nil {
		return store.Trim{}, err
	}
	j.checkpoints = slices.DeleteFunc(j.checkpoints, func(c checkpoint) bool {
		return slices.Contains(superfluous.Checkpoints, c.Position)
	})
	trim := superfluous.Entries
	j.trimmed = store.LastTrimmed(j.trimmed, trim)
	kept := make([]entry, 0, len(j.entries)-len(trim))
	for _, e := range j.entries {
		if len(trim) > 0 && trim[0].Position == e.Position {
			trim = trim[1:]
			continue
		}
		kept = append(kept, e)
	}
	j.entries = kept
	return superfluous, nil
}

func (j *Journal) newestFirst() iter.Seq2[store.Place, error] {
	return func(yield func(store.Place, error) bool) {
		for _, e := range slices.Backward(j.entries) {
			place := e.Place
			place.Bytes = uint64(len(e.encoded))
			if !yield(place, nil) {
				return
			}
		}
	}
}
