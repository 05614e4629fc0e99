package world

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/protocol"
)

// BenchmarkRecordInteraction measures the engine alone: with the memory store the
// cost of a command, with the bolt store the cost of a durable one.
func BenchmarkRecordInteraction(b *testing.B) {
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprintf("memory/clients=%d", clients), func(b *testing.B) {
			benchLines(b, memory.Open(store.DefaultRetention()), clients)
		})
		b.Run(fmt.Sprintf("bolt/clients=%d", clients), func(b *testing.B) {
			benchLines(b, openBolt(b), clients)
		})
	}
}

func benchLines(b *testing.B, journal store.Journal, clients int) {
	c := newClock()
	w := openFor(b, c, journal)
	defer func() {
		closeWorld(b, w)
		if err := journal.Close(); err != nil {
			b.Error(err)
		}
	}()
	do := func(caller string, command Command) {
		if _, err := w.Do(context.Background(), Request{Caller: Caller{NodeID: caller}}, command); err != nil {
			b.Error(err)
		}
	}
	owner := id("owner")
	do("", CreateMainNode{NodeID: owner, Digest: sha256.Sum256(nil)})
	agents := make([]string, 64)
	for i := range agents {
		agents[i] = id(fmt.Sprint("agent", i))
		do(owner, CreateAgentNode{AgentNodeID: agents[i]})
		do(owner, registration(agents[i]))
	}
	text := string(make([]byte, 0, 200))
	for range 200 {
		text += string(rune('a' + rand.IntN(26)))
	}
	var next atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(max(1, clients/2))
	b.ResetTimer()
	if clients == 1 {
		for range b.N {
			do(agents[0], line(agents[0], text))
		}
		return
	}
	b.RunParallel(func(pb *testing.PB) {
		a := agents[next.Add(1)%64]
		for pb.Next() {
			do(a, line(a, text))
		}
	})
}

// BenchmarkChange measures one change of an occupant with n others on the map.
func BenchmarkChange(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprintf("occupants=%d", n), func(b *testing.B) { benchChange(b, n) })
	}
}

func benchChange(b *testing.B, n int) {
	c := newClock()
	w, err := Open(context.Background(), Options{
		Journal: memory.Open(store.DefaultRetention()), RootKey: testRootKey, Now: c.Now,
		Random: rand.NewChaCha8([32]byte{7}), NoRepository: true, Limits: Limits{Occupants: n},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer closeWorld(b, w)
	for i := range n {
		if _, err := w.Do(context.Background(), Request{}, registration(id(fmt.Sprint(i)))); err != nil {
			b.Fatal(err)
		}
	}
	change := registration(id(fmt.Sprint(n / 2)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		change.Name = "name" + fmt.Sprint(i%10)
		if _, err := w.Do(context.Background(), Request{}, change); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkActivity measures a change of the activity in rows of several sizes, up to one
// with tools of 64 KiB and a journey of 128 KiB, which a row has twice: with its path.
func BenchmarkActivity(b *testing.B) {
	for _, of := range []struct{ tools, journey int }{{0, 0}, {8 << 10, 12 << 10}, {64 << 10, 128 << 10}} {
		for name, open := range map[string]func(b *testing.B) store.Journal{
			"memory": func(*testing.B) store.Journal { return memory.Open(store.DefaultRetention()) },
			"bolt":   openBolt,
		} {
			b.Run(fmt.Sprintf("%s/tools=%d/journey=%d", name, of.tools, of.journey), func(b *testing.B) { benchActivity(b, open(b), of.tools, of.journey) })
		}
	}
}

// journeyOfCalls returns a journey of about n bytes, in calls of tools.
func journeyOfCalls(playerID string, n int) RecordJourney {
	r := journey(playerID)
	args := json.RawMessage(`{"path":"internal/world/activity.go","old":"` + strings.Repeat("a line ", 12) + `","new":"","all":false,"lines":[12,34]}`)
	step := protocol.JourneyStep{
		Type: protocol.StepStructure, ToolName: "edit", ToolCallID: "call_0123456789", Args: args, Result: json.RawMessage(`{"ok":true}`),
	}
	for range n / (len(args) + 130) {
		r.Journey.Steps = append(r.Journey.Steps, step)
	}
	return r
}

func openBolt(b *testing.B) store.Journal {
	b.Helper()
	j, err := bolt.Open(b.Context(), bolt.Options{
		Path: filepath.Join(b.TempDir(), "world.db"), RootKey: testRootKey, Retention: store.DefaultRetention(),
	})
	if err != nil {
		b.Fatal(err)
	}
	return j
}

func benchActivity(b *testing.B, journal store.Journal, tools, journeyBytes int) {
	c := newClock()
	w, err := Open(context.Background(), Options{
		Journal: journal, RootKey: testRootKey, Now: c.Now, Random: rand.NewChaCha8([32]byte{7}), NoRepository: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		closeWorld(b, w)
		if err := journal.Close(); err != nil {
			b.Error(err)
		}
	}()
	a := id("agent")
	r := registration(a)
	if tools > 0 {
		r.Agent.AssistTools = []protocol.AssistTool{{
			Name: "assist_find", Parameters: fmt.Appendf(nil, `{"x":%q}`, strings.Repeat("x", tools-100)),
		}}
	}
	commands := []Command{r}
	if journeyBytes > 0 {
		commands = append(commands, journeyOfCalls(a, journeyBytes))
	}
	for _, command := range commands {
		if _, err := w.Do(context.Background(), Request{}, command); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	act := func() {
		n++
		c.Advance(time.Minute)
		if _, err := w.Do(context.Background(), Request{}, acting(a, protocol.ActivityWorking, fmt.Sprint("Editing file ", n%10))); err != nil {
			b.Fatal(err)
		}
	}
	act()
	before, _ := w.JournalBytes()
	act()
	after, _ := w.JournalBytes()
	events, _, err := w.Events().Since(w.Events().Head()-1, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		act()
	}
	b.ReportMetric(float64(after-before), "journal-B")
	b.ReportMetric(float64(len(events[0].frame)), "frame-B")
	b.ReportMetric(float64(len(inlineFrame(events[0]))), "inline-B")
}

// BenchmarkOpen recovers a world with n occupants that were all just registered,
// with a map record for each.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("occupants=%d", n), func(b *testing.B) {
			options := Options{
				Journal: memory.Open(store.DefaultRetention()), RootKey: testRootKey, Now: newClock().Now,
				Random: rand.NewChaCha8([32]byte{7}), NoRepository: true, Limits: Limits{Occupants: n},
			}
			w, err := Open(context.Background(), options)
			if err != nil {
				b.Fatal(err)
			}
			for i := range n {
				if _, err := w.Do(context.Background(), Request{}, registration(id(fmt.Sprint(i)))); err != nil {
					b.Fatal(err)
				}
			}
			// No checkpoint at the end, as after a crash.
			defer closeWorld(b, w)
			b.ReportAllocs()
			for b.Loop() {
				again, err := Open(context.Background(), options)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				closeWorld(b, again)
				b.StartTimer()
			}
		})
	}
}

// BenchmarkLongSnapshot reads a map of 4 MiB, of which each reader gets a copy:
// once with the output discarded, which measures the copying alone, and once over a
// loopback connection.
func BenchmarkLongSnapshot(b *testing.B) {
	c := newClock()
	w, err := Open(context.Background(), Options{
		Journal: memory.Open(store.DefaultRetention()), RootKey: testRootKey, Now: c.Now, Random: rand.NewChaCha8([32]byte{7}), NoRepository: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer closeWorld(b, w)
	for i := range 40 {
		agent := id(fmt.Sprint(i))
		for _, command := range []Command{registration(agent), longJourney(agent, 100<<10)} {
			if _, err := w.Do(context.Background(), Request{}, command); err != nil {
				b.Fatal(err)
			}
		}
	}
	reader, writer := loopback(b)
	go func() { _, _ = io.Copy(io.Discard, reader) }() // until the benchmark closes it
	for name, to := range map[string]io.Writer{"discard": io.Discard, "loopback": writer} {
		b.Run(name, func(b *testing.B) {
			text := w.View().Snapshot()
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := text.WriteTo(to); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// loopback returns both ends of a loopback connection.
func loopback(b *testing.B) (reader, writer net.Conn) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if writer, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		b.Fatal(err)
	}
	if reader, err = listener.Accept(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = reader.Close(), writer.Close() })
	return reader, writer
}
