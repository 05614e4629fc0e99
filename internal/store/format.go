package store

import (
	"errors"
	"fmt"
)

// Format is the number of the form in which this program stores a world: entries,
// checkpoints and records, files and their logs, keys on a Redis server, backups, and
// the messages between the hosts of a world. It changes with every change of one of
// them. A store of any other format is refused.
const Format = 4

// ErrFormat means that a store, its log or a backup has another format than Format.
// It is left unchanged.
var ErrFormat = errors.New("unsupported format")

// CheckFormat returns the ErrFormat of a thing with this format; nil if the format is
// Format.
func CheckFormat(what string, format uint64) error {
	const differs = "%w: %s has format %d, and this playctl reads format %d only; "
	switch {
	case format < Format:
		return fmt.Errorf(differs+"use the playctl that wrote it", ErrFormat, what, format, Format)
	case format > Format:
		return fmt.Errorf(differs+"use a newer playctl", ErrFormat, what, format, Format)
	}
	return nil
}
