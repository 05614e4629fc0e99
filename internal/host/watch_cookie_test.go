package host

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

// FuzzWatchCookie checks that only sealed cookies open, with their original content.
func FuzzWatchCookie(f *testing.F) {
	key := []byte("a key that is as long as a hash.")
	sealed := (&pass{scope: protocol.WatchScopeAct, expires: time.UnixMilli(5), owner: "m", ownerSince: 7}).seal(key)
	f.Add(sealed, []byte("m"))
	f.Add("", []byte{})
	f.Add("AAAA", []byte{0xff})
	f.Fuzz(func(t *testing.T, value string, owner []byte) {
		if p := openPass(key, value); p != nil && p.seal(key) != value {
			t.Errorf("%q opens and is not what its content seals to", value)
		}
		if len(owner) > 128 {
			return
		}
		want := pass{scope: protocol.WatchScopeWatch, expires: time.UnixMilli(int64(len(value))), owner: string(owner), free: len(owner) == 0}
		got := openPass(key, want.seal(key))
		if got == nil {
			t.Fatalf("%s does not open", describe(&want))
		}
		if a, b := describe(&want), describe(got); a != b {
			t.Errorf("sealed %s, opened %s", a, b)
		}
	})
}

func describe(p *pass) string {
	b, err := json.Marshal([]any{p.viewer, p.scope, p.expires.UnixMilli(), []byte(p.owner), p.ownerSince, p.free})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestWatchCookieIsValidAtAnotherHost covers a restart as well: the other
// host has nothing of the first but the store.
func TestWatchCookieIsValidAtAnotherHost(t *testing.T) {
	f := newFixture(t)
	token := f.watchToken(f.main())
	cookie := f.watchCookie(protocol.WatchScopeAct, token)
	other, err := New(Options{World: f.world, Deriver: f.host.options.Deriver})
	if err != nil {
		t.Fatal(err)
	}
	first := f.handler
	f.handler = other.Handler()
	f.get(f.play("/snapshot"), asOwnPage, withCookies(cookie)).ok()
	f.watchCookie(protocol.WatchScopeAct, token)
	f.handler = first
	if err := other.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
