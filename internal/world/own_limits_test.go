package world

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

// limitOf sets an account's own limits at a world.
func limitOf(t *testing.T, w *World, account string, limits protocol.Amounts) {
	t.Helper()
	command := SetLimits{protocol.NodeLimitsRequest{NodeID: account, Limits: limits}}
	if _, err := w.Do(context.Background(), Request{Caller: Caller{Admin: true}}, command); err != nil {
		t.Fatal(err)
	}
}

func TestAccountsOwnAgentByteLimit(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits.Account[AgentBytes] = 1000 })
	owner, other := f.main("owner"), f.main("other")
	limitOf(t, f.World, owner, protocol.Amounts{AgentBytes: new(uint64(2000))})
	f.reopen()
	fits := func(account string) int {
		for n := range 10 {
			_, err := f.try(account, registration(f.agent(account, fmt.Sprint(account, n))))
			if err != nil {
				wantCode(t, err, protocol.CodeStorageLimit)
				return n
			}
		}
		return 10
	}
	if own, every := fits(owner), fits(other); every == 0 || own < 2*every || own == 10 {
		t.Errorf("%d agents fit within twice the limit, %d within the limit", own, every)
	}
}

func TestAccountsOwnOccupantLimit(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits.OccupantsPerOwner = 2 })
	owner, other := f.main("owner"), f.main("other")
	fits := func(account string) int {
		for n := range 10 {
			_, err := f.try(account, RegisterMCP{protocol.MCPRegisterRequest{Name: fmt.Sprint("server", n)}})
			if err != nil {
				wantCode(t, err, protocol.CodeOccupantLimit)
				return n
			}
		}
		return 10
	}
	limitOf(t, f.World, owner, protocol.Amounts{Occupants: new(uint64(4))})
	f.reopen()
	if n := fits(owner); n != 4 {
		t.Errorf("%d occupants for the account with a limit of 4", n)
	}
	if n := fits(other); n != 2 {
		t.Errorf("%d occupants for another account, want 2", n)
	}
	limitOf(t, f.World, owner, protocol.Amounts{Occupants: new(uint64(0))})
	if n := fits(owner); n != 10 {
		t.Errorf("%d occupants for the account without a limit, want 10", n)
	}
}

// A rate of the account's own applies immediately, even if it is lower than the
// rate at which the account wrote before.
func TestAccountsOwnRate(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits = Limits{HistoryRate: 100} })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	text := strings.Repeat("x", 1000)
	fits := func() (n int) {
		for ; n < 100; n++ {
			if _, err := f.try(a, line(a, text)); err != nil {
				wantCode(t, err, protocol.CodeRateLimited)
				return n
			}
		}
		return n
	}
	every := fits()
	limitOf(t, f.World, owner, protocol.Amounts{RateHistory: new(uint64(1000))})
	f.reopen()
	raised := fits()
	if every > 7 || raised < 30 || raised == 100 {
		t.Errorf("%d lines at once at the default rate, %d at ten times that", every, raised)
	}
	for _, none := range []uint64{0, math.MaxUint64} {
		limitOf(t, f.World, owner, protocol.Amounts{RateHistory: &none})
		if n := fits(); n != 100 {
			t.Errorf("%d lines at once without a limit", n)
		}
	}
	limitOf(t, f.World, owner, protocol.Amounts{})
	if n := fits(); n < every || n > 7 {
		t.Errorf("%d lines at once at the default rate again, %d before", n, every)
	}
}

// After the rate of all hosts was lowered, the bytes already written are regained
// at the lower rate.
func TestLoweredRateRecovers(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits = Limits{HistoryRate: 10_000} })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	f.as(a, line(a, strings.Repeat("x", 4000)))
	f.options.Limits.HistoryRate = 10
	f.reopen()
	_, err := f.try(a, line(a, "more"))
	wantCode(t, err, protocol.CodeRateLimited)
	f.clock.Advance(err.(*protocol.Error).RetryAfter + time.Second) //nolint:errorlint,forcetypeassert // wantCode checks the type
	f.as(a, line(a, "more"))
}

func TestAccountLimitsHoldAtAllHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openWithDifferentClocks(t, 3, Limits{OccupantsPerOwner: 2})
		owner := id("owner")
		c.must(0, "", CreateMainNode{NodeID: owner, APIKey: protocol.NewSecret("key")})
		limitOf(t, c.worlds[1], owner, protocol.Amounts{Occupants: new(uint64(5))})
		c.agree()
		first := RegisterMCP{protocol.MCPRegisterRequest{Name: "first"}}
		c.must(0, owner, first)
		c.agree()
		others := atomic.Int64{}
		place := func(int) Command {
			return RegisterMCP{protocol.MCPRegisterRequest{Name: fmt.Sprint("server", others.Add(1))}}
		}
		if made := c.race(4, protocol.CodeOccupantLimit, owner, place); made != 4 {
			t.Errorf("%d more placements were created for an account with 1 of 5 in use, want 4", made)
		}
		limitOf(t, c.worlds[2], owner, protocol.Amounts{RateHistory: new(uint64(1))})
		c.agree()
		c.must(0, owner, first)
	})
}
