package host

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

// A body of unknown length may turn out to be empty, and then needs no media type.
func TestEmptyChunkedBody(t *testing.T) {
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

// Bytes after a body with two lengths are not a request: a proxy that relied on
// the other length would assign the reply to another client.
func TestBodyWithTwoLengthsClosesConnection(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	server := httptest.NewServer(f.handler)
	defer server.Close()
	for length, want := range map[string]int{"": 2, "Content-Length: 5\r\n": 1, "Content-Length: 100\r\n": 1} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		body := "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
		if length == "" {
			body = "Content-Length: 0\r\n\r\n"
		}
		if _, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\nX-Node-Id: %s\r\nX-Node-Passw: %s\r\n%s%sGET %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			protocol.PathNodeAPIKey, main.id, main.hash, length, body, protocol.PathHealth); err != nil {
			t.Fatal(err)
		}
		replies, err := io.ReadAll(conn)
		if n := bytes.Count(replies, []byte("HTTP/1.1 200")); n != want || err != nil {
			t.Errorf("with %q there are %d replies, %v: %s", length, n, err, replies)
		}
		_ = conn.Close()
	}
}

// sendStalled sends the beginning of a request whose body is declared to be longer,
// and returns the first line of the host's reply.
func sendStalled(t *testing.T, address, head string, length int, part string) string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", head, length, part); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("HTTP/1.1 100"))
	if _, err = io.ReadFull(conn, line); err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// A client without credentials that stalls in a body takes almost no memory,
// whatever length it declared.
func TestStalledBodiesUseLittleMemory(t *testing.T) {
	const callers, most = 200, 64 << 10
	for name, c := range map[string]struct{ head, part, want string }{
		"without credentials": {"POST /api/play/players", strings.Repeat(" ", 60<<10), "HTTP/1.1 401"},
		// The host requests the body once it has allocated its buffer.
		"body before credentials": {"POST /api/nodes HTTP/1.1\r\nExpect: 100-continue\r\nX-Rest:", "", "HTTP/1.1 100"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			server := httptest.NewServer(f.handler)
			defer server.Close()
			before := inUse()
			for range callers {
				if line := sendStalled(t, server.Listener.Addr().String(), c.head, protocol.MaxBodyBytes, c.part); line != c.want {
					t.Fatalf("the host answered %q, want %q", line, c.want)
				}
			}
			each := (inUse() - before) / callers
			t.Logf("%d bytes for each connection", each)
			if each > most {
				t.Errorf("each connection holds %d bytes, want at most %d", each, most)
			}
			server.CloseClientConnections()
		})
	}
}

// A stream begins although the body that its request announced does not come, on a
// connection that the host takes over and on a TLS connection, which it cannot.
func TestStreamStartsWithoutAnnouncedBody(t *testing.T) {
	// The host notices only when it writes that a client whose body did not come is gone.
	f := newFixture(t, func(s *setup) { s.host.Streams.Comment = 20 * time.Millisecond })
	main := f.main()
	for name, start := range map[string]func(*httptest.Server){"plain": (*httptest.Server).Start, "TLS": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(f.handler)
			start(server)
			defer server.Close()
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if server.TLS != nil {
				conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // the test's own server
			}
			defer func() { _ = conn.Close() }()
			if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s: %s\r\n%s: %s\r\nContent-Length: 1000\r\n\r\n{",
				f.play("/events"), protocol.HeaderNodeID, main.id, protocol.HeaderNodePassw, main.hash); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(conn)
			until := func(want string) {
				for lines.Scan() {
					if strings.Contains(lines.Text(), want) {
						return
					}
				}
				t.Fatalf("the stream ended before %q: %v", want, lines.Err())
			}
			until("HTTP/1.1 200")
			until("retry: ")
			f.player(main)
			until("event: ")
		})
	}
}

// inUse returns the memory in use on the heap and the stacks.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// A client that sends a whole body before it reads learns why it was refused.
func TestRefusalReachesSendingClient(t *testing.T) {
	f := newFixture(t)
	server := httptest.NewServer(f.handler)
	defer server.Close()
	for _, length := range []int{100, bodyPace, bodyPace + 1, dropBytes - 1, protocol.MaxBodyBytes, 3 * protocol.MaxBodyBytes} {
		t.Run(strconv.Itoa(length), func(t *testing.T) {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			_, err = fmt.Fprintf(conn, "POST /api/play/players HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", length)
			for rest := length; rest > 0 && err == nil; rest -= 4096 {
				_, err = conn.Write(bytes.Repeat([]byte(" "), min(rest, 4096)))
			}
			if err != nil && length <= dropBytes {
				t.Errorf("the host stopped reading: %v", err)
			}
			want := "HTTP/1.1 401"
			if length > protocol.MaxBodyBytes {
				want = "HTTP/1.1 413"
			}
			line := make([]byte, len(want))
			if _, err := io.ReadFull(conn, line); err != nil || string(line) != want {
				t.Errorf("the client saw %q, %v; want %q", line, err, want)
			}
		})
	}
}

// A body that brings bodyPace bytes in each window may take as long as it needs.
func TestMinimumBodyRate(t *testing.T) {
	for name, c := range map[string]struct {
		part       int
		want       string
		took, late time.Duration
	}{
		"slow":     {bodyPace, "HTTP/1.1 200", 8 * 9 * time.Second, 0},
		"too slow": {bodyPace / 10, "HTTP/1.1 400", bodyWindow, time.Duration(maxExtraTime * float64(bodyWindow))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				player := f.player(f.main())
				body := fmt.Sprintf(`{"op":"recordInteraction","payload":{"playerId":%q,"role":"user","text":"x"}}`, player.id)
				body += strings.Repeat(" ", 8*bodyPace-len(body))
				conn, err := f.serve().ln.dial()
				if err != nil {
					t.Fatal(err)
				}
				var sending sync.WaitGroup
				defer func() {
					_ = conn.Close()
					sending.Wait()
				}()
				began := time.Now()
				sending.Go(func() {
					_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\nX-Node-Id: %s\r\nX-Node-Passw: %s\r\nContent-Type: application/json\r\n"+
						"Content-Length: %d\r\n\r\n", f.play("/sdk/rpc"), player.id, player.hash, len(body))
					for rest := body; rest != "" && err == nil; rest = rest[min(c.part, len(rest)):] {
						<-time.After(9 * time.Second) // of the bubble
						_, err = io.WriteString(conn, rest[:min(c.part, len(rest))])
					}
				})
				answer, err := io.ReadAll(io.LimitReader(conn, int64(len(c.want))))
				// The connection's extra time is at most a quarter.
				if took := time.Since(began); string(answer) != c.want || took < c.took || took > c.took+c.late {
					t.Errorf("after %s the client saw %q, %v; want %q after %s to %s", took, answer, err, c.want, c.took, c.took+c.late)
				}
			})
		})
	}
}

// However many short bodies unauthenticated callers begin, they leave room for those
// of authenticated callers.
func TestShortUnauthenticatedBodiesLeaveBudget(t *testing.T) {
	b := bodyBudget{limit: 1 << 20}
	count := 0
	for b.take(0, firstBytes, false) {
		if count++; count > 1<<20/firstBytes {
			t.Fatal("unauthenticated bodies exceed the budget")
		}
	}
	if count < 100 || !b.take(0, firstBytes, true) || !b.take(firstBytes, 200<<10, true) {
		t.Errorf("with %d unauthenticated bodies the budget holds %d of %d bytes, and authenticated bodies are refused", count, b.held.Load(), b.limit)
	}
}

// The bodies of unauthenticated callers leave room for those of authenticated
// callers, and for the short ones of new callers.
func TestBodyBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, func(s *setup) { s.host.BodyBudget = 4 * protocol.MaxBodyBytes })
		player := f.player(f.main())
		stall := func(target string, options ...func(*http.Request)) (end func() *reply) {
			r, w := io.Pipe()
			done := make(chan *reply, 1)
			go func() {
				done <- f.do(http.MethodPost, target, strings.Repeat(" ", protocol.MaxBodyBytes), append(options, func(req *http.Request) {
					whole := req.Body
					req.Body = struct {
						io.Reader
						io.Closer
					}{io.MultiReader(io.LimitReader(whole, protocol.MaxBodyBytes-1), r), r}
				})...)
			}()
			synctest.Wait()
			return func() *reply {
				_ = w.Close()
				return <-done
			}
		}
		first := stall(protocol.PathNodes)
		second := stall(protocol.PathNodes)
		again := second().refused(protocol.CodeOverloaded)
		if again == nil || f.host.bodies.held.Load() != protocol.MaxBodyBytes+1 {
			t.Errorf("the budget holds %d bytes", f.host.bodies.held.Load())
		}
		f.main()
		known := []func() *reply{stall(f.play("/sdk/rpc"), as(player)), stall(f.play("/sdk/rpc"), as(player))}
		over := stall(f.play("/sdk/rpc"), as(player))()
		over.refused(protocol.CodeOverloaded)
		if after, err := strconv.Atoi(over.header.Get("Retry-After")); err != nil || after < 1 || after > 5 {
			t.Errorf("Retry-After is %q", over.header.Get("Retry-After"))
		}
		if got := f.metric(`playctl_connections_refused_total{limit="body_budget"}`); got != "2" {
			t.Errorf("%s refusals are counted, want 2", got)
		}
		for _, end := range append(known, first) {
			end().refused(protocol.CodeJSONInvalid)
		}
		if held := f.host.bodies.held.Load(); held != 0 {
			t.Errorf("with no request in progress the budget holds %d bytes", held)
		}
	})
}

// Bodies of every length arrive complete, whether their length was declared or not.
func TestBodiesArriveComplete(t *testing.T) {
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
