package host

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/playctl/playctl/protocol"
)

// readyTimeout is how long the store may take to answer a readiness probe.
const readyTimeout = 2 * time.Second

// addOps puts health and metrics on a mux. Probes come every few seconds for
// ever, so they are neither logged nor counted.
func (h *Host) addOps(mux *http.ServeMux) {
	mux.HandleFunc("GET "+protocol.PathHealth, sendHealth)
	mux.HandleFunc("GET "+protocol.PathReady, h.sendReady)
	mux.Handle("GET "+protocol.PathMetrics, promhttp.HandlerFor(h.metrics.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelError),
	}))
	for _, p := range []string{protocol.PathHealth, protocol.PathReady, protocol.PathMetrics} {
		mux.Handle(p, h.otherMethod(p, []string{http.MethodGet}))
	}
}

// newOpsHandler is the handler of the separate listener.
func (h *Host) newOpsHandler() http.Handler {
	mux := http.NewServeMux()
	h.addOps(mux)
	if h.options.Profiling {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	mux.Handle("/", h.notFound())
	return mux
}

// sendHealth tells that the process answers, whatever the store does: a restart
// would not mend a store.
func sendHealth(w http.ResponseWriter, _ *http.Request) {
	sendProbe(w, http.StatusOK, "ok")
}

// sendReady tells whether requests should come here.
func (h *Host) sendReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	switch {
	case h.draining():
		sendProbe(w, http.StatusServiceUnavailable, "shutting down")
	case !h.serving.Load():
		sendProbe(w, http.StatusServiceUnavailable, "starting")
	case h.world.Healthy(ctx) != nil:
		sendProbe(w, http.StatusServiceUnavailable, "the store does not answer")
	default:
		sendProbe(w, http.StatusOK, "ready")
	}
}

func sendProbe(w http.ResponseWriter, status int, text string) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header["Cache-Control"] = noStore
	w.WriteHeader(status)
	// A probe that went away needs no answer.
	_, _ = w.Write([]byte(text + "\n"))
}
