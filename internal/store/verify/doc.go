// Package verify proves that a journal holds a world: it rebuilds the player
// chain from the checkpoint through every entry and compares what each entry
// says about it. It works on any store.Journal and changes nothing.
package verify
