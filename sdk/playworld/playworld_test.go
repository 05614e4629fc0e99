package playworld_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

func open(t *testing.T, options playworld.Options) *playworld.PlayWorld {
	t.Helper()
	w, err := playworld.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(context.Background()); err != nil {
			t.Errorf("close the world: %v", err)
		}
	})
	return w
}

func TestNewChecksItsOptions(t *testing.T) {
	for name, options := range map[string]playworld.Options{
		"a store without a root key": {Path: filepath.Join(t.TempDir(), "w")},
		"an unknown registration":    {Registration: "ajar"},
		"an unused token":            {RegistrationToken: protocol.NewSecret("t")},
		"a missing token":            {Registration: "token"},
		"an unknown policy":          {APIKeys: "sometimes"},
	} {
		if w, err := playworld.New(t.Context(), options); err == nil {
			t.Errorf("New accepts %s", name)
			_ = w.Close(t.Context())
		}
	}
}

// A world in a file is the same world when it is opened again.
func TestWorldInFileIsKept(t *testing.T) {
	options := playworld.Options{
		Path: filepath.Join(t.TempDir(), "world"), RootKey: strings.Repeat("0f", 32), NoRepository: true,
	}
	first := open(t, options)
	account, err := first.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.RegisterMCP(t.Context(), sdk.MCP{Name: "tools", URL: "https://example.org/mcp"}); err != nil {
		t.Fatal(err)
	}
	before, err := first.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	if _, err := first.Join(t.Context()); err == nil {
		t.Error("a closed world accepts a program")
	}
	after, err := open(t, options).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if after.Root() != before.Root() || after.SID() != before.SID() || len(after.MCPServers()) != 1 {
		t.Errorf("root %s and sid %s became %s and %s", before.Root(), before.SID(), after.Root(), after.SID())
	}
}

// Others reach the world through its handler; they see what the program does.
func TestHandlerServesSameWorld(t *testing.T) {
	w := open(t, playworld.Options{NoRepository: true})
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	inside, err := w.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inside.RegisterMCP(t.Context(), sdk.MCP{Name: "tools"}); err != nil {
		t.Fatal(err)
	}
	outside, err := sdk.New(sdk.Options{BaseURL: server.URL, APIKey: protocol.NewSecret("none")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = outside.Close(context.Background()) }()
	theirs, err := outside.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if theirs.Root() != ours.Root() || len(theirs.MCPServers()) != 1 {
		t.Errorf("outside %s, inside %s", theirs.Root(), ours.Root())
	}
}

// A stream of events arrives as it is written, and ends with its reader.
func TestStreamsWithoutNetwork(t *testing.T) {
	w := open(t, playworld.Options{NoRepository: true})
	plain := &http.Client{Transport: w.Transport()}
	account, err := w.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session, err := account.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.BaseURL()+protocol.ServicePlay.Events()+"?sid="+session.SID, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := plain.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.RegisterMCP(t.Context(), sdk.MCP{Name: "tools"}); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	for buffer := make([]byte, 64); !strings.Contains(seen.String(), string(protocol.EventMCPRegistered)); {
		n, err := response.Body.Read(buffer)
		if err != nil {
			t.Fatalf("after %q: %v", seen.String(), err)
		}
		seen.Write(buffer[:n])
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := response.Body.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a closed body reads: %v", err)
	}
}

func TestClosedWorldRefusesRequests(t *testing.T) {
	w := open(t, playworld.Options{NoRepository: true})
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.BaseURL()+protocol.PathHealth, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: w.Transport()}).Do(request)
	if !errors.Is(err, playworld.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err == nil {
		_ = response.Body.Close()
	}
}

// A root key is the same in capitals, in every script: what a program derives
// from it is what the host compares.
func TestUpperCaseRootKey(t *testing.T) {
	w := open(t, playworld.Options{RootKey: " οδος "})
	node, err := sdk.NewNodeCredentials(sdk.GenerateNodePassphrase(), "ΟΔΟΣ")
	if err != nil {
		t.Fatal(err)
	}
	options := sdk.MainNodeOptions{Options: sdk.Options{BaseURL: w.BaseURL(), Transport: w.Transport(), MainNodeCredentials: node}}
	if _, err := sdk.CreateMainNode(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	hash, err := creds.ParsePasswHash(node.PasswHash.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Options{
		BaseURL: w.BaseURL(), Transport: w.Transport(), Credentials: client.Credentials{NodeID: node.NodeID, Hash: hash},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, rootKey := range []string{"ΟΔΟΣ", "οδος", "\u3000Οδος"} {
		reply, err := c.ValidateNode(t.Context(), protocol.ValidateRequest{NodeID: node.NodeID, RootKey: rootKey})
		if err != nil || !reply.OK {
			t.Errorf("the root key %q: %+v, %v", rootKey, reply, err)
		}
	}
	reply, err := c.ValidateNode(t.Context(), protocol.ValidateRequest{NodeID: node.NodeID, RootKey: "οδοσ"})
	if err != nil || reply.Reason != protocol.ReasonDerivativeMismatch {
		t.Errorf("another root key: %+v, %v", reply, err)
	}
}

// The bridge gets what happens, and a URL that is none is refused.
func TestBridge(t *testing.T) {
	posted := make(chan string, 64)
	bridge := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		posted <- r.URL.Path + " " + string(body)
	}))
	t.Cleanup(bridge.Close)
	account, err := open(t, playworld.Options{NoRepository: true, BridgeURL: bridge.URL + "/world"}).Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.RegisterMCP(t.Context(), sdk.MCP{Name: "tools"}); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-posted:
		if !strings.HasPrefix(got, "/world/events ") || !strings.Contains(got, "world:mcp_registered") {
			t.Errorf("the bridge got %s", got)
		}
	case <-t.Context().Done():
		t.Fatal("the bridge got nothing")
	}
	if _, err := playworld.New(t.Context(), playworld.Options{BridgeURL: "ftp://example.com"}); err == nil || !strings.Contains(err.Error(), "BridgeURL") {
		t.Errorf("an invalid BridgeURL: %v", err)
	}
}

// A program makes spaces and reads what the chain says of them.
func TestSpacesAndChainNodes(t *testing.T) {
	world := open(t, playworld.Options{})
	account, err := world.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	space, err := account.RegisterSpaceNode(t.Context(), &protocol.RegisterSpaceRequest{
		Name: "Shop", DesignKey: "d", Owner: protocol.SpaceOwnerRequest{DisplayName: "Ada"}, Amenities: protocol.List[string]{string(protocol.AmenityShop)},
	})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := account.GetPlayerChainNode(t.Context(), "space:"+space.ID)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Rev == nil || reply.Node.Removed || !strings.Contains(string(reply.Node.Space), `"Shop"`) {
		t.Errorf("the node of the space is %#v", reply)
	}
	if _, err := account.GetPlayerChainNode(t.Context(), "nonsense"); !protocol.HasCode(err, protocol.CodeStableKeyUnknown) {
		t.Errorf("a key that names nothing: %v", err)
	}
}
