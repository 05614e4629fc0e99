package sdk_test

import (
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/sdk"
)

// A subscription that starts in the past reports every event since then once, then
// new ones; its copy is the current one all the time.
func TestSubscriptionFromPastEvent(t *testing.T) {
	for _, inline := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			host := openHost(t)
			createEvents(t, host, func() {})
			f := follow(t, host, nil, func(o *sdk.SubscribeOptions) {
				o.After, o.FromSeq, o.NoInline = 1, true, !inline
			})
			f.checkEqual()
			if len(f.events()) < 3 || f.events()[0].Seq != 2 {
				t.Fatalf("the subscription starts with %d events", len(f.events()))
			}
			past := len(f.events())
			addAgent(t, openWorld(t, host, nil), "late", nil)
			f.checkEqual()
			f.checkOrder()
			stats := f.sub.State().Stats
			if stats.FullReads != 1 || stats.Merges != 1 || len(f.events()) != past+1 || len(f.errors()) > 0 {
				t.Errorf("stats %+v, %d events after %d, errors %v", stats, len(f.events()), past, f.errors())
			}
		})
	}
}
