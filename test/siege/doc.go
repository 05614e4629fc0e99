// Package siege attacks a real host with every flood at once, beside a client
// that does nothing wrong: the client must have no error and keep its latency,
// and the host its memory and its descriptors. The long form, which measures
// latency, needs a machine that does nothing else.
package siege
