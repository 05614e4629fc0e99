//go:build full

package siege

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

func TestMain(m *testing.M) {
	if os.Getenv(envFloods) != "" {
		if err := runFloods(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(hostprocess.Main(m))
}

// The resources of the host.
const (
	descriptors = 1024
	memory      = 512 << 20
)

// The host is attacked for six seconds. With a duration in PLAYCTL_SIEGE, such as 5m, it
// is attacked for so long; then latency counts too, and a minute later its memory.
func TestFloodsDoNotAffectHonestClient(t *testing.T) {
	quiet, siege := time.Second, 6*time.Second
	length := os.Getenv("PLAYCTL_SIEGE")
	if length != "" {
		var err error
		if siege, err = time.ParseDuration(length); err != nil {
			t.Fatalf("PLAYCTL_SIEGE: %v", err)
		}
		quiet = 20 * time.Second
	}
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	key := creds.GenerateRootKey()
	if err := creds.WriteRootFile(root, key, false); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte(strings.Repeat("administrator", 2)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	host := hostprocess.Start(t, hostprocess.Options{
		Args:        []string{"--data-dir", filepath.Join(dir, "data"), "--root-file", root, "--admin-token-file", token, "--log-level", "error", "--limit-loopback"},
		Env:         []string{fmt.Sprint("GOMEMLIMIT=", memory/2)},
		Descriptors: descriptors,
	})
	a := &attack{Address: strings.TrimPrefix(host.URL(), "http://")}
	a.Main, a.Agent, a.SID = account(t, host, key, "attacker")
	h := &honest{host: host}
	_, h.agent, h.sid = account(t, host, key, "honest")
	accounts := attackAccounts(t, host, key, a)
	longHistory(t, a)
	fill(t, host, a, accounts)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h.listen(ctx, t)
	idle := used(t, host)
	before := h.measure(t, quiet)
	watch := watchUsage(ctx, t, host)
	stop := startFloods(t, a)
	during := h.measure(t, siege)
	rounds := stop()
	most := watch()
	t.Logf("memory: %d MiB idle, at most %d MiB, %d descriptors at most", idle>>20, most.memory>>20, most.descriptors)
	for _, f := range floods {
		t.Logf("%6d rounds of %s", rounds[f.name], f.name)
		if rounds[f.name] == 0 && siege > hold {
			t.Errorf("the flood of %s did nothing", f.name)
		}
	}
	for _, call := range calls {
		t.Logf("%-8s quiet %v, flooded %v", call, before[call], during[call])
		if allowed := max(3*before[call].P99, 50*time.Millisecond); length != "" && during[call].P99 > allowed {
			t.Errorf("%s: 99th percentile %v, limit %v", call, during[call].P99, allowed)
		}
	}
	if most.memory > memory {
		t.Errorf("the host used %d MiB of %d", most.memory>>20, memory>>20)
	}
	h.drain(t, cancel)
	if length != "" {
		settled(t, host, idle)
	}
}

// account creates a main node with an agent on the map.
func account(t *testing.T, host *hostprocess.Host, key, name string) (main, agent hostprocess.Node, sid string) {
	t.Helper()
	made := hostprocess.NewAccount(t, host, key, name, 1)
	main, agent = made.Main, made.Agents[0]
	var session struct {
		SID string `json:"sid"`
	}
	main.Must(t, host, hostprocess.Request{Method: http.MethodGet, Path: protocol.ServicePlay.Session()}, &session)
	agent.Must(t, host, hostprocess.Request{
		Method: http.MethodPost, Path: protocol.ServicePlay.Players() + "?sid=" + session.SID, Body: map[string]any{
			"name": name, "type": "test", "agentId": agent.ID,
			"agent": map[string]any{"type": "test", "toolNames": []string{"chat_tool"}},
		},
	}, nil)
	return main, agent, session.SID
}

// longHistory makes the lists as long as the attacker is allowed to.
func longHistory(t *testing.T, a *attack) {
	t.Helper()
	for range 120 {
		if err := journeys(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
}

// drain waits until the stream has received all writes, and ends it.
func (h *honest) drain(t *testing.T, cancel context.CancelFunc) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for h.missed() != nil {
		select {
		case <-limit:
			t.Errorf("the honest client's stream: %v", h.missed())
			cancel()
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	cancel()
	<-h.listened
}
