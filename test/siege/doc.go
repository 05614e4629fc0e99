// Package siege attacks a real host with every flood at once, together with an
// honest client: the client must get no error and keep its latency, and the host
// must stay within its memory and its descriptors. The long form, which measures
// latency, needs a machine without other work.
package siege
