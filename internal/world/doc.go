// Package world is the engine: commands in, events out. One goroutine owns a
// world's state; it plans each command into an effect, applies it in memory,
// commits what is waiting as one batch to the journal, then publishes an
// immutable View and the events, and replies. It knows nothing of HTTP, files
// or clocks: time and randomness are passed in, so a run can be replayed.
package world
