//go:build full

package siege

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// pace is the time between two rounds of the honest client.
const pace = 20 * time.Millisecond

// honest is a client that follows the rules: it writes, reads and has a stream
// open.
type honest struct {
	host  *hostprocess.Host
	agent hostprocess.Node
	sid   string

	mu       sync.Mutex
	written  []uint64
	received map[uint64]int
	listened chan struct{}
}

// local is a dialer with an address of the client's own.
func local() *net.Dialer {
	return &net.Dialer{Timeout: 5 * time.Second, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 2, 0, 2)}}
}

// quantiles are the quantiles of the durations of calls, by call.
type quantiles map[string]struct{ P50, P99, Longest time.Duration }

// calls are the calls of the client in each round: those of a connected client, and
// one of a new client.
var calls = []string{"write", "node", "snapshot", "new client"}

// measure runs a round each 20 ms for a time. The duration of a call counts from
// the time when its round was due, so that waiting for an earlier call counts too.
func (h *honest) measure(t *testing.T, lasts time.Duration) quantiles {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var mu sync.Mutex
	took := map[string][]time.Duration{}
	var all sync.WaitGroup
	for _, call := range calls {
		all.Go(func() {
			client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
				DialContext: local().DialContext, DisableKeepAlives: call == "new client",
			}}
			defer client.CloseIdleConnections()
			for due := time.Now(); ctx.Err() == nil; due = due.Add(pace) {
				wait(ctx, time.Until(due))
				if ctx.Err() != nil {
					return
				}
				if err := h.do(t.Context(), client, call); err != nil {
					t.Errorf("the honest client: %s: %v", call, err)
					return
				}
				mu.Lock()
				took[call] = append(took[call], time.Since(due))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	found := quantiles{}
	for call, list := range took {
		slices.Sort(list)
		q := found[call]
		q.P50, q.P99, q.Longest = list[len(list)/2], list[len(list)*99/100], list[len(list)-1]
		found[call] = q
	}
	return found
}

func (h *honest) do(ctx context.Context, client *http.Client, call string) error {
	switch call {
	case "write":
		var reply struct {
			Seq uint64 `json:"seq"`
		}
		err := h.rpc(ctx, client, "recordInteraction", map[string]any{
			"playerId": h.agent.ID, "role": protocol.RoleAssistant, "text": "hello",
		}, &reply)
		if err == nil {
			h.mu.Lock()
			h.written = append(h.written, reply.Seq)
			h.mu.Unlock()
		}
		return err
	case "node":
		return h.rpc(ctx, client, "getPlayerChainNode", map[string]any{"stableKey": "agent:" + h.agent.ID}, nil)
	case "snapshot":
		return h.get(ctx, client, protocol.ServicePlay.Snapshot()+"?sid="+h.sid)
	}
	return h.get(ctx, client, protocol.ServicePlay.Session())
}

func (h *honest) rpc(ctx context.Context, client *http.Client, op string, payload, reply any) error {
	return h.call(ctx, client, hostprocess.Request{
		Method: http.MethodPost, Path: protocol.ServicePlay.RPC() + "?sid=" + h.sid, Body: map[string]any{"op": op, "payload": payload},
	}, reply)
}

// get reads a reply and discards it: it may be some MiB long.
func (h *honest) get(ctx context.Context, client *http.Client, path string) error {
	req, err := h.reading(ctx, path)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return fmt.Errorf("read the reply to GET %s: %w", path, err)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: status %d", path, res.StatusCode)
	}
	return nil
}

// reading returns a read request of the client's agent.
func (h *honest) reading(ctx context.Context, path string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.host.URL()+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	req.Header.Set(protocol.HeaderNodeID, h.agent.ID)
	req.Header.Set(protocol.HeaderNodePassw, h.agent.Hash)
	req.Header.Set(protocol.HeaderAPIKey, h.agent.APIKey)
	return req, nil
}

func (h *honest) call(ctx context.Context, client *http.Client, r hostprocess.Request, reply any) error {
	a, err := h.agent.Do(ctx, client, h.host.URL(), r)
	switch {
	case err != nil:
		return err
	case !a.OK():
		return fmt.Errorf("status %d, %s", a.Status, a.Body)
	case reply == nil:
		return nil
	}
	return a.Decode(reply)
}

// listen reads the stream until the context ends. It keeps the events of the
// client's own agent.
func (h *honest) listen(ctx context.Context, t *testing.T) {
	t.Helper()
	req, err := h.reading(ctx, protocol.ServicePlay.Events()+"?sid="+h.sid)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: local().DialContext}
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	h.received, h.listened = map[uint64]int{}, make(chan struct{})
	go func() {
		defer close(h.listened)
		defer func() { _ = res.Body.Close() }()
		if err := h.read(bufio.NewReader(res.Body)); err != nil && ctx.Err() == nil {
			t.Errorf("the honest client's stream: %v", err)
		}
	}()
}

func (h *honest) read(stream *bufio.Reader) error {
	for {
		line, err := stream.ReadString('\n')
		if err != nil {
			return fmt.Errorf("read the stream: %w", err)
		}
		data, is := strings.CutPrefix(line, "data: ")
		if !is || !strings.Contains(data, h.agent.ID) {
			continue
		}
		var event struct {
			PlayerID string `json:"playerId"`
			Text     string `json:"text"`
			Seq      uint64 `json:"seq"`
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return fmt.Errorf("read an event: %w", err)
		}
		if event.PlayerID == h.agent.ID && event.Text != "" {
			h.mu.Lock()
			h.received[event.Seq]++
			h.mu.Unlock()
		}
	}
}

// missed returns which of the client's events the stream lost or repeated.
func (h *honest) missed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var problems []error
	for _, seq := range h.written {
		if n := h.received[seq]; n != 1 {
			problems = append(problems, fmt.Errorf("event %d arrived %d times", seq, n))
		}
	}
	return errors.Join(problems...)
}
