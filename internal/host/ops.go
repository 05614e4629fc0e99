package host

import (
	"context"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// readyTimeout is how long the store may take to answer a readiness probe.
const readyTimeout = 2 * time.Second

// addOps puts health and metrics on a mux. Probes come every few seconds, so they
// are neither logged nor counted.
func (h *Host) addOps(mux *http.ServeMux) {
	mux.HandleFunc("GET "+protocol.PathHealth, sendHealth)
	mux.HandleFunc("GET "+protocol.PathReady, h.sendReady)
	mux.Handle("GET "+protocol.PathMetrics, h.onSite(h.metrics))
	for _, p := range []string{protocol.PathHealth, protocol.PathReady, protocol.PathMetrics} {
		mux.Handle(p, h.otherMethod(p, []string{http.MethodGet}, false))
	}
}

// onSite refuses pages of other origins at a handler that is not a route.
func (h *Host) onSite(next http.Handler) http.Handler {
	refused := h.notFound()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.watch.checkSite(r, false) != nil {
			refused.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
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
	// It wraps the mux, which itself redirects a path that is not clean or lacks a slash.
	rest := h.onSite(mux)
	return secured(&h.options, func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.Path; path == protocol.PathHealth || path == protocol.PathReady {
			mux.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// sendHealth answers that the process is alive, whatever the state of the store: a
// restart would not fix the store.
func sendHealth(w http.ResponseWriter, _ *http.Request) {
	sendProbe(w, http.StatusOK, "ok")
}

// sendReady reports whether requests should be sent to this host.
func (h *Host) sendReady(w http.ResponseWriter, r *http.Request) {
	switch {
	case h.draining():
		sendProbe(w, http.StatusServiceUnavailable, "shutting down")
		return
	case !h.serving.Load():
		sendProbe(w, http.StatusServiceUnavailable, "starting")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	err := h.world.Healthy(ctx)
	why := store.Reason(err)
	switch {
	case err == nil:
		sendProbe(w, http.StatusOK, "ready")
	case protocol.HasCode(err, protocol.CodeRecordDamaged):
		sendProbe(w, http.StatusServiceUnavailable, h.refusal(err).Message)
	case why == "":
		sendProbe(w, http.StatusServiceUnavailable, "the store does not answer")
	default:
		sendProbe(w, http.StatusServiceUnavailable, "the store cannot be used: "+why)
	}
}

func sendProbe(w http.ResponseWriter, status int, text string) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header["Cache-Control"] = noStore
	w.WriteHeader(status)
	// A probe that went away needs no reply.
	_, _ = w.Write([]byte(text + "\n"))
}
