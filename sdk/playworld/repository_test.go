package playworld_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// table stands for a table of a database.
type table struct {
	mu          sync.Mutex
	rows        map[string][]byte
	unavailable bool // while it can be neither read nor written
	// refused has a value once a Save has failed.
	refused chan struct{}
}

var errUnavailable = errors.New("the database is unavailable")

func (t *table) Load(context.Context) iter.Seq2[playworld.Record, error] {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows, unavailable := maps.Clone(t.rows), t.unavailable
	return func(yield func(playworld.Record, error) bool) {
		if unavailable {
			yield(playworld.Record{}, errUnavailable)
			return
		}
		for key, value := range rows {
			if !yield(playworld.Record{Key: []byte(key), Value: value}, nil) {
				return
			}
		}
	}
}

func (t *table) Save(_ context.Context, changes []playworld.Record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unavailable {
		select {
		case t.refused <- struct{}{}:
		default:
		}
		return errUnavailable
	}
	if t.rows == nil {
		t.rows = map[string][]byte{}
	}
	for _, c := range changes {
		if c.Value == nil {
			delete(t.rows, string(c.Key))
		} else {
			t.rows[string(c.Key)] = bytes.Clone(c.Value)
		}
	}
	return nil
}

func (t *table) set(unavailable bool) { t.mu.Lock(); defer t.mu.Unlock(); t.unavailable = unavailable }

// A world in a program's repository is the same world when it is opened again, with its
// nodes, keys and rows.
func TestWorldInRepositoryIsKept(t *testing.T) {
	rows := &table{}
	options := playworld.Options{Repository: rows, RootKey: strings.Repeat("0f", 32)}
	first := open(t, options)
	node, err := sdk.NewNodeCredentials(sdk.GenerateNodePassphrase(), first.RootKey())
	if err != nil {
		t.Fatal(err)
	}
	key, err := sdk.CreateMainNode(t.Context(), sdk.MainNodeOptions{Options: sdk.Options{
		BaseURL: first.BaseURL(), Transport: first.Transport(), MainNodeCredentials: node,
	}})
	if err != nil {
		t.Fatal(err)
	}
	join := func(w *playworld.PlayWorld) *sdk.RemotePlayWorld {
		account, err := sdk.New(sdk.Options{BaseURL: w.BaseURL(), Transport: w.Transport(), APIKey: key, MainNodeCredentials: node})
		if err != nil {
			t.Fatal(err)
		}
		return account
	}
	account := join(first)
	if _, err := account.RegisterMCP(t.Context(), sdk.MCP{Name: "tools"}); err != nil {
		t.Fatal(err)
	}
	before, err := first.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(account.Close(t.Context()), first.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	second := open(t, options)
	after, err := second.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if after.Root() != before.Root() || after.SID() != before.SID() || len(after.MCPServers()) != 1 {
		t.Errorf("root %s and sid %s became %s and %s", before.Root(), before.SID(), after.Root(), after.SID())
	}
	again := join(second)
	if _, err := again.Connect(t.Context()); err != nil {
		t.Errorf("the account is unknown: %v", err)
	}
	if err := again.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// While the repository is unavailable nothing is acknowledged; acknowledged changes are
// there afterward.
func TestUnavailableRepository(t *testing.T) {
	rows := &table{refused: make(chan struct{}, 1)}
	options := playworld.Options{Repository: rows, RootKey: "key", NoRepository: true}
	w := open(t, options)
	account, err := w.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.RegisterMCP(t.Context(), sdk.MCP{Name: "before"}); err != nil {
		t.Fatal(err)
	}
	rows.set(true)
	if _, err := playworld.New(t.Context(), options); !errors.Is(err, errUnavailable) {
		t.Errorf("New with an unavailable repository: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan error)
	go func() {
		_, err := account.RegisterMCP(ctx, sdk.MCP{Name: "away"})
		answered <- err
	}()
	<-rows.refused
	cancel()
	if err := <-answered; err == nil {
		t.Error("a change that was not saved is acknowledged")
	}
	rows.set(false)
	if _, err := account.RegisterMCP(t.Context(), sdk.MCP{Name: "after"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := open(t, options).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, server := range after.MCPServers() {
		names[server.Name] = true
	}
	if len(names) != 2 || !names["before"] || !names["after"] {
		t.Errorf("the placements are %v", names)
	}
}
