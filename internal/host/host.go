// Package host serves a world over HTTP: the routes of the wire protocol, who may
// call them, the resuming event stream, limits, metrics and an orderly shutdown.
// Everything that concerns the world itself is decided by the engine (package
// world); everything that concerns the request is decided here, in the order that
// the protocol fixes.
//
// A route is a line of a table (routes.go, operations.go) with the conditions for
// its plan to be carried out. The checks themselves are steps (checks.go) that
// read the line; no handler repeats one.
package host

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// Host serves one world. Its methods may be called from several goroutines.
type Host struct {
	// backingUp is held while a backup is in progress: there is one at a time.
	backingUp sync.Mutex
	options   Options
	world     *world.World
	log       *slog.Logger
	metrics   *Metrics

	adminDigest creds.Digest
	operations  map[protocol.Op]*rules

	handler  http.Handler
	ops      http.Handler
	service  protocol.Service
	requests *limiter
	creation *limiter
	bodies   bodyBudget
	replies  *replyBudget
	// reading shares the turns for reading pages and history, and writing those for
	// the parts of long replies, which are short.
	reading, writing *fairSemaphore
	// replaying shares the turns for replaying past revs.
	replaying *fairSemaphore
	guesses   guesses
	fresh     freshness
	failures  failureLines
	tokens    tokenCount
	streams   *streams
	pumps     *pumps
	// calls counts the requests in progress of each caller, and gate holds the
	// listener's connections; nil before it listens.
	calls   tally[string]
	gate    atomic.Pointer[gate]
	sweeper *sweeper

	// requestPrefix and requestCount make up request ids.
	requestPrefix string
	requestCount  atomic.Uint64

	watch    *watchRules
	passKeys passKeys
	index    *pageFile
	// pageHeaders are the headers of the page's files.
	pageHeaders map[string]string
	lists       compressedLists
	// snapshots and snapshotReplies are the replies with the map, of the route and of the
	// operation.
	snapshots, snapshotReplies *latestReplies

	tls      *certificate
	mu       sync.Mutex
	listener net.Listener
	opsLn    net.Listener
	serving  atomic.Bool
	// loopback reports whether only this machine can reach the listener.
	loopback atomic.Bool

	// The channel closing is closed when Close begins, and closed when Close has ended.
	closing, closed chan struct{}
	closeBegun      atomic.Bool
	closeErr        error
	servers         []gatedServer
}

// New checks the options and creates a host. It neither listens nor serves yet.
// The caller must call Close.
func New(o Options) (*Host, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	h := &Host{
		options: o, world: o.World, log: o.Logger, metrics: o.Metrics, service: protocol.ServicePlay,
		requests:        newLimiter(float64(o.Limits.RequestsPerSecond), 2*o.Limits.RequestsPerSecond, o.LimitLoopback),
		creation:        newLimiter(float64(o.Limits.CreationsPerMinute)/60, o.Limits.CreationsPerMinute, o.LimitLoopback),
		bodies:          bodyBudget{limit: int64(o.BodyBudget)},
		replies:         newReplyBudget(o.ReplyBudget),
		reading:         newFairSemaphore(halfOf(o.Processors)),
		replaying:       newFairSemaphore(maxReplays),
		writing:         newFairSemaphore(halfOf(o.Processors)),
		guesses:         guesses{turns: rate.NewLimiter(rate.Every(guessPause), 1), pause: guessPause},
		streams:         newStreams(),
		index:           indexFile(&o),
		pageHeaders:     headersOfPage(o.WatchEmbed),
		snapshots:       newLatestReplies(o.World, (*world.View).Snapshot),
		snapshotReplies: newLatestReplies(o.World, (*world.View).SnapshotReply),
		closing:         make(chan struct{}),
		closed:          make(chan struct{}),

		adminDigest: creds.SecretDigest(o.AdminToken),
		operations:  operations(),
	}
	h.pumps = newPumps(h)
	rules, err := newWatchRules(&h.options)
	if err != nil {
		return nil, err
	}
	h.watch = rules
	h.tls, err = loadCertificate(o.CertFile, o.KeyFile)
	if err != nil {
		return nil, err
	}
	if err := h.metrics.observe(h); err != nil {
		return nil, err
	}
	var prefix [4]byte
	// Since Go 1.24 rand.Read fills the slice or ends the program.
	_, _ = rand.Read(prefix[:])
	h.requestPrefix = hex.EncodeToString(prefix[:])
	h.sweeper = newSweeper(h.world, o.Deriver, h.log)
	h.handler = h.newHandler()
	h.ops = h.newOpsHandler()
	return h, nil
}

// Handler serves the world within another server, for programs that embed one.
// It also starts the background work that Serve starts; Close ends it.
func (h *Host) Handler() http.Handler {
	h.sweeper.start()
	h.serving.Store(true)
	return h.handler
}

// Addr returns the address that the host listens on, nil before Listen.
func (h *Host) Addr() net.Addr {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listener == nil {
		return nil
	}
	return h.listener.Addr()
}

// OpsAddr returns the address of the separate listener for health and metrics, nil
// if there is none and before Listen.
func (h *Host) OpsAddr() net.Addr {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.opsLn == nil {
		return nil
	}
	return h.opsLn.Addr()
}

// URL returns the base of links to this host: the public URL that the operator
// set, otherwise the listener's; empty before Listen. For a listener on every
// address it names loopback.
func (h *Host) URL() string {
	if h.options.PublicURL != "" {
		return h.options.PublicURL
	}
	addr, ok := h.Addr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	scheme := "http://"
	if h.tls != nil {
		scheme = "https://"
	}
	if addr.IP.IsUnspecified() {
		addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: addr.Port}
	}
	return scheme + addr.String()
}

// Reload reads the certificate and key files again. If they cannot be used it
// returns an error, and the host keeps the certificate that it has. Without TLS it
// does nothing.
func (h *Host) Reload() error {
	if h.tls == nil {
		return nil
	}
	if err := h.tls.load(); err != nil {
		return err
	}
	h.log.Info("the TLS certificate was read again", "file", h.options.CertFile)
	return nil
}

// isLoopback reports whether an address can be reached from this machine only.
func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// draining reports whether Close was called.
func (h *Host) draining() bool {
	select {
	case <-h.closing:
		return true
	default:
		return false
	}
}
