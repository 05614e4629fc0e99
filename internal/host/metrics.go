package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// Metrics collects the measurements of one host and its world, in a registry of
// its own. Give the same Metrics to world.Options.Observer and to Options.
type Metrics struct {
	registry *prometheus.Registry
	gauges   []prometheus.Collector

	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	mu          sync.RWMutex
	answered    map[answered]answers
	streams     prometheus.Gauge
	streamEnds  *prometheus.CounterVec
	deferred    *prometheus.CounterVec
	derivations *prometheus.CounterVec
	unconfirmed prometheus.Counter
	refusals    *prometheus.CounterVec
	evictions   *prometheus.CounterVec

	commands       prometheus.Counter
	commits        prometheus.Counter
	events         prometheus.Counter
	appends        prometheus.Histogram
	appendFailures prometheus.Counter
	checkpoints    prometheus.Histogram
	checkpointBad  prometheus.Counter
}

var _ world.Observer = (*Metrics)(nil)

// fastBuckets are for durations from microseconds to seconds.
var fastBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}

// NewMetrics returns an empty collection.
func NewMetrics() *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	made := promauto.With(registry)
	counter := func(name, help string) prometheus.Counter {
		return made.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return made.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string) prometheus.Histogram {
		return made.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: fastBuckets})
	}
	return &Metrics{
		registry: registry,
		answered: map[answered]answers{},

		requests: counters("playctl_http_requests_total", "Requests by route, rpc operation and status.", "route", "op", "code"),
		durations: made.NewHistogramVec(prometheus.HistogramOpts{
			Name: "playctl_http_request_duration_seconds", Help: "Time from a request's arrival to the end of its reply, streams included.",
			Buckets: fastBuckets,
		}, []string{"route", "op"}),
		streams:     made.NewGauge(prometheus.GaugeOpts{Name: "playctl_stream_subscribers", Help: "Open event streams."}),
		streamEnds:  counters("playctl_stream_ends_total", "Event streams that ended, by reason.", "reason"),
		deferred:    counters("playctl_streams_deferred_total", "Event streams ended immediately and deferred, by error code.", "code"),
		refusals:    counters("playctl_connections_refused_total", "Connections, requests and streams refused, by limit.", "limit"),
		evictions:   counters("playctl_connections_evicted_total", "Connections closed to make room for others, by state.", "state"),
		derivations: counters("playctl_derivations_total", "Derivations of node ids, by outcome.", "outcome"),
		unconfirmed: counter("playctl_withdrawals_unconfirmed_total", "Deletions and replacements of credentials that other hosts did not confirm in time."),

		commands:       counter("playctl_world_commands_total", "Commands that the engine accepted."),
		commits:        counter("playctl_world_commits_total", "Batches committed to the journal."),
		events:         counter("playctl_world_events_total", "Committed events."),
		appends:        histogram("playctl_journal_append_seconds", "Time to commit a batch to the journal."),
		appendFailures: counter("playctl_journal_append_failures_total", "Batches that could not be appended to the journal."),
		checkpoints:    histogram("playctl_checkpoint_seconds", "Time to write a checkpoint and trim the journal."),
		checkpointBad:  counter("playctl_checkpoint_failures_total", "Checkpoints that could not be written."),
	}
}

// Add registers another collector.
func (m *Metrics) Add(c prometheus.Collector) error {
	if err := m.registry.Register(c); err != nil {
		return fmt.Errorf("add to the host's measurements: %w", err)
	}
	return nil
}

// BuildInfo returns the metric that states a host's version.
func BuildInfo(version string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "playctl_build_info", Help: "1, with the version of the program.", ConstLabels: prometheus.Labels{"version": version},
	}, func() float64 { return 1 })
}

// Committed implements world.Observer.
func (m *Metrics) Committed(commands, entries, events int, took time.Duration) {
	m.commands.Add(float64(commands))
	if entries == 0 {
		return
	}
	m.commits.Inc()
	m.events.Add(float64(events))
	m.appends.Observe(took.Seconds())
}

// AppendFailed implements world.Observer.
func (m *Metrics) AppendFailed(error) { m.appendFailures.Inc() }

// CheckpointDone implements world.Observer.
func (m *Metrics) CheckpointDone(took time.Duration, err error) {
	if err != nil {
		m.checkpointBad.Inc()
		return
	}
	m.checkpoints.Observe(took.Seconds())
}

// answered is the set of labels of requests that count together, and answers are their
// metrics.
type answered struct {
	route, op string
	status    int
}

type answers struct {
	count prometheus.Counter
	took  prometheus.Observer
}

func (m *Metrics) request(route, op string, status int, took time.Duration) {
	kind := answered{route, op, status}
	m.mu.RLock()
	a, known := m.answered[kind]
	m.mu.RUnlock()
	if !known {
		// Looking them up by their labels takes longer than counting.
		a = answers{m.requests.WithLabelValues(route, op, strconv.Itoa(status)), m.durations.WithLabelValues(route, op)}
		m.mu.Lock()
		m.answered[kind] = a
		m.mu.Unlock()
	}
	a.count.Inc()
	a.took.Observe(took.Seconds())
}

func (m *Metrics) streamOpened() { m.streams.Inc() }

func (m *Metrics) streamEnded(reason endReason) {
	m.streams.Dec()
	m.streamEnds.WithLabelValues(string(reason)).Inc()
}

func (m *Metrics) streamDeferred(code protocol.Code) { m.deferred.WithLabelValues(string(code)).Inc() }

func (m *Metrics) refusedFor(limit string) { m.refusals.WithLabelValues(limit).Inc() }

func (m *Metrics) connectionClosed(asked bool) {
	state := stateSilent
	if asked {
		state = stateIdle
	}
	m.evictions.WithLabelValues(state).Inc()
}

func (m *Metrics) derived(err error) {
	outcome := "done"
	switch {
	case errors.Is(err, creds.ErrBusy):
		outcome = "busy"
	case err != nil:
		outcome = "given_up"
	}
	m.derivations.WithLabelValues(outcome).Inc()
}

// measured is a gauge whose value is read when it is collected.
type measured struct {
	name, help string
	value      func() float64
	labels     prometheus.Labels
}

// observe adds the gauges that are read from the host's world when they are
// collected.
func (m *Metrics) observe(h *Host) error {
	connections := func(state string) measured {
		return measured{"playctl_connections", "Connections by state: no request yet, waiting for the next request, a request or a stream in progress.", func() float64 {
			if door := h.gate.Load(); door != nil {
				return float64(door.states()[state])
			}
			return 0
		}, prometheus.Labels{"state": state}}
	}
	all := []measured{
		connections(stateSilent), connections(stateIdle), connections(stateAsking),
		{"playctl_streams_replaying", "Event streams that are behind the log's end.", func() float64 { return float64(h.streams.replaying.Load()) }, nil},
		{"playctl_world_rev", "The rev of the map.", func() float64 { return float64(h.world.View().Rev) }, nil},
		{"playctl_world_seq", "The seq of the last event.", func() float64 { return float64(h.world.Events().Head()) }, nil},
		{"playctl_world_stale", "1 while the view may be behind the store.", func() float64 {
			if h.world.Stale() != nil {
				return 1
			}
			return 0
		}, nil},
		{"playctl_world_occupants", "Rows on the map.", func() float64 { return float64(h.world.View().Tree.OccupantCount()) }, nil},
		{"playctl_body_bytes", "Memory of the bodies of requests in progress.", func() float64 { return float64(h.bodies.held.Load()) }, nil},
		{"playctl_reply_bytes", "Memory of replies in progress that are not shared: pages of records and compressed maps.", func() float64 { return float64(h.replies.bytes()) }, nil},
		{"playctl_journal_bytes", "Size of the journal, as far as this host knows.", func() float64 { bytes, _ := h.world.JournalBytes(); return float64(bytes) }, nil},
		{"playctl_journal_limit_bytes", "Maximum size of the journal after a checkpoint.", func() float64 { _, most := h.world.JournalBytes(); return float64(most) }, nil},
		{"playctl_derivations_running", "Derivations of node ids in progress.", func() float64 { running, _ := h.derivations(); return float64(running) }, nil},
		{"playctl_derivations_waiting", "Derivations of node ids that wait.", func() float64 { _, waiting := h.derivations(); return float64(waiting) }, nil},
	}
	all = append(all, h.amounts()...)
	for _, g := range all {
		c := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help, ConstLabels: g.labels}, g.value)
		if err := m.registry.Register(c); err != nil {
			m.forget()
			return fmt.Errorf("host: measure %s: one Metrics serves one host: %w", g.name, err)
		}
		m.gauges = append(m.gauges, c)
	}
	return nil
}

// amounts returns the gauges of what all accounts have, and of their limits.
func (h *Host) amounts() []measured {
	var all []measured
	add := func(of string, used, limit func() float64) {
		labels := prometheus.Labels{"of": of}
		all = append(all,
			measured{"playctl_world_used", "Current use of each limited resource by all accounts together.", used, labels},
			measured{"playctl_world_limit", "Limit of each resource for all accounts together; 0 for no limit.", limit, labels})
	}
	for _, q := range world.Quotas() {
		add(q.Label(),
			func() float64 { return float64(h.world.Used()[q]) },
			func() float64 { return float64(h.world.Limits().World[q]) })
	}
	add("occupants",
		func() float64 { places, _ := h.world.OccupantCounts(); return float64(places) },
		func() float64 { return float64(h.world.Limits().Occupants) })
	add("people",
		func() float64 { _, people := h.world.OccupantCounts(); return float64(people) },
		func() float64 { return float64(h.world.Limits().People) })
	add("api-keys",
		func() float64 { keys, _ := h.world.Registry().KeysAndInvitations(); return float64(keys) },
		func() float64 { return 0 })
	add("invitations",
		func() float64 { _, invitations := h.world.Registry().KeysAndInvitations(); return float64(invitations) },
		func() float64 { return float64(h.world.Limits().TotalInvitations) })
	add("watch-tokens", func() float64 { return h.tokens.read(h.world) }, func() float64 { return 0 })
	return all
}

// derivations returns how many key derivations are in progress, and how many wait.
func (h *Host) derivations() (running, waiting int) {
	if h.options.Deriver == nil {
		return 0, 0
	}
	return h.options.Deriver.Load()
}

// forget removes a host's gauges, so that its Metrics can serve the next host of
// the same world.
func (m *Metrics) forget() {
	for _, c := range m.gauges {
		m.registry.Unregister(c)
	}
	m.gauges = nil
}

// readyTimeout is how long the store may take to answer a readiness probe.
const readyTimeout = 2 * time.Second

// addOps puts health and metrics on a mux. Probes come every few seconds, so they
// are neither logged nor counted.
func (h *Host) addOps(mux *http.ServeMux) {
	mux.HandleFunc("GET "+protocol.PathHealth, sendHealth)
	mux.HandleFunc("GET "+protocol.PathReady, h.sendReady)
	metrics := promhttp.HandlerFor(h.metrics.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelError),
	})
	mux.Handle("GET "+protocol.PathMetrics, h.onSite(metrics))
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
	// A probe that went away needs no reply.
	_, _ = w.Write([]byte(text + "\n"))
}
