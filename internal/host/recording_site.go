package host

import (
	"bytes"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// RecordingSite serves the watch page with a recording in place of a world, for
// requests to names of this machine only. The page verifies and plays it without a
// host.
func RecordingSite(file string) (http.Handler, error) {
	built, err := page()
	if err != nil {
		return nil, err
	}
	name := `<meta name="playctl-recording" content="` + html.EscapeString(filepath.Base(file)) + `">`
	body := bytes.Replace(built.index, []byte("</head>"), []byte(name+"</head>"), 1)
	mux, service := http.NewServeMux(), protocol.ServicePlay
	mux.HandleFunc("GET "+service.Watch(), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		http.ServeContent(w, r, pageIndex, time.Time{}, bytes.NewReader(body))
	})
	mux.HandleFunc("GET "+service.WatchAsset(), func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue(protocol.AssetName)
		asset := built.assets[name]
		if asset == nil || r.PathValue(protocol.AssetBuild) != built.build || asset.plain().err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", asset.mediaType)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(asset.plain().body))
	})
	mux.HandleFunc("GET "+service.Watch()+"/recording", func(w http.ResponseWriter, r *http.Request) { sendRecording(w, r, file) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !creds.IsLoopbackName(hostName(r.Host)) {
			http.Error(w, "this page is only for this machine: open it as localhost", http.StatusForbidden)
			return
		}
		for k, v := range pageHeaders {
			w.Header().Set(k, v)
		}
		mux.ServeHTTP(w, r)
	}), nil
}

// sendRecording sends the file as it is now: it may still be written to.
func sendRecording(w http.ResponseWriter, r *http.Request, name string) {
	file, err := os.Open(name) //nolint:gosec // The user of this machine named it.
	if err != nil {
		http.Error(w, "the recording can no longer be read", http.StatusNotFound)
		return
	}
	defer func() { _ = file.Close() }()
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	http.ServeContent(w, r, "", time.Time{}, file)
}
