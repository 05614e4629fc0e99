package host

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// Metrics collects the measurements of one host and its world, and writes them in the text
// format of Prometheus. Give the same Metrics to world.Options.Observer and to Options.
type Metrics struct {
	families []*family

	requests    *family
	durations   *family
	streams     *metrics.Gauge
	streamEnds  *family
	deferred    *family
	derivations *family
	unconfirmed *metrics.Counter
	refusals    *family
	evictions   *family
	activities  *family

	commands       *metrics.Counter
	commits        *metrics.Counter
	events         *metrics.Counter
	appends        *metrics.PrometheusHistogram
	appendFailures *metrics.Counter
	checkpoints    *metrics.PrometheusHistogram
	checkpointBad  *metrics.Counter

	// mu guards the rest.
	mu       sync.RWMutex
	answered map[answered]answers
	gauges   []measured
	others   []func(io.Writer)
}

var _ world.Observer = (*Metrics)(nil)

// fastBuckets are for durations from microseconds to seconds.
var fastBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}

// family is the metrics of one name, which differ in their labels.
type family struct {
	name, kind, help string
	set              *metrics.Set
}

// counter returns the counter with these labels, which is created if it is missing.
func (f *family) counter(labels string) *metrics.Counter {
	return f.set.GetOrCreateCounter(f.name + labels)
}

// histogram is counter for a histogram.
func (f *family) histogram(labels string) *metrics.PrometheusHistogram {
	return f.set.GetOrCreatePrometheusHistogramExt(f.name+labels, fastBuckets)
}

// label returns a label in the form of Prometheus.
func label(name, value string) string { return fmt.Sprintf("{%s=%q}", name, value) }

// describeMetric writes the description of the metrics of one name, before their values.
func describeMetric(w io.Writer, name, kind, help string) {
	_, _ = fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// NewMetrics returns an empty collection.
func NewMetrics() *Metrics {
	m := &Metrics{answered: map[answered]answers{}}
	made := func(kind, name, help string) *family {
		f := &family{name, kind, help, metrics.NewSet()}
		m.families = append(m.families, f)
		return f
	}
	counters := func(name, help string) *family { return made("counter", name, help) }
	histograms := func(name, help string) *family { return made("histogram", name, help) }

	m.requests = counters("playctl_http_requests_total", "Requests by route, rpc operation and status.")
	m.durations = histograms("playctl_http_request_duration_seconds", "Time from a request's arrival to the end of its reply, streams included.")
	streams := made("gauge", "playctl_stream_subscribers", "Open event streams.")
	m.streams = streams.set.NewGauge(streams.name, nil)
	m.streamEnds = counters("playctl_stream_ends_total", "Event streams that ended, by reason.")
	m.deferred = counters("playctl_streams_deferred_total", "Event streams ended immediately and deferred, by error code.")
	m.refusals = counters("playctl_connections_refused_total", "Connections, requests and streams refused, by limit.")
	m.evictions = counters("playctl_connections_evicted_total", "Connections closed to make room for others, by state.")
	m.derivations = counters("playctl_derivations_total", "Derivations of node ids, by outcome.")
	m.unconfirmed = counters("playctl_withdrawals_unconfirmed_total", "Deletions and replacements of credentials that other hosts did not confirm in time.").counter("")

	m.commands = counters("playctl_world_commands_total", "Commands that the engine accepted.").counter("")
	m.commits = counters("playctl_world_commits_total", "Batches committed to the journal.").counter("")
	m.events = counters("playctl_world_events_total", "Committed events.").counter("")
	m.activities = counters("playctl_world_activities_total", "Activities that agents reported, by state and result: changed the row, unchanged, or refused by a rate limit.")
	m.appends = histograms("playctl_journal_append_seconds", "Time to commit a batch to the journal.").histogram("")
	m.appendFailures = counters("playctl_journal_append_failures_total", "Batches that could not be appended to the journal.").counter("")
	m.checkpoints = histograms("playctl_checkpoint_seconds", "Time to write a checkpoint and trim the journal.").histogram("")
	m.checkpointBad = counters("playctl_checkpoint_failures_total", "Checkpoints that could not be written.").counter("")
	return m
}

// Add lets write add further metrics in the text format of Prometheus to each reply.
func (m *Metrics) Add(write func(io.Writer)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.others = append(m.others, write)
}

// BuildInfo returns what writes the metric that states a host's version.
func BuildInfo(version string) func(io.Writer) {
	return func(w io.Writer) {
		const name = "playctl_build_info"
		describeMetric(w, name, "gauge", "1, with the version of the program.")
		metrics.WriteGaugeUint64(w, name+label("version", version), 1)
	}
}

// ServeHTTP replies with all metrics, those of the Go runtime and of the process included.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m.mu.RLock()
	gauges, others := m.gauges, slices.Clone(m.others)
	m.mu.RUnlock()
	var text bytes.Buffer
	for _, f := range m.families {
		describeMetric(&text, f.name, f.kind, f.help)
		f.set.WritePrometheus(&text)
	}
	for i, g := range gauges {
		if i == 0 || g.name != gauges[i-1].name {
			describeMetric(&text, g.name, "gauge", g.help)
		}
		metrics.WriteGaugeFloat64(&text, g.name+g.labels, g.value())
	}
	for _, write := range others {
		write(&text)
	}
	metrics.WriteProcessMetrics(&text)
	metrics.WriteFDMetrics(&text)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	// A scraper that went away needs no reply.
	_, _ = w.Write(text.Bytes())
}

// Committed implements world.Observer.
func (m *Metrics) Committed(commands, entries, events int, took time.Duration) {
	m.commands.Add(commands)
	if entries == 0 {
		return
	}
	m.commits.Inc()
	m.events.Add(events)
	m.appends.Update(took.Seconds())
}

// AppendFailed implements world.Observer.
func (m *Metrics) AppendFailed(error) { m.appendFailures.Inc() }

// ActivityReported implements world.Observer.
func (m *Metrics) ActivityReported(state string, result world.ActivityResult) {
	m.activities.counter(fmt.Sprintf("{result=%q,state=%q}", result, state)).Inc()
}

// CheckpointDone implements world.Observer.
func (m *Metrics) CheckpointDone(took time.Duration, err error) {
	if err != nil {
		m.checkpointBad.Inc()
		return
	}
	m.checkpoints.Update(took.Seconds())
}

// answered is the set of labels of requests that count together, and answers are their
// metrics.
type answered struct {
	route, op string
	status    int
}

type answers struct {
	count *metrics.Counter
	took  *metrics.PrometheusHistogram
}

func (m *Metrics) request(route, op string, status int, took time.Duration) {
	kind := answered{route, op, status}
	m.mu.RLock()
	a, known := m.answered[kind]
	m.mu.RUnlock()
	if !known {
		// Looking them up by their labels takes longer than counting.
		a = answers{
			m.requests.counter(fmt.Sprintf("{code=\"%d\",op=%q,route=%q}", status, op, route)),
			m.durations.histogram(fmt.Sprintf("{op=%q,route=%q}", op, route)),
		}
		m.mu.Lock()
		m.answered[kind] = a
		m.mu.Unlock()
	}
	a.count.Inc()
	a.took.Update(took.Seconds())
}

func (m *Metrics) streamOpened() { m.streams.Inc() }

func (m *Metrics) streamEnded(reason endReason) {
	m.streams.Dec()
	m.streamEnds.counter(label("reason", string(reason))).Inc()
}

func (m *Metrics) streamDeferred(code protocol.Code) {
	m.deferred.counter(label("code", string(code))).Inc()
}

func (m *Metrics) refusedFor(limit string) { m.refusals.counter(label("limit", limit)).Inc() }

func (m *Metrics) connectionClosed(asked bool) {
	state := stateSilent
	if asked {
		state = stateIdle
	}
	m.evictions.counter(label("state", state)).Inc()
}

func (m *Metrics) derived(err error) {
	outcome := "done"
	switch {
	case errors.Is(err, creds.ErrBusy):
		outcome = "busy"
	case err != nil:
		outcome = "given_up"
	}
	m.derivations.counter(label("outcome", outcome)).Inc()
}

// measured is a gauge whose value is read when it is collected.
type measured struct {
	name, help string
	value      func() float64
	labels     string
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
		}, label("state", state)}
	}
	all := []measured{
		connections(stateSilent), connections(stateIdle), connections(stateAsking),
		{"playctl_streams_replaying", "Event streams that are behind the log's end.", func() float64 { return float64(h.streams.replaying.Load()) }, ""},
		{"playctl_world_rev", "The rev of the map.", func() float64 { return float64(h.world.View().Rev) }, ""},
		{"playctl_world_seq", "The seq of the last event.", func() float64 { return float64(h.world.Events().Head()) }, ""},
		{"playctl_world_stale", "1 while the view may be behind the store.", func() float64 {
			if h.world.Stale() != nil {
				return 1
			}
			return 0
		}, ""},
		{"playctl_world_occupants", "Rows on the map.", func() float64 { return float64(h.world.View().Tree.OccupantCount()) }, ""},
		{"playctl_body_bytes", "Memory of the bodies of requests in progress.", func() float64 { return float64(h.bodies.held.Load()) }, ""},
		{"playctl_reply_bytes", "Memory of replies in progress: pages of records and maps.", func() float64 { return float64(h.replies.bytes()) }, ""},
		{"playctl_journal_bytes", "Size of the journal, as far as this host knows.", func() float64 { bytes, _ := h.world.JournalBytes(); return float64(bytes) }, ""},
		{"playctl_journal_limit_bytes", "Maximum size of the journal after a checkpoint.", func() float64 { _, most := h.world.JournalBytes(); return float64(most) }, ""},
		{"playctl_derivations_running", "Derivations of node ids in progress.", func() float64 { running, _ := h.derivations(); return float64(running) }, ""},
		{"playctl_derivations_waiting", "Derivations of node ids that are waiting.", func() float64 { _, waiting := h.derivations(); return float64(waiting) }, ""},
	}
	all = append(all, h.amounts()...)
	slices.SortStableFunc(all, func(a, b measured) int { return cmp.Compare(a.name, b.name) })
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gauges != nil {
		return errors.New("host: one Metrics serves one host: this one serves another")
	}
	m.gauges = all
	return nil
}

// amounts returns the gauges of what all accounts have, and of their limits.
func (h *Host) amounts() []measured {
	var all []measured
	add := func(of string, used, limit func() float64) {
		labels := label("of", of)
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
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gauges = nil
}
