package protocol_test

import (
	"reflect"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// A wrong tag panics when a request is first parsed: in this test, not in a host.
func TestEveryPayloadHasFieldsAndSummary(t *testing.T) {
	t.Parallel()
	for _, o := range protocol.Operations() {
		for _, v := range []any{o.Request, o.Reply} {
			if fields := protocol.FieldsOf(reflect.TypeOf(v)); len(fields) != reflect.TypeOf(v).NumField() {
				t.Errorf("%s: %d of the %d fields of %T have a name on the wire", o.Op, len(fields), reflect.TypeOf(v).NumField(), v)
			}
		}
		if o.Callers == 0 || o.Summary == "" {
			t.Errorf("%s has no permitted caller, or no summary", o.Op)
		}
	}
	for _, e := range protocol.Events() {
		if len(protocol.FieldsOf(reflect.TypeOf(e.Data))) == 0 || e.Summary == "" || e.Notifies == "" {
			t.Errorf("%s has no fields, no summary, or does not say whether it changes the map", e.Kind)
		}
	}
}
