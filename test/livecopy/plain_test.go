//go:build full

package livecopy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/playctl/playctl/protocol"
)

// olderHost simulates an older host: it removes capabilities from the session's reply,
// and their parts from requests and streams.
type olderHost struct {
	next http.RoundTripper
	// lacks are the removed capabilities; nil for none.
	lacks []protocol.Capability

	// open is the number of open streams without ids; ahead is set if the world was
	// read while there was none.
	open  atomic.Int64
	ahead atomic.Bool
}

func (p *olderHost) lacking(c protocol.Capability) bool { return slices.Contains(p.lacks, c) }

func (p *olderHost) RoundTrip(r *http.Request) (*http.Response, error) {
	stream := r.URL.Path == protocol.ServicePlay.Events()
	if stream {
		r = r.Clone(r.Context())
		query := r.URL.Query()
		if p.lacking(protocol.CapChainInline) {
			query.Del(protocol.QueryInline)
		}
		r.URL.RawQuery = query.Encode()
		if p.lacking(protocol.CapResume) {
			r.Header.Del(protocol.HeaderLastEventID)
		}
	}
	if readsWorld(r) && p.open.Load() == 0 {
		p.ahead.Store(true)
	}
	response, err := p.next.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	switch {
	case stream && p.lacking(protocol.CapResume):
		p.open.Add(1)
		response.Body = &unnumbered{Closer: response.Body, in: bufio.NewReader(response.Body), ended: sync.OnceFunc(func() { p.open.Add(-1) })}
	case r.URL.Path == protocol.ServicePlay.Session():
		if err := p.session(response); err != nil {
			return nil, err
		}
	}
	return response, nil
}

// readsWorld reports whether a request is a full read.
func readsWorld(r *http.Request) bool {
	if r.GetBody == nil {
		return false
	}
	body, err := r.GetBody()
	if err != nil {
		return false
	}
	text, err := io.ReadAll(body)
	return err == nil && bytes.Contains(text, []byte(protocol.OpGetWorldSnapshot))
}

// session removes the capabilities from a session's reply.
func (p *olderHost) session(response *http.Response) error {
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return err
	}
	var reply map[string]any
	if err := json.Unmarshal(text, &reply); err != nil {
		return err
	}
	var kept []string
	for _, c := range reply["capabilities"].([]any) {
		if !p.lacking(protocol.Capability(c.(string))) {
			kept = append(kept, c.(string))
		}
	}
	reply["capabilities"] = kept
	text, err = json.Marshal(reply)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return err
}

// unnumbered is a stream without the ids of its events.
type unnumbered struct {
	io.Closer
	in    *bufio.Reader
	rest  []byte
	ended func()
}

func (u *unnumbered) Close() error {
	u.ended()
	return u.Closer.Close()
}

func (u *unnumbered) Read(p []byte) (int, error) {
	for len(u.rest) == 0 {
		line, err := u.in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		if !strings.HasPrefix(line, "id:") {
			u.rest = []byte(line)
		}
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}
