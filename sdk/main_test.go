package sdk_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const adminToken = "pt_administrator"

// switchable is a transport whose target a test can change, to replace or break a host.
type switchable struct {
	mu     sync.Mutex
	target http.RoundTripper
}

func (e *switchable) set(target http.RoundTripper) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.target = target
}

func (e *switchable) RoundTrip(r *http.Request) (*http.Response, error) {
	e.mu.Lock()
	target := e.target
	e.mu.Unlock()
	return target.RoundTrip(r)
}

// roundTrip implements a transport with a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var errUnreachable = errors.New("the test's host is unreachable")

func unreachable(*http.Request) (*http.Response, error) { return nil, errUnreachable }

// openHost runs a real host in this process, without credentials, so that it can
// run in a test's bubble.
func openHost(t *testing.T) *playworld.PlayWorld {
	t.Helper()
	host, err := playworld.New(context.Background(), playworld.Options{NoRepository: true, AdminToken: protocol.NewSecret(adminToken)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(context.Background()); err != nil {
			t.Errorf("close the host: %v", err)
		}
	})
	return host
}

// openWorld opens a client's world at a host; change may be nil.
func openWorld(t *testing.T, host *playworld.PlayWorld, change func(*sdk.Options)) *sdk.RemotePlayWorld {
	t.Helper()
	options := sdk.Options{
		BaseURL: host.BaseURL(), Transport: host.Transport(), APIKey: protocol.NewSecret("none"), Logger: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&options)
	}
	w, err := sdk.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

// reset starts a new session, as the administrator.
func reset(t *testing.T, host *playworld.PlayWorld) {
	t.Helper()
	c, err := client.New(client.Options{
		BaseURL: host.BaseURL(), Transport: host.Transport(), AdminToken: protocol.NewSecret(adminToken),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ResetSession(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func tools(t *testing.T) *sdk.FrameworkRegistration {
	t.Helper()
	r, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: protocol.ChatTool}, sdk.Tool{Name: "assist_greet"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func addAgent(t *testing.T, w *sdk.RemotePlayWorld, id string, change func(*sdk.AgentOptions)) *sdk.Agent {
	t.Helper()
	options := sdk.AgentOptions{AgentID: id, Name: "Agent " + id, Tools: tools(t)}
	if change != nil {
		change(&options)
	}
	a, err := w.AddAgent(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// agentsOn lists the ids of the agents on a host's map.
func agentsOn(t *testing.T, host *playworld.PlayWorld) map[string]*protocol.Agent {
	t.Helper()
	snapshot, err := host.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*protocol.Agent{}
	for o := range snapshot.Occupants() {
		if a, ok := o.(*protocol.Agent); ok {
			found[a.AgentID] = a
		}
	}
	return found
}

// account is a main node with agent nodes at a host that checks credentials.
type account struct {
	host   *playworld.PlayWorld
	main   *sdk.NodeCredentials
	apiKey protocol.Secret
	agents []*sdk.NodeCredentials
}

func (a *account) options() sdk.Options {
	return sdk.Options{
		BaseURL: a.host.BaseURL(), Transport: a.host.Transport(), APIKey: a.apiKey, MainNodeCredentials: a.main,
		Logger: slog.New(slog.DiscardHandler),
	}
}

// prepared are stores with one account each, by the account's number of agent
// nodes. Deriving a node id is slow, for its creator and again for the host, so it
// is done once for all tests, which open copies.
var prepared struct {
	sync.Mutex
	nodes  []*sdk.NodeCredentials
	stores []preparedStore
}

type preparedStore struct {
	file   []byte
	apiKey protocol.Secret
}

var accountsRootKey = strings.Repeat("ac", 32)

// openAccount opens a world in a folder with an account with the given number of
// agent nodes.
func openAccount(ctx context.Context, folder string, agents int) (*account, error) {
	file := filepath.Join(folder, "world")
	nodes, store, err := preparedAccount(ctx, file, agents)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, store.file, 0o600); err != nil {
		return nil, err
	}
	host, err := playworld.New(ctx, playworld.Options{Path: file, RootKey: accountsRootKey})
	if err != nil {
		return nil, err
	}
	a := &account{host: host, apiKey: store.apiKey}
	for _, node := range nodes {
		a.agents = append(a.agents, new(*node))
	}
	a.main, a.agents = a.agents[0], a.agents[1:]
	return a, nil
}

// preparedNode returns a copy of a prepared node that is not in a store with that
// many agent nodes.
func preparedNode(n int) (*sdk.NodeCredentials, error) {
	prepared.Lock()
	defer prepared.Unlock()
	if err := prepareNodes(n); err != nil {
		return nil, err
	}
	return new(*prepared.nodes[n]), nil
}

// prepareNodes creates the nodes up to the nth. The lock is held.
func prepareNodes(n int) error {
	for len(prepared.nodes) <= n {
		node, err := sdk.NewNodeCredentials(sdk.GenerateNodePassphrase(), accountsRootKey)
		if err != nil {
			return err
		}
		prepared.nodes = append(prepared.nodes, node)
	}
	return nil
}

// preparedAccount returns a store and its nodes, the main node first. The store is
// created at the path.
func preparedAccount(ctx context.Context, path string, agents int) ([]*sdk.NodeCredentials, preparedStore, error) {
	prepared.Lock()
	defer prepared.Unlock()
	if err := prepareNodes(agents); err != nil {
		return nil, preparedStore{}, err
	}
	for n := len(prepared.stores); n <= agents; n++ {
		store, err := prepareStore(ctx, path, n)
		if err != nil {
			return nil, preparedStore{}, err
		}
		prepared.stores = append(prepared.stores, store)
	}
	return prepared.nodes[:agents+1], prepared.stores[agents], nil
}

// prepareStore creates an account of the first prepared nodes in a store, or adds
// one agent node to a copy of the previous store.
func prepareStore(ctx context.Context, path string, agents int) (made preparedStore, err error) {
	if agents > 0 {
		made = prepared.stores[agents-1]
		if err := os.WriteFile(path, made.file, 0o600); err != nil { //nolint:gosec // the test's own path
			return made, err
		}
	}
	host, err := playworld.New(ctx, playworld.Options{Path: path, RootKey: accountsRootKey})
	if err != nil {
		return made, err
	}
	defer func() { _ = host.Close(ctx) }()
	a := &account{host: host, main: prepared.nodes[0], apiKey: made.apiKey}
	if agents == 0 {
		made.apiKey, err = sdk.CreateMainNode(ctx, sdk.MainNodeOptions{Options: a.options()})
	} else {
		err = createAgentNode(ctx, a, prepared.nodes[agents])
	}
	if err := errors.Join(err, host.Close(ctx)); err != nil {
		return made, err
	}
	made.file, err = os.ReadFile(path)
	return made, err
}

func createAgentNode(ctx context.Context, a *account, node *sdk.NodeCredentials) error {
	w, err := sdk.New(a.options())
	if err != nil {
		return err
	}
	return errors.Join(w.CreateAgentNode(ctx, node), w.Close(ctx))
}

func newAccount(t *testing.T, agents int) *account {
	t.Helper()
	a, err := openAccount(t.Context(), t.TempDir(), agents)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.host.Close(context.Background()); err != nil {
			t.Errorf("close the host: %v", err)
		}
	})
	return a
}

func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}
