package world

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

const ada, bob = "viewer:ada", "viewer:bob"

// putPerson returns a command that puts a person on a cell.
func putPerson(name string, x, y int) PutPerson {
	return PutPerson{protocol.PersonRequest{Name: name, X: x, Y: y, LeaseTTLSeconds: 10}}
}

// personAction returns an action of a viewer's person toward another player.
func personAction(viewer, to, action string) ProximityAction {
	return ProximityAction{protocol.ProximityActionRequest{FromPlayerID: personID(viewer), ToPlayerID: to, Action: action}}
}

// doAsViewer runs a command for a viewer.
func doAsViewer(w *World, viewer string, c Command) (Reply, error) {
	return w.Do(context.Background(), Request{Caller: Caller{Viewer: viewer}, SID: w.View().SID}, c)
}

func (f *fixture) asViewer(viewer string, c Command) {
	f.t.Helper()
	if _, err := doAsViewer(f.World, viewer, c); err != nil {
		f.t.Fatalf("%T: %v", c, err)
	}
}

func (f *fixture) personOf(viewer string) *protocol.Human {
	row, _ := f.occupants()[protocol.HumanKey(personID(viewer))].(*protocol.Human)
	return row
}

// A person survives a restart and then has a lease of a full term.
func TestPersonSurvivesRestart(t *testing.T) {
	f := open(t)
	f.asViewer(ada, putPerson("Ada", 3, 4))
	f.clock.Advance(9 * time.Second)
	f.reopen()
	f.clock.Advance(9 * time.Second)
	f.sweep()
	if row := f.personOf(ada); row == nil || row.X != 3 || row.Y != 4 {
		t.Fatalf("after a restart the row is %+v", row)
	}
	f.clock.Advance(2 * time.Second)
	cursor := f.Events().Head()
	f.sweep()
	got := f.events(cursor)
	if f.personOf(ada) != nil || len(got) != 1 || !strings.HasPrefix(string(got[0].Data), `{"personId":"`+personID(ada)+`","reason":"lease",`) {
		t.Errorf("after the lease: %+v, %d events", f.personOf(ada), len(got))
	}
	f.check()
}

// A person gets a cell of its own, and makes the map grow as agents do.
func TestPeopleHaveDistinctCells(t *testing.T) {
	f := open(t, func(o *Options) { o.NoRepository, o.Limits.Occupants, o.Limits.People = true, 200, 200 })
	for i := range 60 {
		f.as("", registration(id(strings.Repeat("a", i+1))))
	}
	for i := range 120 {
		f.asViewer("viewer:"+strings.Repeat("v", i+1), putPerson("Ada", 0, 0))
	}
	cells := map[cell]bool{}
	size := f.View().Bounds
	for key, row := range f.occupants() {
		c := cellOf(row)
		if cells[c] || float64(c.x) > size.MaxX || float64(c.y) > size.MaxY {
			t.Errorf("%s stands at %v, which is occupied or not on the map", key, c)
		}
		cells[c] = true
	}
	if len(cells) != 180 || size.MaxX <= 19 {
		t.Errorf("%d occupants stand on a map up to %v", len(cells), size.MaxX)
	}
	f.check()
}

func TestNearestFreeCell(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := grid{rapid.Int64Range(1, 12).Draw(r, "width"), rapid.Int64Range(1, 12).Draw(r, "height")}
		taken := map[cell]bool{}
		free := cell{rapid.Int64Range(0, g.width-1).Draw(r, "x"), rapid.Int64Range(0, g.height-1).Draw(r, "y")}
		want := cell{rapid.Int64Range(0, g.width-1).Draw(r, "wx"), rapid.Int64Range(0, g.height-1).Draw(r, "wy")}
		square := func(c cell) int64 {
			return max(c.x-want.x, want.x-c.x, c.y-want.y, want.y-c.y)
		}
		most := square(free)
		for y := range g.height {
			for x := range g.width {
				if c := (cell{x, y}); c != free && rapid.Bool().Draw(r, "taken") {
					taken[c] = true
				} else {
					most = min(most, square(c))
				}
			}
		}
		got := g.near(want, func(c cell) bool { return taken[c] })
		if taken[got] || square(got) != most || got.x < 0 || got.y < 0 || got.x >= g.width || got.y >= g.height {
			r.Errorf("near %v on %v is %v; the nearest free distance is %d", want, g, got, most)
		}
	})
}

// The rows of people count toward the bytes on the map, and a refused person leaves
// no trace.
func TestPeopleCountTowardMapBytes(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits.World[MapBytes] = 250 })
	f.asViewer(ada, putPerson("Ada", 1, 1))
	if used := f.Used()[MapBytes]; used < 60 || used > 120 {
		t.Errorf("a person has %d bytes on the map", used)
	}
	_, err := doAsViewer(f.World, bob, putPerson(strings.Repeat("b", 200), 2, 2))
	wantCode(t, err, protocol.CodeStorageLimit)
	f.asViewer(ada, RemovePerson{})
	if used := f.Used()[MapBytes]; used != 0 {
		t.Errorf("%d bytes are on the map without people", used)
	}
	f.asViewer(bob, putPerson(strings.Repeat("b", 150), 2, 2))
}

// The hosts of one world agree on when a person may walk again, and on which people
// are there.
func TestPersonMovesAtEveryHost(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	first, second := c.worlds[0], c.worlds[1]
	must := func(w *World, viewer string, command Command) {
		t.Helper()
		if _, err := doAsViewer(w, viewer, command); err != nil {
			t.Fatalf("%T: %v", command, err)
		}
	}
	must(first, ada, putPerson("Ada", 3, 4))
	_, err := doAsViewer(second, ada, putPerson("Ada", 5, 5))
	wantCode(t, err, protocol.CodeRateLimited)
	must(second, ada, putPerson("Ada", 3, 4)) // a renewal
	must(second, ada, RemovePerson{})
	_, err = doAsViewer(first, ada, putPerson("Ada", 5, 5))
	wantCode(t, err, protocol.CodeRateLimited)
	c.clock.Advance(walkTerm)
	must(second, ada, putPerson("Ada", 5, 5))
	must(first, bob, putPerson("Bob", 5, 5))
	c.agree()
	for i, w := range c.worlds {
		if w.state.people != 2 || len(w.state.walks) == 0 {
			t.Errorf("world %d has %d people", i, w.state.people)
		}
	}
	for range 12 {
		c.clock.Advance(time.Second)
		for _, w := range c.worlds {
			if err := w.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.agree()
	if n := second.state.people; n != 0 {
		t.Errorf("%d people remain after their leases", n)
	}
}

// The memory of walks does not grow with the people that came and left.
func TestWalksAreDropped(t *testing.T) {
	f := open(t)
	for i := range 20 {
		viewer := "viewer:" + strings.Repeat("v", i+1)
		f.asViewer(viewer, putPerson("Ada", 1, 1))
		f.asViewer(viewer, RemovePerson{})
		f.clock.Advance(walkTerm)
	}
	if n := len(f.state.walks); n > 1 {
		t.Errorf("%d walks are kept", n)
	}
}

// Neither the map nor the journal contains the viewer of a person.
func TestPersonDoesNotRevealViewer(t *testing.T) {
	f := open(t)
	f.asViewer(ada, putPerson("Ada", 1, 1))
	for e, err := range f.journal.Read(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(store.AppendEntry(nil, &e), []byte(ada)) {
			t.Errorf("entry %d contains the viewer's id", e.Position)
		}
	}
}

// In a world without access control, too, only its own viewer controls a person.
func TestOnlyOwnViewerActsForPerson(t *testing.T) {
	f := open(t, func(o *Options) { o.NoRepository = true })
	a := id("a")
	f.as("", registration(a))
	f.asViewer(ada, putPerson("Ada", 1, 1))
	_, err := doAsViewer(f.World, bob, personAction(ada, a, protocol.ProximityChat))
	wantCode(t, err, protocol.CodeForbidden)
	f.asViewer(ada, personAction(ada, a, protocol.ProximityChat))
}
