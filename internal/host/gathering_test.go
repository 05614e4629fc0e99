package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
)

// Replies of every length about those of the buffers come whole and one after the other
// over one connection.
func TestGatheredRepliesAreWhole(t *testing.T) {
	f := newFixture(t)
	text := make([]byte, 200<<10)
	for i := range text {
		text[i] = byte('a' + i%23 + i%7)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var length, first int
		_, _ = fmt.Sscan(r.URL.RawQuery, &length)
		_, _ = fmt.Sscan(r.URL.Path[1:], &first)
		first = min(first, length)
		c := &call{host: f.host, w: w, r: r}
		c.writeParts([][]byte{text[:first], text[first:length]})
	}), f.host.log)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(newGate(ln, &f.host.options, 8, 8)) }()
	transport := &http.Transport{MaxConnsPerHost: 1}
	client := &http.Client{Transport: transport}
	defer func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	lengths := []int{0, 1, gatherFrom - 1, gatherFrom, 8191, 8192, 32 << 10, 32<<10 + 1, replyPace - 1, replyPace, replyPace + 1, len(text)}
	for length := 3500; length < 4500; length += 9 {
		lengths = append(lengths, length)
	}
	for _, length := range lengths {
		for _, first := range []int{0, 100, 5000} {
			res, err := client.Get(fmt.Sprintf("http://%s/%d?%d", ln.Addr(), first, length))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil || !bytes.Equal(body, text[:length]) {
				t.Fatalf("of %d bytes, the first part %d, came %d: %v", length, first, len(body), err)
			}
		}
	}
}
