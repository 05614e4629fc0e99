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
func TestALostStreamIsLoggedWhereNobodyListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		host := openHost(t)
		way := &breakable{exit: &exit{target: host.Transport()}}
		w := visit(t, host, func(o *sdk.Options) {
			o.Transport, o.Logger = way, slog.New(slog.NewTextHandler(&logged, nil))
		})
		subscription, err := w.SubscribeWorldState(t.Context(), sdk.SubscribeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		way.set(roundTrip(gone))
		way.breakStream()
		addAgent(t, visit(t, host, nil), "ada", nil)
		synctest.Wait()
		subscription.Close()
		if text := logged.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, "an error while following the world; it continues") {
			t.Errorf("it was not logged:\n%s", text)
		}
	})
}
