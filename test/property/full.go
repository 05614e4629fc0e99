//go:build full

package property

// Full reports whether all tests run, as with ./test.sh --full.
const Full = true
