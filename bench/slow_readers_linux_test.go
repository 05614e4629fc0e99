package bench

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/test/hostprocess"
)

// BenchmarkSlowReaders is the largest resident memory of a host with GOMEMLIMIT=256MiB while
// 9,900 clients without credentials request a map of 4,000 agents and read only the status
// line of the reply.
//
//	go test ./bench -run '^$' -bench SlowReaders -benchtime 1x -count 3
func BenchmarkSlowReaders(b *testing.B) {
	dir, key := b.TempDir(), creds.GenerateRootKey()
	must(b, creds.WriteRootFile(filepath.Join(dir, "root"), key, false))
	s, stop := serveAt(b, filepath.Join(dir, "data", "world.playstore"), key, 4000)
	stop()
	path := "/api/play/snapshot?sid=" + s.sid
	ask := request(identity{}, http.MethodGet, path, nil)
	for b.Loop() {
		p := startWith(b, dir, []string{"GOMEMLIMIT=256MiB"}, "127.0.0.1:0", append(unlimited(),
			"--no-repository", "--max-connections-per-address", "10000")...)
		size := len(p.read(b, path, "identity"))
		conns := make([]net.Conn, 9900)
		read := make(chan error, len(conns))
		for i := range conns {
			conn, err := net.Dial("tcp", p.addr())
			must(b, err)
			must(b, conn.(*net.TCPConn).SetReadBuffer(4<<10))
			_, err = conn.Write(ask)
			must(b, err)
			// Immediately, as the host closes the connections of readers that do not read.
			go func() { read <- readStatus(conn) }()
			conns[i] = conn
		}
		for range conns {
			must(b, <-read)
		}
		peak, err := hostprocess.PeakMemory(p.PID())
		must(b, err)
		for _, conn := range conns {
			must(b, conn.Close())
		}
		p.Stop()
		b.ReportMetric(float64(size)/(1<<20), "MiB-map")
		b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
		b.ReportMetric(0, "ns/op")
	}
}

// readStatus reads the status line of a reply, and nothing after it.
func readStatus(conn net.Conn) error {
	const want = "HTTP/1.1 200 OK\r\n"
	line := make([]byte, len(want))
	if _, err := io.ReadFull(conn, line); err != nil {
		return err
	}
	if string(line) != want {
		return fmt.Errorf("a reply starts with %q, want %q", line, want)
	}
	return nil
}
