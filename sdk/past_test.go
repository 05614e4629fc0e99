package sdk_test

import (
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/sdk"
)

// A subscription that begins in the past reports every event since then once, then
// new ones; its copy is the current one all the time.
func TestASubscriptionThatBeginsInThePast(t *testing.T) {
	for _, inline := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			host := openHost(t)
			busy(t, host, func() {})
			f := follow(t, host, nil, func(o *sdk.SubscribeOptions) {
				o.After, o.FromSeq, o.NoInline = 1, true, !inline
			})
			f.equal()
			if len(f.events()) < 3 || f.events()[0].Seq != 2 {
				t.Fatalf("it begins with %d events", len(f.events()))
			}
			past := len(f.events())
			addAgent(t, visit(t, host, nil), "late", nil)
			f.equal()
			f.once()
			stats := f.sub.State().Stats
			if stats.FullReads != 1 || stats.Merges != 1 || len(f.events()) != past+1 || len(f.errors()) > 0 {
				t.Errorf("stats %+v, %d events after %d, errors %v", stats, len(f.events()), past, f.errors())
			}
		})
	}
}
