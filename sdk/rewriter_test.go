package sdk_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// rewriter sits between a world and its host and changes the host's replies and
// events. Its functions are called one at a time; nil ones change nothing.
type rewriter struct {
	t    *testing.T
	next http.RoundTripper
	// session changes the reply of the session route.
	session func(map[string]any)
	// rpc changes the reply of an operation.
	rpc func(op protocol.Op, reply map[string]any)
	// event changes the data of an event; it is called for every event.
	event func(kind string, data map[string]any)
	// stream receives each request for the stream and may answer it.
	stream func(*http.Request) *http.Response
	// line changes a line of the stream before event does; "" drops it.
	line func(string) string
}

func (m *rewriter) RoundTrip(r *http.Request) (*http.Response, error) {
	op := operation(r)
	if r.URL.Path == protocol.ServicePlay.Events() && m.stream != nil {
		if response := m.stream(r); response != nil {
			return response, nil
		}
	}
	response, err := m.next.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	switch {
	case r.URL.Path == protocol.ServicePlay.Session() && m.session != nil:
		m.rewrite(response, m.session)
	case op != "" && m.rpc != nil:
		m.rewrite(response, func(reply map[string]any) { m.rpc(op, reply) })
	case r.URL.Path == protocol.ServicePlay.Events():
		response.Body = &rewrittenStream{m: m, in: bufio.NewReader(response.Body), body: response.Body}
	}
	return response, nil
}

// operation returns the op of an rpc, "" for other requests. The body can still be
// read afterward.
func operation(r *http.Request) protocol.Op {
	if r.URL.Path != protocol.ServicePlay.RPC() || r.GetBody == nil {
		return ""
	}
	body, err := r.GetBody()
	if err != nil {
		return ""
	}
	var request struct{ Op protocol.Op }
	_ = json.NewDecoder(body).Decode(&request)
	return request.Op
}

func (m *rewriter) rewrite(response *http.Response, change func(map[string]any)) {
	var reply map[string]any
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		m.t.Errorf("decode a reply: %v", err)
	}
	_ = response.Body.Close()
	change(reply)
	text, err := json.Marshal(reply)
	if err != nil {
		m.t.Errorf("encode a reply: %v", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
}

// rewrittenStream rewrites the lines of a stream as they are read.
type rewrittenStream struct {
	m    *rewriter
	in   *bufio.Reader
	body io.Closer
	kind string
	out  bytes.Buffer
}

func (s *rewrittenStream) Read(p []byte) (int, error) {
	for s.out.Len() == 0 {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		s.out.WriteString(s.change(line))
	}
	return s.out.Read(p)
}

func (s *rewrittenStream) Close() error { return s.body.Close() }

func (s *rewrittenStream) change(line string) string {
	if s.m.line != nil {
		line = s.m.line(line)
	}
	if kind, ok := strings.CutPrefix(line, "event: "); ok {
		s.kind = strings.TrimSpace(kind)
	}
	text, ok := strings.CutPrefix(line, "data: ")
	if !ok || s.m.event == nil {
		return line
	}
	var data map[string]any
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		s.m.t.Errorf("decode an event: %v", err)
	}
	s.m.event(s.kind, data)
	changed, err := json.Marshal(data)
	if err != nil {
		s.m.t.Errorf("encode an event: %v", err)
	}
	return "data: " + string(changed) + "\n"
}

// without removes capabilities from a session reply.
func without(capabilities ...protocol.Capability) func(map[string]any) {
	return func(reply map[string]any) {
		var kept []any
		for _, have := range reply["capabilities"].([]any) {
			drop := len(capabilities) == 0
			for _, c := range capabilities {
				drop = drop || have == string(c)
			}
			if !drop {
				kept = append(kept, have)
			}
		}
		reply["capabilities"] = kept
	}
}
