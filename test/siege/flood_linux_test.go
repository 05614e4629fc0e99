//go:build full

package siege

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// envFloods is set for the process that floods; it reads the attack from its
// standard input, so that no secret is in its environment.
const envFloods = "PLAYCTL_TEST_FLOODS"

// attack is the data that the floods need.
type attack struct {
	// Address is the host's, such as 127.0.0.1:7420.
	Address string
	SID     string
	// Main and Agent belong to the account of the attacker.
	Main, Agent hostprocess.Node
}

// hold is how long a waiting connection is kept before another replaces it.
const hold = 20 * time.Second

// flood is one way to make a host hold resources.
type flood struct {
	name string
	// connections is how many are open at the same time.
	connections int
	// once opens one connection and holds it.
	once func(context.Context, *attack) error
}

var floods = []flood{
	{"endless bodies without credentials", 100, endlessBody},
	{"endless headers", 300, endlessHeader},
	{"silent connections", 100, silence},
	{"unread streams", 100, unread(streamHead)},
	{"unread replays", 40, unread(replayHead)},
	{"unread lists", 100, unread(listHead)},
	{"unread snapshots", 100, unread(snapshotHead)},
	{"changes and reads", 2, changeAndRead},
	{"spaces removed and created", 1, spaces},
	{"journeys", 2, journeys},
	{"registrations", 16, registration},
	{"guesses of the administrator's token", 8, guess},
}

// startFloods runs the floods in a process of their own at the lowest priority.
// stop ends them and returns the number of rounds of each.
func startFloods(t *testing.T, a *attack) (stop func() map[string]int64) {
	t.Helper()
	input, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0]) //nolint:gosec // this test again
	cmd.Env = append(os.Environ(), envFloods+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(append(input, '\n')); err != nil {
		t.Fatal(err)
	}
	return func() map[string]int64 {
		t.Helper()
		_ = in.Close() // asks it to end
		var rounds map[string]int64
		if err := json.NewDecoder(out).Decode(&rounds); err != nil {
			t.Errorf("the floods ended without a report: %v", err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the floods failed: %v", err)
		}
		return rounds
	}
}

// runFloods floods until standard input ends, then prints the rounds.
func runFloods() error {
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19); err != nil {
		return fmt.Errorf("lower the priority: %w", err)
	}
	input := bufio.NewReader(os.Stdin)
	line, err := input.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the attack: %w", err)
	}
	var a attack
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("read the attack: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, input)
		cancel()
	}()
	rounds := make([]atomic.Int64, len(floods))
	var all sync.WaitGroup
	for i, f := range floods {
		for range f.connections {
			all.Go(func() {
				for ctx.Err() == nil {
					_ = f.once(ctx, &a) // whatever the host did about it
					rounds[i].Add(1)
					wait(ctx, rand.N(20*time.Millisecond))
				}
			})
		}
	}
	all.Wait()
	made := map[string]int64{}
	for i, f := range floods {
		made[f.name] = rounds[i].Load()
	}
	return json.NewEncoder(os.Stdout).Encode(made)
}

// wait waits, unless the context ends first.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// dialer connects from one of 16 million addresses of this machine.
func dialer() *net.Dialer {
	n := rand.Uint32N(1 << 24)
	return &net.Dialer{
		Timeout:   5 * time.Second,
		LocalAddr: &net.TCPAddr{IP: net.IPv4(127, byte(n>>16)|1, byte(n>>8), byte(n))},
	}
}

// send opens a connection and writes the first bytes of a flood. The end of the
// context closes the connection.
func send(ctx context.Context, a *attack, text string) (net.Conn, func(), error) {
	conn, err := dialer().DialContext(ctx, "tcp", a.Address)
	if err != nil {
		return nil, nil, fmt.Errorf("connect: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	done := func() {
		stop()
		_ = conn.Close()
	}
	if _, err := io.WriteString(conn, text); err != nil {
		done()
		return nil, nil, fmt.Errorf("send: %w", err)
	}
	return conn, done, nil
}

// head returns the head of a request with a node's credentials.
func head(a *attack, n hostprocess.Node, method, target string, more ...string) string {
	lines := []string{method + " " + target + " HTTP/1.1", "Host: " + a.Address}
	if n.ID != "" {
		lines = append(lines, protocol.HeaderNodeID+": "+n.ID, protocol.HeaderNodePassw+": "+n.Hash, protocol.HeaderAPIKey+": "+n.APIKey)
	}
	return strings.Join(append(lines, more...), "\r\n") + "\r\n\r\n"
}

// ended waits until the host closes the connection, at most for hold.
func ended(conn net.Conn) error {
	if err := conn.SetReadDeadline(time.Now().Add(hold)); err != nil {
		return fmt.Errorf("wait for the end: %w", err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		return fmt.Errorf("wait for the end: %w", err)
	}
	return nil
}

func endlessBody(ctx context.Context, a *attack) error {
	conn, done, err := send(ctx, a, head(a, hostprocess.Node{}, http.MethodPost, protocol.PathNodes,
		"Content-Type: "+protocol.MediaTypeJSON, "Content-Length: "+strconv.Itoa(protocol.MaxBodyBytes))+"{")
	if err != nil {
		return err
	}
	defer done()
	if _, err := conn.Write(make([]byte, 300<<10)); err != nil {
		return fmt.Errorf("send a body: %w", err)
	}
	return ended(conn)
}

func endlessHeader(ctx context.Context, a *attack) error {
	conn, done, err := send(ctx, a, "GET "+protocol.ServicePlay.Session()+" HTTP/1.1\r\nHost: ")
	if err != nil {
		return err
	}
	defer done()
	return ended(conn)
}

func silence(ctx context.Context, a *attack) error {
	conn, done, err := send(ctx, a, "")
	if err != nil {
		return err
	}
	defer done()
	return ended(conn)
}

// unread sends a request and reads nothing of the reply.
func unread(request func(*attack) string) func(context.Context, *attack) error {
	return func(ctx context.Context, a *attack) error {
		_, done, err := send(ctx, a, request(a))
		if err != nil {
			return err
		}
		defer done()
		wait(ctx, hold)
		return nil
	}
}

func streamHead(a *attack) string {
	return head(a, a.Main, http.MethodGet, protocol.ServicePlay.Events()+"?inline=1&sid="+a.SID)
}

func replayHead(a *attack) string {
	return head(a, a.Main, http.MethodGet, protocol.ServicePlay.Events()+"?inline=1&lastEventId=1&sid="+a.SID)
}

func snapshotHead(a *attack) string {
	return head(a, a.Main, http.MethodGet, protocol.ServicePlay.Snapshot()+"?sid="+a.SID)
}

func listHead(a *attack) string {
	body := `{"op":"listJourneys","payload":{"limit":1000}}`
	return head(a, a.Main, http.MethodPost, protocol.ServicePlay.RPC(),
		"Content-Type: "+protocol.MediaTypeJSON, "Content-Length: "+strconv.Itoa(len(body))) + body
}

// call sends one complete request from an address of its own.
func (a *attack) call(ctx context.Context, n hostprocess.Node, method, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, hold)
	defer cancel()
	transport := &http.Transport{DialContext: dialer().DialContext, DisableKeepAlives: true}
	_, err := n.Do(ctx, &http.Client{Transport: transport}, "http://"+a.Address, hostprocess.Request{Method: method, Path: path, Body: body})
	return err
}

// rpc calls an operation.
func (a *attack) rpc(ctx context.Context, n hostprocess.Node, op string, payload any) error {
	return a.call(ctx, n, http.MethodPost, protocol.ServicePlay.RPC()+"?sid="+a.SID, map[string]any{"op": op, "payload": payload})
}

// changeAndRead changes a row of the map and reads the map.
func changeAndRead(ctx context.Context, a *attack) error {
	err := a.call(ctx, a.Main, http.MethodPost, protocol.ServicePlay.ProximityAction()+"?sid="+a.SID,
		map[string]any{"fromPlayerId": a.Agent.ID, "toPlayerId": a.Agent.ID, "action": "zone"})
	if err != nil {
		return err
	}
	return a.call(ctx, a.Main, http.MethodGet, protocol.ServicePlay.Snapshot()+"?sid="+a.SID, nil)
}

// spaces removes a space with the longest texts and creates it again.
func spaces(ctx context.Context, a *attack) error {
	if err := a.rpc(ctx, a.Main, "removeSpace", map[string]any{"spaceId": recreatedSpace}); err != nil {
		return err
	}
	return a.rpc(ctx, a.Main, "registerSpaceNode", largeSpace(recreatedSpace))
}

// journeys records the longest journey.
func journeys(ctx context.Context, a *attack) error {
	text := strings.Repeat("a", 100<<10)
	return a.rpc(ctx, a.Agent, "recordJourney", map[string]any{"playerId": a.Agent.ID, "journey": map[string]any{
		"startedAt": "2026-01-02T03:04:05.678Z", "completedAt": "2026-01-02T03:04:06.678Z",
		"steps": []any{map[string]any{"type": "origin", "content": text, "messageId": "1"}},
	}})
}

// registration makes the host derive a node id, for a node whose id is another one.
func registration(ctx context.Context, a *attack) error {
	return a.call(ctx, hostprocess.Node{}, http.MethodPost, protocol.PathNodes,
		map[string]any{"kind": "main", "nodeId": randomHex(), "passwHash": randomHex()})
}

func guess(ctx context.Context, a *attack) error {
	return a.call(ctx, hostprocess.Node{AdminToken: randomHex()}, http.MethodGet, protocol.PathNodes+"?all=true", nil)
}

func randomHex() string {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return hex.EncodeToString(b)
}
