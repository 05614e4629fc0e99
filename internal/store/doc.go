// Package store defines where a world is kept: the Journal of what happened and
// the tables of what is, written together in one commit. The backends (memory,
// bolt) live in folders below; storetest holds the contract that each of them
// passes.
package store
