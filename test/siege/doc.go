// Package siege attacks a real host with every flood at once, beside a client
// that does nothing wrong: the client must have no error and keep its latency,
// and the host its memory and its descriptors.
package siege
