package sdk_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/sdk"
)

// Without OnError the logger has what went wrong, whole, and the asker does not.
func TestAPanicIsLoggedWhereNobodyListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		host := openHost(t)
		w := visit(t, host, func(o *sdk.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
		commands, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{
			Execute: func(context.Context, *sdk.IntercomCall) (sdk.IntercomAnswer, error) { panic("a detail of the program") },
		})
		if err != nil {
			t.Fatal(err)
		}
		<-commands.Ready()
		addAgent(t, w, "ada", nil)
		if _, err := ask(t, visit(t, host, nil), "ada", "hello"); !errors.Is(err, sdk.ErrAgentFailed) || strings.Contains(err.Error(), "detail") {
			t.Errorf("the asker got: %v", err)
		}
		commands.Close()
		if text := logged.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, "a detail of the program") {
			t.Errorf("it was not logged:\n%s", text)
		}
	})
}
