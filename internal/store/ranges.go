package store

import (
	"bytes"
	"slices"
	"strings"
)

// Bounds returns the least key of the range (inclusive) and the bound above it
// (exclusive); empty means none.
func (r Range) Bounds() (low, high []byte) {
	low, high = r.From, r.Before
	if bytes.Compare(low, r.Prefix) < 0 {
		low = r.Prefix
	}
	if after := afterPrefix(r.Prefix); len(after) > 0 && (len(high) == 0 || bytes.Compare(after, high) < 0) {
		high = after
	}
	return low, high
}

// Holds tells whether a key lies in the range.
func (r Range) Holds(key string) bool {
	return strings.HasPrefix(key, string(r.Prefix)) && key >= string(r.From) &&
		(len(r.Before) == 0 || key < string(r.Before))
}

// afterPrefix is the least key above every key with the prefix; empty if there is
// none.
func afterPrefix(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			after := slices.Clone(prefix[:i+1])
			after[i]++
			return after
		}
	}
	return nil
}
