package host

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// Replies of lengths around the sizes of the buffers arrive complete and in order over
// one connection.
func TestGatheredRepliesAreComplete(t *testing.T) {
	f := newFixture(t)
	text := make([]byte, 200<<10)
	for i := range text {
		text[i] = byte('a' + i%23 + i%7)
	}
	server := serveForTest(t, f, func(w http.ResponseWriter, r *http.Request) {
		var length, first int
		_, _ = fmt.Sscan(r.URL.RawQuery, &length)
		_, _ = fmt.Sscan(r.URL.Path[1:], &first)
		first = min(first, length)
		c := &call{host: f.host, w: w, r: r}
		c.writeParts([][]byte{text[:first], text[first:length]})
	}, false)
	client := server.Client()
	client.Transport.(*http.Transport).MaxConnsPerHost = 1 //nolint:forcetypeassert // httptest sets this type.
	lengths := []int{0, 1, gatherFrom - 1, gatherFrom, 8191, 8192, 32 << 10, 32<<10 + 1, replyPace - 1, replyPace, replyPace + 1, len(text)}
	for length := 3500; length < 4500; length += 9 {
		lengths = append(lengths, length)
	}
	for _, length := range lengths {
		for _, first := range []int{0, 100, 5000} {
			res, err := client.Get(fmt.Sprintf("%s/%d?%d", server.URL, first, length))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil || !bytes.Equal(body, text[:length]) {
				t.Fatalf("reply of %d bytes with a first part of %d: received %d: %v", length, first, len(body), err)
			}
		}
	}
}
