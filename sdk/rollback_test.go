package sdk_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// records is a repository in memory, of which an older copy can be put in place.
type records map[string][]byte

func (r records) Load(context.Context) iter.Seq2[playworld.Record, error] {
	return func(yield func(playworld.Record, error) bool) {
		for key, value := range r {
			if !yield(playworld.Record{Key: []byte(key), Value: value}, nil) {
				return
			}
		}
	}
}

func (r records) Save(_ context.Context, changes []playworld.Record) error {
	for _, c := range changes {
		if c.Value == nil {
			delete(r, string(c.Key))
		} else {
			r[string(c.Key)] = bytes.Clone(c.Value)
		}
	}
	return nil
}

// openStored opens a host whose world is in a repository.
func openStored(t *testing.T, r records) *playworld.PlayWorld {
	t.Helper()
	host, err := playworld.New(context.Background(), playworld.Options{Repository: r, RootKey: strings.Repeat("5e", 32), NoRepository: true, AdminToken: protocol.NewSecret(adminToken)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close(context.Background()) })
	return host
}

// wentBack returns the reports of a host that went back.
func (f *follower) wentBack() []*sdk.WentBackError {
	var all []*sdk.WentBackError
	for _, err := range f.errors() {
		if back, ok := errors.AsType[*sdk.WentBackError](err); ok {
			all = append(all, back)
		}
	}
	return all
}

// checkRollbacks checks that each report was counted, and that there is the given number.
func (f *follower) checkRollbacks(want int) {
	f.t.Helper()
	if got := f.wentBack(); len(got) != want || f.sub.State().Stats.Rollbacks != uint64(want) {
		f.t.Errorf("reported %v, counted %d, want %d of each; errors %v", got, f.sub.State().Stats.Rollbacks, want, f.errors())
	}
}

// An older copy of a world's store is put in place while the world is followed. That is
// reported once, whatever was recorded in the store before the follower is back, and the
// copy follows the world as it is now.
func TestOlderStoreIsReported(t *testing.T) {
	const equal = "as much was recorded since"
	for name, later := range map[string]func(t *testing.T, w *sdk.RemotePlayWorld){
		"nothing was recorded since":           func(*testing.T, *sdk.RemotePlayWorld) {},
		"a few chat lines were recorded since": func(t *testing.T, w *sdk.RemotePlayWorld) { say(t, w, "ada", 1) },
		"only chat lines were recorded since":  func(t *testing.T, w *sdk.RemotePlayWorld) { say(t, w, "ada", 20) },
		"less was recorded since": func(t *testing.T, w *sdk.RemotePlayWorld) {
			addAgent(t, w, "mallory", nil)
		},
		equal: func(t *testing.T, w *sdk.RemotePlayWorld) {
			for _, id := range []string{"mallory", "trudy", "eve"} {
				addAgent(t, w, id, nil)
			}
		},
		"more was recorded since": func(t *testing.T, w *sdk.RemotePlayWorld) {
			for _, id := range []string{"mallory", "trudy", "eve", "oscar", "peggy"} {
				addAgent(t, w, id, nil)
			}
		},
		"more chat lines were recorded since": func(t *testing.T, w *sdk.RemotePlayWorld) {
			addAgent(t, w, "mallory", nil)
			say(t, w, "mallory", 8)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stored := records{}
				first := openStored(t, stored)
				world := openWorld(t, first, nil)
				addAgent(t, world, "ada", nil)
				synctest.Wait()
				older := maps.Clone(stored)
				transport := &switchable{target: first.Transport()}
				f := follow(t, first, &rewriter{next: transport}, nil)
				for _, id := range []string{"bob", "carol", "dave"} {
					addAgent(t, world, id, nil)
				}
				f.checkEqual()
				transport.set(roundTrip(unreachable))
				if err := first.Close(context.Background()); err != nil {
					t.Fatal(err)
				}
				second := openStored(t, older)
				world = openWorld(t, second, nil)
				later(t, world)
				transport.set(second.Transport())
				wait(t, 20*time.Second) // the end of an agent's lease would be another event
				f.host = second
				if name != equal { // the next event shows it
					f.checkEqual()
					f.checkRollbacks(1)
				}
				addAgent(t, world, "zoe", nil)
				wait(t, time.Minute)
				f.checkEqual()
				f.checkRollbacks(1)
			})
		})
	}
}

// say records chat lines of an agent.
func say(t *testing.T, w *sdk.RemotePlayWorld, id string, lines int) {
	t.Helper()
	for range lines {
		if _, err := w.RecordInteraction(t.Context(), protocol.RecordInteractionRequest{PlayerID: id, Role: protocol.RoleAssistant, Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
}

// A host that restarts with its own store, that resets its session, or that does not
// resume, did not go back.
func TestRestartIsNoRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stored := records{}
		first := openStored(t, stored)
		addAgent(t, openWorld(t, first, nil), "ada", nil)
		transport := &switchable{target: first.Transport()}
		f := follow(t, first, &rewriter{next: transport}, nil)
		transport.set(roundTrip(unreachable))
		if err := first.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		second := openStored(t, stored)
		transport.set(second.Transport())
		wait(t, time.Minute)
		reset(t, second)
		f.host = second
		addAgent(t, openWorld(t, second, nil), "bob", nil)
		wait(t, time.Minute)
		f.checkEqual()
		f.checkRollbacks(0)
	})
}

// A host states another root for a rev than before, in an event that changes nothing.
func TestSecondRootOfRevIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var sendWrong atomic.Bool
		f := follow(t, host, &rewriter{event: func(_ string, data map[string]any) {
			if sendWrong.Load() {
				data["merkleRootHex"] = wrongRoot
			}
		}}, nil)
		ada := addAgent(t, openWorld(t, host, nil), "ada", nil)
		f.checkEqual()
		for _, wrong := range []bool{true, false} {
			sendWrong.Store(wrong)
			if _, err := ada.Say(t.Context(), "hello"); err != nil {
				t.Fatal(err)
			}
			wait(t, time.Minute)
		}
		f.checkEqual()
		f.checkRollbacks(1)
	})
}

// The snapshots of a host stay below what its stream has stated: at first they may only be
// late, later they are reported once.
func TestSnapshotThatStaysBelowIsReported(t *testing.T) {
	for name, change := range map[string]func(snapshot map[string]any){
		"the events": func(snapshot map[string]any) { snapshot["seq"] = 1 },
		"the rev":    func(snapshot map[string]any) { snapshot["rev"] = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				w := openWorld(t, host, nil)
				addAgent(t, w, "ada", nil)
				var reads, wrong atomic.Int64
				f := follow(t, host, &rewriter{rpc: func(op protocol.Op, reply map[string]any) {
					if op == protocol.OpGetWorldSnapshot && reads.Add(1) <= wrong.Load() {
						change(reply["snapshot"].(map[string]any))
					}
				}, event: func(_ string, data map[string]any) {
					if wrong.Load() > 0 {
						data["merkleLeafCount"] = 7 // this makes the follower read a snapshot
					}
				}}, nil)
				addAgent(t, w, "bob", nil)
				f.checkEqual()
				for _, late := range []int64{4, 50} {
					reads.Store(0)
					wrong.Store(late)
					addAgent(t, w, "carol"+strings.Repeat("l", int(late)), nil)
					wait(t, 10*time.Minute)
					wrong.Store(0)
					wait(t, 10*time.Minute)
					f.checkEqual()
					f.checkRollbacks(map[int64]int{4: 0, 50: 1}[late])
				}
				if !slices.ContainsFunc(f.errors(), func(err error) bool { return strings.Contains(err.Error(), "the snapshot is of") }) {
					t.Errorf("errors %v", f.errors())
				}
			})
		})
	}
}
