package port

import "testing"

// Keep returns an address of 127.0.0.1, as 127.0.0.1:41234, that only who asks for
// it by its number gets until the test ends: a server may listen there, end, and
// listen again, and meanwhile a client is refused. On Linux, that is; elsewhere the
// port was free a moment ago.
func Keep(t testing.TB) string {
	t.Helper()
	addr, release, err := Hold()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return addr
}
