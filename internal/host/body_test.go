package host

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// A body of unknown length may turn out to be none, and then needs no media type.
func TestChunkedBodyThatIsNone(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	chunked := func(contentType string) func(*http.Request) {
		return func(r *http.Request) {
			r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
			r.Header.Set("Content-Type", contentType)
		}
	}
	f.post(protocol.PathNodeAPIKey, "", as(main), chunked("")).ok()
	f.post(protocol.PathNodeAPIKey, "", as(main), chunked("text/plain")).ok()
	f.post(protocol.PathValidateNode, "", as(main), chunked("")).refused(protocol.CodeJSONInvalid)
	f.post(protocol.PathNodeAPIKey, "{}", as(main), chunked("")).refused(protocol.CodeMediaType)
	f.post(protocol.PathNodeAPIKey, "{}", as(main), chunked("application/json")).ok()
}

// Whoever announces long bodies and sends none holds no memory for them: the
// host learns only later who is asking.
func TestAnnouncedBodiesTakeNoMemory(t *testing.T) {
	const callers = 50
	f := newFixture(t)
	server := httptest.NewServer(f.handler)
	defer server.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range callers {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		// The host asks for the body once it has made room for it.
		if _, err = fmt.Fprintf(conn, "POST /api/play/players HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"+
			"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", protocol.MaxBodyBytes); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, " 100 ") {
			t.Fatalf("the host answered %q, %v; want that it goes on", line, err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / callers; each > protocol.MaxBodyBytes/4 {
		t.Errorf("each request took %d bytes before any of its body came", each)
	}
}

// Bodies of every length arrive whole, whether their length was declared or not.
func TestBodiesArriveWhole(t *testing.T) {
	f := newFixture(t)
	player := f.player(f.main())
	for _, n := range []int{0, 1, bytes.MinRead, firstBytes - 1, firstBytes, firstBytes + 1, 3 * firstBytes, protocol.MaxBodyBytes - 1, protocol.MaxBodyBytes} {
		for _, declared := range []bool{true, false} {
			body := fmt.Sprintf(`{"op":"recordInteraction","payload":{"playerId":%q,"role":"user","text":"x"},"rest":""}`, player.id)
			if rest := n - len(body); rest > 0 {
				body = strings.Replace(body, `"rest":"`, `"rest":"`+strings.Repeat("é", rest/2)+strings.Repeat("e", rest%2), 1)
			}
			f.post(f.play("/sdk/rpc"), body, as(player), func(r *http.Request) {
				if !declared {
					r.ContentLength = -1
				}
			}).ok()
		}
	}
	for _, length := range []int64{protocol.MaxBodyBytes + 1, -1} {
		f.post(f.play("/sdk/rpc"), strings.Repeat(" ", protocol.MaxBodyBytes+1), as(player), func(r *http.Request) {
			r.ContentLength = length
		}).refused(protocol.CodeBodyTooLarge)
	}
	f.post(f.play("/sdk/rpc"), "", as(player), func(r *http.Request) {
		r.ContentLength, r.Body = 10, io.NopCloser(io.MultiReader(strings.NewReader(`{"op":`), brokenReader{}))
		r.Header.Set("Content-Type", protocol.MediaTypeJSON)
	}).refused(protocol.CodeJSONInvalid)
}

// brokenReader is a body whose sender went away.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
