package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/playctl/playctl/protocol"
)

// startOlder starts a server that answers requests about nodes as a host of the
// agent-play service does, and sets $OLDER to its URL: it deletes no agent nodes, lists
// agent nodes that never registered by their ids only, lets a node validate only itself,
// sends no codes, and has no other routes. It ends with the script.
//
//	older
func startOlder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: older")
	}
	var mu sync.Mutex
	agents, main := []string{}, ""
	send := func(w http.ResponseWriter, status int, reply any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(reply) //nolint:errchkjson // a test's own values
	}
	answer := func(reply func(fields map[string]any, r *http.Request) (int, any)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			fields := map[string]any{}
			if r.ContentLength > 0 && json.NewDecoder(r.Body).Decode(&fields) != nil {
				send(w, http.StatusBadRequest, map[string]any{"error": "invalid JSON"})
				return
			}
			status, body := reply(fields, r)
			send(w, status, body)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/agent-play/bootstrap", answer(func(map[string]any, *http.Request) (int, any) {
		return http.StatusOK, map[string]any{"rootKey": strings.Repeat("a", 64)}
	}))
	mux.HandleFunc("POST /api/nodes", answer(func(fields map[string]any, _ *http.Request) (int, any) {
		main, _ = fields["nodeId"].(string)
		return http.StatusOK, map[string]any{"nodeId": main}
	}))
	mux.HandleFunc("POST /api/nodes/agent-node", answer(func(fields map[string]any, _ *http.Request) (int, any) {
		id, _ := fields["agentNodeId"].(string)
		agents = append(agents, id)
		return http.StatusOK, map[string]any{"agentId": id}
	}))
	mux.HandleFunc("GET /api/nodes", answer(func(map[string]any, *http.Request) (int, any) {
		return http.StatusOK, map[string]any{
			"genesisNodeId": strings.Repeat("a", 64), "agentNodes": []any{},
			"mainNode": map[string]any{"nodeId": main, "kind": "main", "agentNodeIds": agents},
		}
	}))
	mux.HandleFunc("DELETE /api/agents", answer(func(map[string]any, *http.Request) (int, any) {
		return http.StatusOK, map[string]any{"ok": false}
	}))
	mux.HandleFunc("POST /api/nodes/validate", answer(func(fields map[string]any, r *http.Request) (int, any) {
		if fields["nodeId"] != r.Header.Get("x-node-id") {
			return http.StatusBadRequest, map[string]any{"error": "x-node-id does not match body nodeId"}
		}
		return http.StatusOK, map[string]any{"ok": true, "nodeKind": "agent"}
	}))
	mux.HandleFunc("POST "+protocol.ServiceAgentPlay.Disconnect(), answer(func(fields map[string]any, _ *http.Request) (int, any) {
		if fields["connectionId"] == nil {
			return http.StatusBadRequest, map[string]any{"error": "playerId and connectionId are required"}
		}
		return http.StatusOK, map[string]any{"ok": true}
	}))
	mux.HandleFunc("POST /api/agent-play/sdk/rpc", answer(func(map[string]any, *http.Request) (int, any) {
		return http.StatusBadRequest, map[string]any{"error": "missing sid"}
	}))
	server := httptest.NewServer(mux)
	serversOf(ts).t.Cleanup(server.Close)
	ts.Setenv("OLDER", server.URL)
}
