// Package durability has only tests: they kill a real host repeatedly while it is
// written to, and check that an acknowledged write is there after every restart,
// once and in its order.
package durability
