package world_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// liveEntries creates a few events of every kind, with and without a notify, for a small
// audience, and the end of a session, and returns their entries. The clock is
// stopped and ids are always the same.
func liveEntries(t *testing.T) (entries []store.Entry) {
	t.Helper()
	ctx := context.Background()
	journal := memory.Open(store.DefaultRetention())
	now := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	w, err := world.Open(ctx, world.Options{
		Journal: journal, RootKey: strings.Repeat("ab", 32), NoRepository: true,
		Now: func() time.Time { return now }, Random: rand.NewChaCha8([32]byte{1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.Close(ctx), journal.Close()); err != nil {
			t.Error(err)
		}
	})
	after, err := journal.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		if _, err := w.Do(ctx, world.Request{Caller: world.Caller{NodeID: "owner", Admin: true}}, c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
	for e, err := range journal.Read(ctx, after) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

func commands() []world.Command {
	return []world.Command{
		world.Register{RegisterRequest: protocol.RegisterRequest{
			Name: "Ada & <Co>", Type: "test", AgentID: "ada", MainNodeID: "owner", EnableP2A: protocol.P2AOff,
			LeaseTTLSeconds: protocol.DefaultLeaseTTLSeconds,
			Agent:           protocol.AgentSpec{Type: "test", ToolNames: []string{protocol.ChatTool}},
		}},
		world.RecordActivity{RecordActivityRequest: protocol.RecordActivityRequest{
			PlayerID: "ada", State: protocol.ActivityWorking, Text: "Editing <a> & b", Usage: &protocol.Usage{CostUSD: new(0.1)},
		}},
		world.RecordInteraction{RecordInteractionRequest: protocol.RecordInteractionRequest{
			PlayerID: "ada", Role: protocol.RoleUser, Text: "hello\nworld",
		}},
		world.IntercomCommand{IntercomCommand: protocol.IntercomCommand{
			RequestID: "r1", MainNodeID: "owner", FromPlayerID: "__human__", ToPlayerID: "ada", Kind: "chat", Text: "psst",
		}},
		world.ResetSession{Reason: "admin"},
	}
}

func TestEnvelopes(t *testing.T) {
	var lines [][]byte
	for _, e := range liveEntries(t) {
		lines = append(lines, world.Envelopes(&e)...)
	}
	got := append(bytes.Join(lines, []byte("\n")), '\n')
	if bytes.Contains(got, []byte("psst")) {
		t.Error("an event with an audience was published")
	}
	const golden = "testdata/envelopes.ndjson"
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Error(cmp.Diff(string(want), string(got)))
	}
}

// An envelope has the same bytes as the JSON of the protocol's type.
func TestEnvelopesMatchProtocolType(t *testing.T) {
	for _, e := range liveEntries(t) {
		for _, envelope := range world.Envelopes(&e) {
			var decoded protocol.FanoutEnvelope
			if err := protocol.Decode(envelope, &decoded); err != nil {
				t.Fatalf("%v: %s", err, envelope)
			}
			var again bytes.Buffer
			encoder := json.NewEncoder(&again)
			encoder.SetEscapeHTML(false) // Streams send JSON without HTML escapes.
			if err := encoder.Encode(decoded); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(again.String(), string(envelope)+"\n"); diff != "" {
				t.Error(diff)
			}
		}
	}
}
