package protocol_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

// wireEqual checks that v is encoded as want, ignoring white space, with members in
// the same order.
func wireEqual(t *testing.T, v any, want string) {
	t.Helper()
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("marshal %T: %v", v, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatalf("the wanted text for %T is not JSON: %v", v, err)
	}
	if diff := cmp.Diff(compact.String(), string(got)); diff != "" {
		t.Errorf("%T on the wire (-want +got):\n%s", v, diff)
	}
}

// wireBothWays checks that v is encoded as want, and that want decodes to v.
func wireBothWays[T any](t *testing.T, v T, want string) {
	t.Helper()
	wireEqual(t, v, want)
	var back T
	if err := protocol.Decode([]byte(want), &back); err != nil {
		t.Fatalf("decode %T: %v", v, err)
	}
	if diff := cmp.Diff(v, back, compareSecrets); diff != "" {
		t.Errorf("%T read back (-want +got):\n%s", v, diff)
	}
}

// object parses a body that must be valid.
func object(t *testing.T, body string) protocol.Object {
	t.Helper()
	o, err := protocol.ParseObject([]byte(body))
	if err != nil {
		t.Fatalf("ParseObject(%.200s): %v", body, err)
	}
	return o
}

// compareSecrets lets cmp compare secrets by their text.
var compareSecrets = cmp.Comparer(func(a, b protocol.WireSecret) bool { return a.Equal(b.Secret) })
