package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/playctl/playctl/protocol"
)

// serveSnapshot starts a server that answers every read of the world with the snapshot in
// a file, whether its rows are valid or not, and sets $PLAYCTL_SERVER to its URL. It has
// no other operations. It ends with the script.
//
//	snapshot world.json
func serveSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: snapshot <file>")
	}
	snapshot := json.RawMessage(ts.ReadFile(args[0]))
	send := func(w http.ResponseWriter, status int, reply any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(reply) //nolint:errchkjson // a test's own values
	}
	var head struct {
		SID string `json:"sid"`
	}
	ts.Check(json.Unmarshal(snapshot, &head))
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+protocol.ServicePlay.Session(), func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, protocol.SessionReply{SID: head.SID})
	})
	mux.HandleFunc("POST "+protocol.ServicePlay.RPC(), func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Op protocol.Op `json:"op"`
		}
		if json.NewDecoder(r.Body).Decode(&body) != nil || body.Op != protocol.OpGetWorldSnapshot {
			unknown := protocol.Errorf(protocol.CodeOpUnknown, "unknown operation")
			send(w, unknown.Status(), unknown.Body(""))
			return
		}
		send(w, http.StatusOK, protocol.SnapshotReply{Snapshot: snapshot})
	})
	server := httptest.NewServer(mux)
	serversOf(ts).t.Cleanup(server.Close)
	ts.Setenv("PLAYCTL_SERVER", server.URL)
}
