// Package siege attacks a real host with every flood at once, together with an
// honest client: the client must get no error and keep its latency, and the host
// must stay within its memory and its descriptors. It measures latency, so nothing else
// may run on the machine: ./test.sh --full runs it by itself.
package siege
