package port

import "testing"

// Keep returns an address of 127.0.0.1, such as 127.0.0.1:41234, that until the
// test ends only processes get that request its port by number: a server may listen
// there, end, and listen again, and in between a client is refused. This applies to
// Linux; elsewhere the port was free a moment ago.
func Keep(t testing.TB) string {
	t.Helper()
	addr, release, err := Hold()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return addr
}
