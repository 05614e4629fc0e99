// Package siege attacks a real host with every flood at once, together with an
// honest client: the client must get no error, and the host must stay within its
// memory and its descriptors. With PLAYCTL_SIEGE the client must also keep its
// latency, which needs a machine without other work.
package siege
