//go:build !unix

package host

import "math"

// descriptors is how many files and connections the process may have open at once:
// this system sets no limit.
func descriptors() int { return math.MaxInt32 }
