package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// startStranger starts a server that is not a host of a world and sets $STRANGER to its
// URL, and $STRANGER_ADDRESS to its address without the scheme. Below /<status> it
// answers with that status, as a proxy or another program would, and at other paths with
// a page. It ends with the script.
//
//	stranger
func startStranger(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: stranger")
	}
	pages := http.NewServeMux()
	pages.HandleFunc("/{first}/{rest...}", func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.PathValue("first"))
		if err != nil {
			status = http.StatusOK
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("<html>\x1b[31mHello.</html>\n"))
	})
	server := httptest.NewServer(pages)
	serversOf(ts).t.Cleanup(server.Close)
	ts.Setenv("STRANGER", server.URL)
	ts.Setenv("STRANGER_ADDRESS", server.Listener.Addr().String())
}
