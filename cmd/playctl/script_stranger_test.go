package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// startStranger starts a server that is not a host of a world and sets $STRANGER to its
// URL, and $STRANGER_ADDRESS to its address without the scheme. Below /<status> it
// answers with that status, as a proxy or another program would, below /endless it sends
// without end, below /stalled it begins to, and at other paths it answers with a page. It
// ends with the script.
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
	pages.HandleFunc("/endless/", func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	pages.HandleFunc("/stalled/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(make([]byte, 1<<16))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	server := httptest.NewServer(pages)
	serversOf(ts).t.Cleanup(server.Close)
	ts.Setenv("STRANGER", server.URL)
	ts.Setenv("STRANGER_ADDRESS", server.Listener.Addr().String())
}
