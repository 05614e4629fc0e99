package sdk_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/playctl/playctl/sdk"
)

// A program with only the credentials of its agents has a stream for each of them;
// one with the main node's credentials has one stream for all.
func TestStreamsWithoutMainNode(t *testing.T) {
	a := newAccount(t, 2)
	for name, want := range map[string]int64{"main node": 1, "agents only": 2} {
		t.Run(name, func(t *testing.T) {
			var streams atomic.Int64
			options := a.options()
			options.Transport = &breakable{
				switchable: &switchable{target: a.host.Transport()}, ask: func(*http.Request) { streams.Add(1) },
			}
			if name == "agents only" {
				options.MainNodeCredentials = nil
			}
			w, err := sdk.New(options)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := w.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			var agents []*sdk.Agent
			for _, node := range a.agents {
				agents = append(agents, addAgent(t, w, "", func(o *sdk.AgentOptions) { o.Credentials, o.Name = node, "Agent" }))
			}
			e := newExecutor()
			serveIntercom(t, w, e, func(o *sdk.IntercomOptions) { o.Agents = agents })
			asker, err := sdk.New(a.options())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = asker.Close(t.Context()) }()
			for _, agent := range agents {
				if got, err := ask(t, asker, agent.PlayerID(), "hello"); err != nil || got != agent.PlayerID()+" got hello" {
					t.Errorf("%q, %v", got, err)
				}
			}
			if got := streams.Load(); got != want {
				t.Errorf("%d streams, want %d", got, want)
			}
		})
	}
}
