package command

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/playctl/playctl/internal/client"
)

// The platform of an agent may have its older name agentType, and an optional field of the
// wrong type counts as absent.
func TestAgentsOnMap(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"snapshot":{"sid":"s","worldMap":{"occupants":[
			{"kind":"agent","agentId":"a","name":"Ada","x":1,"y":2,"agentType":"langchain","flagged":"yes"},
			{"kind":"mcp","id":"m","name":"Bo","x":1,"y":2},
			{"kind":"agent","agentId":"c","name":"Cy","x":1}]}}}`)
	}))
	t.Cleanup(server.Close)
	host, err := client.New(client.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(host.Close)
	rows, err := AgentsOnMap(t.Context(), host)
	if err != nil || len(rows) != 1 || rows[0].Name != "Ada" || rows[0].Platform != "langchain" || rows[0].Flagged {
		t.Errorf("the agents are %+v, %v", rows, err)
	}
}
