package creds

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
)

func origin(network, site string) Origin {
	return Origin{Network: netip.MustParseAddr(network), Site: netip.MustParseAddr(site)}
}

// The origin that had no turn for the longest time is next: an address with one
// request comes before those with many, and so does a network among others of its
// site.
func TestTurnsAreSharedAmongOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		d := NewDeriver(DeriverOptions{Running: 1, Waiting: 100, Derive: g.derive, Release: func() {}})
		defer d.Close()
		var all []<-chan outcome
		asks := func(from Origin, names ...string) {
			for _, name := range names {
				out := make(chan outcome, 1)
				go func() {
					id, err := d.NodeID(t.Context(), from, HashPhrase("amber"), name)
					out <- outcome{id, err}
				}()
				synctest.Wait()
				all = append(all, out)
			}
		}
		asks(origin("192.0.2.1", "192.0.2.1"), "a1", "a2", "a3", "a4")
		asks(origin("192.0.2.2", "192.0.2.2"), "b1", "b2", "b3")
		asks(origin("2001:db8:0:1::", "2001:db8::"), "c1", "c2")
		asks(origin("2001:db8:0:2::", "2001:db8::"), "d1")
		close(g.finish)
		var order []string
		for range all {
			order = append(order, <-g.started)
		}
		for _, out := range all {
			if got := <-out; got.err != nil {
				t.Error(got.err)
			}
		}
		if want := []string{"a1", "b1", "c1", "a2", "b2", "d1", "a3", "b3", "c2", "a4"}; !slices.Equal(order, want) {
			t.Errorf("the turns are %v, want %v", order, want)
		}
	})
}

// An address has a quarter of the places, and when all are taken a new caller gets
// one from the addresses with the most.
func TestPlacesAreSharedAmongOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		d := NewDeriver(DeriverOptions{Running: 1, Waiting: 8, Derive: g.derive, Release: func() {}})
		defer d.Close()
		busy := make(chan string, 100)
		asks := func(last string) {
			for range 3 {
				go func() {
					if _, err := d.NodeID(t.Context(), origin(last, last), HashPhrase("amber"), last); errors.Is(err, ErrBusy) {
						busy <- last
					}
				}()
				synctest.Wait()
			}
		}
		refused := func() (who []string) {
			for len(busy) > 0 {
				who = append(who, <-busy)
			}
			return who
		}
		for i := range 4 {
			asks("192.0.2." + strconv.Itoa(i+1))
		}
		if got, want := refused(), []string{"192.0.2.2", "192.0.2.3", "192.0.2.4"}; !slices.Equal(got, want) {
			t.Fatalf("the third requests of these were refused: %v, want %v", got, want)
		}
		asks("192.0.2.5")
		// Its first call takes the place of an address with two, and none of its own
		// later calls does.
		if got, want := refused(), []string{"192.0.2.4", "192.0.2.5", "192.0.2.5"}; !slices.Equal(got, want) {
			t.Errorf("a new address displaces these: %v, want %v", got, want)
		}
		if _, waiting := d.Load(); waiting != 8 {
			t.Errorf("%d wait", waiting)
		}
		close(g.finish)
	})
}
