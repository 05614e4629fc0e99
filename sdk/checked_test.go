package sdk_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/sdk"
)

// Every event is reported once more when the copy includes it, with the state of
// the copy at that time: a wrong value in the event is reported with the event
// itself, and an event that needs a full read is not called verified because the
// copy before it was.
func TestEventIsReportedWhenCopyIncludesIt(t *testing.T) {
	tests := map[string]struct {
		wrongValue func(data map[string]any)
		want       []sdk.Verification
	}{
		"unchanged":          {func(map[string]any) {}, []sdk.Verification{sdk.Verified, sdk.Verified}},
		"a wrong root":       {func(d map[string]any) { d["merkleRootHex"] = wrongRoot }, []sdk.Verification{sdk.Mismatched, sdk.Verified}},
		"no list of changes": {func(d map[string]any) { notifyOf(d)["nodes"] = "all" }, []sdk.Verification{sdk.CatchingUp, sdk.Verified}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				var reported []string
				var known []sdk.Verification
				f := follow(t, host, &rewriter{event: mapChange(test.wrongValue)}, func(o *sdk.SubscribeOptions) {
					o.OnEvent = func(e sdk.Event) { reported = append(reported, "received "+string(e.Kind)) }
					o.OnSnapshot = func(u sdk.Update) {
						if u.Event != nil {
							reported = append(reported, "merged "+string(u.Event.Kind))
						}
					}
					o.OnChecked = func(e sdk.Event, v sdk.Verification) {
						reported, known = append(reported, "checked "+string(e.Kind)), append(known, v)
					}
				})
				ada := addAgent(t, openWorld(t, host, nil), "ada", nil)
				synctest.Wait()
				if _, err := ada.Say(t.Context(), "again"); err != nil {
					t.Fatal(err)
				}
				f.checkEqual()
				want := []string{"received world:player_added", "merged world:player_added", "checked world:player_added",
					"received world:interaction", "checked world:interaction"}
				if test.want[0] == sdk.CatchingUp {
					want = slices.Delete(want, 1, 2) // the full read includes it
				}
				if !slices.Equal(reported, want) || !slices.Equal(known, test.want) {
					t.Errorf("reported %q with %v, want %q with %v", reported, known, want, test.want)
				}
			})
		})
	}
}
