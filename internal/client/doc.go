// Package client speaks the wire protocol to a world host: one method for each
// route, and a reader of the event stream that resumes.
//
// A [Client] holds a host's address, whose credentials it shows, and the
// session that it last saw. It fetches the session when a route first needs it
// and again when the host says that it is over.
//
// What may be repeated is repeated with back-off and jitter: reads, and writes
// that carry an idempotency key. Each call of a writing method draws a fresh
// random key and sends it with every attempt, so that a host which did the work
// before the connection broke does not do it twice.
//
// Errors are [*github.com/playctl/playctl/protocol.Error] where the host
// answered, and [*UnreachableError] where it did not. No error and no log line
// holds a secret, also where a host repeats one in its answer.
//
// A host is not trusted: every reply, header, line and frame has a largest size.
package client
