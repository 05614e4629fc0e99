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

// Without OnError the logger gets the whole error, and the asker does not.
func TestPanicIsLoggedWithoutOnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		host := openHost(t)
		w := openWorld(t, host, func(o *sdk.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
		commands, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{
			Execute: func(context.Context, *sdk.IntercomCall) (sdk.IntercomAnswer, error) { panic("a detail of the program") },
		})
		if err != nil {
			t.Fatal(err)
		}
		<-commands.Ready()
		addAgent(t, w, "ada", nil)
		if _, err := ask(t, openWorld(t, host, nil), "ada", "hello"); !errors.Is(err, sdk.ErrAgentFailed) || strings.Contains(err.Error(), "detail") {
			t.Errorf("the asker got: %v", err)
		}
		commands.Close()
		if text := logged.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, "a detail of the program") {
			t.Errorf("the panic was not logged:\n%s", text)
		}
	})
}

// A lost connection is logged as such, not as a failed command.
func TestLostCommandStreamIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		host := openHost(t)
		transport := &breakable{switchable: &switchable{target: host.Transport()}}
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport, o.Logger = transport, slog.New(slog.NewTextHandler(&logged, nil))
		})
		commands, err := w.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{
			Execute: func(context.Context, *sdk.IntercomCall) (sdk.IntercomAnswer, error) { return sdk.IntercomAnswer{}, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		<-commands.Ready()
		transport.breakStream()
		if _, err := openWorld(t, host, nil).RegisterMCP(t.Context(), sdk.MCP{Name: "an event, at which the stream breaks"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		commands.Close()
		text := logged.String()
		if !strings.Contains(text, "error while receiving commands") || !strings.Contains(text, "connection lost") || strings.Contains(text, "carried out") {
			t.Errorf("the lost stream was logged as:\n%s", text)
		}
	})
}
