package bench

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// envBaseline names the folder of a process that runs the baseline instead of the tests.
const envBaseline = "PLAYCTL_BENCH_BASELINE"

// The files of that folder: replies of a real host, which the baseline sends as well.
const (
	baselineDigest   = "digest"
	baselineNode     = "node.json"
	baselineSnapshot = "snapshot.json"
	baselineGzip     = "snapshot.gz"
	baselineLine     = "line.json"
	baselineFrame    = "frame.txt"
	// The baseline serves TLS if these files exist.
	baselineCert = "cert.pem"
	baselineKey  = "key.pem"
)

// baselineTag is as long as a host's snapshot tags.
const baselineTag = `W/"0123456789abcdef0123456789abcdef.101"`

// baseline is a bare net/http program that does only what every host must do: it reads
// and parses the same body, compares one digest, appends and syncs a line before it
// answers, and sends the same headers and bytes.
type baseline struct {
	digest, node, snapshot, gzip, line, frame []byte

	lines chan chan struct{}
	file  *os.File

	mu   sync.Mutex
	more *sync.Cond
	seq  int
	// log is every frame so far, and trimmed the number of bytes removed from its
	// front.
	log     []byte
	trimmed int
}

func init() { //nolint:gochecknoinits // It replaces the tests if the process is another program.
	for name, run := range map[string]func(string) error{envBaseline: runBaseline, envLoad: runLoad} {
		if value := os.Getenv(name); value != "" {
			if err := run(value); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
}

// runBaseline serves until the process is killed; it prints its address first.
func runBaseline(folder string) error {
	l := &baseline{lines: make(chan chan struct{}, 1024), seq: 1}
	l.more = sync.NewCond(&l.mu)
	for name, into := range map[string]*[]byte{
		baselineDigest: &l.digest, baselineNode: &l.node, baselineSnapshot: &l.snapshot, baselineGzip: &l.gzip,
		baselineLine: &l.line, baselineFrame: &l.frame,
	} {
		text, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // the benchmark's own folder
		if err != nil {
			return err
		}
		*into = text
	}
	file, err := os.Create(filepath.Join(folder, "lines")) //nolint:gosec // as above
	if err != nil {
		return err
	}
	// Like a log of preallocated length: a sync then writes nothing but the lines.
	if _, err := file.Write(make([]byte, 256<<20)); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	l.file = file
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go l.write()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rpc", l.answer)
	mux.HandleFunc("GET /snapshot", func(w http.ResponseWriter, r *http.Request) {
		if !l.authenticated(w, r) {
			return
		}
		w.Header()["Vary"] = []string{"Accept-Encoding"}
		w.Header()["Etag"] = []string{baselineTag}
		body := l.snapshot
		if coding := r.Header.Get("Accept-Encoding"); coding == "gzip" {
			body = l.gzip
			w.Header()["Content-Encoding"] = []string{coding}
		}
		l.send(w, body)
	})
	mux.HandleFunc("GET /events", l.stream)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	if cert := filepath.Join(folder, baselineCert); exists(cert) {
		return server.ServeTLS(listener, cert, filepath.Join(folder, baselineKey))
	}
	return server.Serve(listener)
}

func exists(path string) bool {
	_, err := os.Stat(path) //nolint:gosec // the benchmark's own folder
	return err == nil
}

// authenticated compares the digest of a caller's credentials.
func (l *baseline) authenticated(w http.ResponseWriter, r *http.Request) bool {
	sum := sha256.Sum256([]byte(r.Header.Get("X-Node-Passw")))
	if subtle.ConstantTimeCompare(sum[:], l.digest) == 1 {
		return true
	}
	w.WriteHeader(http.StatusUnauthorized)
	return false
}

func (l *baseline) answer(w http.ResponseWriter, r *http.Request) {
	if !l.authenticated(w, r) {
		return
	}
	var call struct {
		Op      string          `json:"op"`
		Payload json.RawMessage `json:"payload"`
	}
	var payload struct {
		StableKey string `json:"stableKey"`
		PlayerID  string `json:"playerId"`
		Role      string `json:"role"`
		Text      string `json:"text"`
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(body, &call)
	}
	if err == nil {
		err = json.Unmarshal(call.Payload, &payload)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	switch call.Op {
	case "getPlayerChainNode":
		l.send(w, l.node)
	case "getWorldSnapshot":
		l.send(w, l.snapshot)
	default:
		done := make(chan struct{})
		l.lines <- done
		<-done
		l.send(w, l.line)
	}
}

func (l *baseline) send(w http.ResponseWriter, body []byte) {
	h := w.Header()
	l.begin(h, "application/json")
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	_, _ = w.Write(body)
}

// begin sets the headers that all replies of a host have.
func (l *baseline) begin(h http.Header, contentType string) {
	h["Content-Type"] = []string{contentType}
	h["Cache-Control"] = []string{"no-store"}
	h["X-Play-Rev"] = []string{"101"}
	h["X-Request-Id"] = []string{"01234567-1"}
	h["X-Content-Type-Options"] = []string{"nosniff"}
}

// write syncs the waiting lines with one sync, and then answers and publishes them.
func (l *baseline) write() {
	var text []byte
	for first := range l.lines {
		batch := []chan struct{}{first}
		for len(l.lines) > 0 {
			batch = append(batch, <-l.lines)
		}
		text = text[:0]
		l.mu.Lock()
		for range batch {
			text = append(append(append(text, "id: "...), strconv.Itoa(l.seq)...), l.frame...)
			l.seq++
		}
		l.mu.Unlock()
		if at, _ := l.file.Seek(0, io.SeekCurrent); at > 240<<20 {
			_, _ = l.file.Seek(0, io.SeekStart)
		}
		if _, err := l.file.Write(text); err != nil {
			panic(err)
		}
		if err := syscall.Fdatasync(int(l.file.Fd())); err != nil {
			panic(err)
		}
		l.mu.Lock()
		if len(l.log) > 64<<20 {
			l.trimmed += len(l.log) / 2
			l.log = bytes.Clone(l.log[len(l.log)/2:])
		}
		l.log = append(l.log, text...)
		l.mu.Unlock()
		l.more.Broadcast()
		for _, done := range batch {
			close(done)
		}
	}
}

// stream sends a subscriber all new events with one write.
func (l *baseline) stream(w http.ResponseWriter, r *http.Request) {
	if !l.authenticated(w, r) {
		return
	}
	h := w.Header()
	l.begin(h, "text/event-stream")
	if r.ProtoMajor == 1 {
		h["Connection"] = []string{"close"} // over HTTP/2 it would end the connection, and the host sends none
	}
	h["X-Accel-Buffering"] = []string{"no"}
	l.mu.Lock()
	at, seq := l.trimmed+len(l.log), l.seq-1
	l.mu.Unlock()
	_, _ = fmt.Fprintf(w, "retry: 2000\n:\n\nid: %d\n\n", seq)
	flush := w.(http.Flusher)
	for flush.Flush(); ; flush.Flush() {
		l.mu.Lock()
		for at == l.trimmed+len(l.log) {
			l.more.Wait()
		}
		part := l.log[at-l.trimmed:]
		at += len(part)
		l.mu.Unlock()
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}
