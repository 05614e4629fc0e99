package bolt

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"go.etcd.io/bbolt"
)

// maxPageProblems bounds the number of problems that CheckPages returns.
const maxPageProblems = 100

// CheckPages checks the file's pages: each is used once or free, keys are in order,
// and no log is left. It returns the problems, a sentence each, at most 100; an
// error means that the file could not be read.
func (j *Journal) CheckPages(ctx context.Context) ([]string, error) {
	var problems []string
	if j.leftLog != "" {
		problems = append(problems, j.leftLog+"; if it is the log of an earlier store, move it away")
	}
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		found, err := checkPages(tx)
		problems = append(problems, found...)
		return errors.Join(err, ctx.Err())
	})
	return problems, err
}

func checkPages(tx *bbolt.Tx) (problems []string, err error) {
	problem, err := checkLengths(tx)
	if err != nil || problem != "" {
		return []string{problem}, err
	}
	if err := tx.ForEach(touch); err != nil {
		return nil, err
	}
	for problem := range tx.Check() {
		// The channel has to be drained: its sender would wait forever.
		if len(problems) < maxPageProblems {
			problems = append(problems, problem.Error())
		}
	}
	return problems, nil
}

// checkLengths finds the first page that claims to be longer than the file. bbolt's
// own check would report each of the billions of missing pages.
func checkLengths(tx *bbolt.Tx) (string, error) {
	for id := 0; ; {
		page, err := tx.Page(id)
		if err != nil || page == nil {
			return "", err
		}
		id++
		if page.Type == "free" {
			continue
		}
		if end := int64(id+page.OverflowCount) * int64(tx.DB().Info().PageSize); end > tx.Size() {
			return fmt.Sprintf("page %d claims %d further pages, and ends past the end of the file", page.ID, page.OverflowCount), nil
		}
		id += page.OverflowCount
	}
}

// touch reads every byte of a bucket. bbolt's own check runs in a goroutine whose
// panics cannot be recovered, so that touch finds their cause first.
func touch(_ []byte, b *bbolt.Bucket) error {
	sum := crc32.NewIEEE()
	return b.ForEach(func(key, value []byte) error {
		sum.Write(key)
		sum.Write(value)
		if value == nil {
			return touch(key, b.Bucket(key))
		}
		return nil
	})
}
