package sdk_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/sdk"
)

// Without OnError the logger gets the errors of following a world.
func TestLostStreamIsLoggedWithoutOnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		host := openHost(t)
		transport := &breakable{switchable: &switchable{target: host.Transport()}}
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport, o.Logger = transport, slog.New(slog.NewTextHandler(&logged, nil))
		})
		subscription, err := w.SubscribeWorldState(t.Context(), sdk.SubscribeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		transport.set(roundTrip(unreachable))
		transport.breakStream()
		addAgent(t, openWorld(t, host, nil), "ada", nil)
		synctest.Wait()
		subscription.Close()
		if text := logged.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, "an error while following the world; it continues") {
			t.Errorf("the lost stream was not logged:\n%s", text)
		}
	})
}
