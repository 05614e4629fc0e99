package host

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/playctl/playctl/protocol"
)

// newHandler routes requests to the lines of the table. Health and metrics are
// there as well unless they have a listener of their own.
func (h *Host) newHandler() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, rt := range h.mounted() {
		mux.Handle(rt.method+" "+rt.path, h.serve(&rt))
		methods[rt.path] = append(methods[rt.path], rt.method)
	}
	for p, allowed := range methods {
		mux.Handle(p, h.otherMethod(p, allowed))
	}
	if h.options.OpsAddress == "" {
		h.addOps(mux)
	}
	notFound := h.notFound()
	mux.Handle("/", notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The mux would redirect a path that is not clean; a program that sent a
		// body there is better told that it is wrong.
		if h.leadsToPage(r) {
			// Relative, so that it holds below a proxy's own path.
			w.Header().Set("Location", "../watch")
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		if p := r.URL.Path; p != "/" && path.Clean(p) != p {
			notFound.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// otherMethod answers a path's requests with a method that it does not have.
func (h *Host) otherMethod(p string, allowed []string) http.Handler {
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	rt := &route{path: p}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{host: h, w: w, r: r, route: rt, rules: &rt.rules, began: time.Now()}
		h.handle(c, func(c *call) error {
			if c.preflight(allow) {
				return nil
			}
			c.w.Header().Set("Allow", allow)
			return protocol.Errorf(protocol.CodeMethodNotAllowed, "this path takes %s", allow)
		})
	})
}

// notFound answers every path that is no route. They share one name in
// measurements, so that nobody can make up names there.
func (h *Host) notFound() http.Handler {
	rt := &route{path: "other"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{host: h, w: w, r: r, route: rt, rules: &rt.rules, began: time.Now()}
		h.handle(c, func(*call) error {
			return protocol.Errorf(protocol.CodeNotFound, "there is no such route")
		})
	})
}

// leadsToPage tells whether a request is for the watch page with a slash too
// many, as people type it.
func (h *Host) leadsToPage(r *http.Request) bool {
	trimmed, had := strings.CutSuffix(r.URL.Path, "/")
	return had && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		(trimmed == h.service.Watch() || h.options.Compat == CompatAgentPlay && trimmed == protocol.ServiceAgentPlay.Watch())
}
