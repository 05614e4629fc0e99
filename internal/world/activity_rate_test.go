package world

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

// actors puts agents on the map of a world without a repository.
func (f *fixture) actors(n int) []string {
	f.t.Helper()
	agents := make([]string, n)
	for i := range agents {
		agents[i] = id(fmt.Sprint("actor", i))
		f.as("", registration(agents[i]))
	}
	return agents
}

func openActing(t *testing.T, rate int) *fixture {
	t.Helper()
	return open(t, func(o *Options) { o.NoRepository, o.Limits.Occupants, o.Limits.ActivityRate = true, 300, rate })
}

// wantRefused fails unless a change of an activity is refused because of a limit, and returns
// for how long.
func (f *fixture) wantRefused(c Command, limit string) time.Duration {
	f.t.Helper()
	before := f.View()
	_, err := f.try("", c)
	wantCode(f.t, err, protocol.CodeRateLimited)
	refused, _ := errors.AsType[*protocol.Error](err)
	if !strings.Contains(refused.Message, limit) || refused.RetryAfter <= 0 {
		f.t.Fatalf("the refusal is %v, to retry after %v", err, refused.RetryAfter)
	}
	if f.View() != before {
		f.t.Fatal("a refused activity changed the world")
	}
	return refused.RetryAfter
}

// next returns an activity of an agent that differs from those before.
func (f *fixture) next(agent, state string) RecordActivity {
	return acting(agent, state, fmt.Sprint("after ", f.View().Seq))
}

func TestActivityRateOfAgent(t *testing.T) {
	f := openActing(t, 0)
	agents := f.actors(2)
	a := agents[0]
	for range 10 {
		f.as("", f.next(a, protocol.ActivityWaiting))
	}
	if wait := f.wantRefused(f.next(a, protocol.ActivityFailed), "limit of 2 changes"); wait != 500*time.Millisecond {
		t.Errorf("the agent may retry after %v", wait)
	}
	// Refusals, what changes nothing, and other agents use nothing up.
	for range 50 {
		f.wantRefused(f.next(a, protocol.ActivityIdle), "the agent")
		f.as("", acting(a, protocol.ActivityWaiting, f.activityOf(f.state.RootKey, a).Text))
	}
	f.as("", f.next(agents[1], protocol.ActivityWorking))
	for range 20 {
		f.clock.Advance(500*time.Millisecond - 1)
		f.wantRefused(f.next(a, protocol.ActivityDone), "the agent")
		f.clock.Advance(1)
		f.as("", f.next(a, protocol.ActivityDone))
	}
	f.clock.Advance(5 * time.Second)
	for range 10 {
		f.as("", f.next(a, protocol.ActivityDone))
	}
	f.wantRefused(f.next(a, protocol.ActivityDone), "the agent")
	// An agent that left and came back is not remembered.
	f.as("", Disconnect{protocol.DisconnectRequest{PlayerID: a}})
	f.as("", Disconnect{protocol.DisconnectRequest{PlayerID: agents[1]}})
	if n := len(f.state.activity.agents); n != 0 {
		t.Errorf("%d agents are remembered that are off the map", n)
	}
	f.as("", registration(a))
	f.as("", f.next(a, protocol.ActivityDone))
}

func TestActivityRateOfWorld(t *testing.T) {
	f := openActing(t, 5)
	agents := f.actors(30)
	for i := range 10 {
		f.as("", f.next(agents[i], protocol.ActivityWorking))
	}
	wait := f.wantRefused(f.next(agents[10], protocol.ActivityIdle), "idle, 5 a second")
	if wait != time.Second {
		t.Errorf("the first that is refused may retry after %v", wait)
	}
	for i := 11; i < 20; i++ {
		f.wantRefused(f.next(agents[i], protocol.ActivityWorking), "--rate-activity")
	}
	// What people wait for does not wait for the world, and what is refused uses nothing up.
	for _, state := range []string{protocol.ActivityWaiting, protocol.ActivityDone, protocol.ActivityFailed} {
		for i := 20; i < 30; i++ {
			f.as("", f.next(agents[i], state))
		}
	}
	f.clock.Advance(wait)
	f.as("", f.next(agents[10], protocol.ActivityIdle))
	for i := 11; i < 15; i++ {
		f.as("", f.next(agents[i], protocol.ActivityWorking))
	}
	// One who comes now comes after those who wait.
	if wait := f.wantRefused(f.next(agents[0], protocol.ActivityWorking), "the world"); wait != 2*time.Second {
		t.Errorf("one who comes behind five others may retry after %v", wait)
	}
	f.clock.Advance(time.Second)
	f.wantRefused(f.next(agents[1], protocol.ActivityWorking), "the world")
	for i := 15; i < 20; i++ {
		f.as("", f.next(agents[i], protocol.ActivityWorking))
	}
}

// Agents that were refused and do not come back hold others up for a moment and use nothing up.
func TestAbandonedTurnsOfActivity(t *testing.T) {
	f := openActing(t, 1)
	agents := f.actors(200)
	for i := range 2 {
		f.as("", f.next(agents[i], protocol.ActivityWorking))
	}
	for i := 2; i < 199; i++ {
		f.wantRefused(f.next(agents[i], protocol.ActivityWorking), "the world")
	}
	f.clock.Advance(10 * time.Minute)
	for i := 198; i < 200; i++ {
		f.as("", f.next(agents[i], protocol.ActivityWorking))
	}
	f.wantRefused(f.next(agents[0], protocol.ActivityWorking), "the world")
	if n := len(f.state.activity.turns); n != 1 {
		t.Errorf("%d agents have a turn, want 1", n)
	}
}

// A hundred agents that all change their activity as soon as they may, and wait as long as they
// are asked to, each get through equally often, and after a wait always.
func TestBusyAgentsTakeTurns(t *testing.T) {
	f := openActing(t, 0)
	agents := f.actors(100)
	due, waited, changes := map[string]time.Time{}, map[string]bool{}, map[string]int{}
	const length = 60
	for end := f.clock.Now().Add(length * time.Second); f.clock.Now().Before(end); f.clock.Advance(10 * time.Millisecond) {
		for _, a := range agents {
			if f.clock.Now().Before(due[a]) {
				continue
			}
			_, err := f.try("", f.next(a, protocol.ActivityWorking))
			wait := time.Second
			if err == nil {
				changes[a]++
			} else {
				refused, _ := errors.AsType[*protocol.Error](err)
				if refused.Code != protocol.CodeRateLimited || waited[a] {
					t.Fatalf("%v, after it waited: %v", err, waited[a])
				}
				wait = refused.RetryAfter
			}
			waited[a], due[a] = err != nil, f.clock.Now().Add(wait)
		}
	}
	least, most, all := length, 0, 0
	for _, a := range agents {
		least, most, all = min(least, changes[a]), max(most, changes[a]), all+changes[a]
	}
	t.Logf("%d changes, of one agent %d to %d", all, least, most)
	if all < length*19 || all > length*20+40 || most > least+2 {
		t.Errorf("%d changes in %d s, of one agent %d to %d", all, length, least, most)
	}
}

// A change of a large row counts as many as its size.
func TestActivityRateOfLargeRow(t *testing.T) {
	f := openActing(t, 0)
	agents := f.actors(22)
	a := agents[0]
	f.as("", longJourney(a, 320<<10))
	f.as("", f.next(a, protocol.ActivityWaiting))
	wait := f.wantRefused(f.next(a, protocol.ActivityDone), "counts as 10.0")
	if wait < 500*time.Millisecond || wait > time.Second {
		t.Errorf("after ten changes at once the agent may retry after %v", wait)
	}
	f.clock.Advance(wait)
	f.as("", f.next(a, protocol.ActivityDone))
	wait = f.wantRefused(f.next(a, protocol.ActivityWaiting), "the agent")
	if wait < 4900*time.Millisecond || wait > 5100*time.Millisecond {
		t.Errorf("after ten more it may retry after %v", wait)
	}
	f.clock.Advance(time.Minute)
	f.as("", f.next(a, protocol.ActivityWorking))
	for _, other := range agents[1:] {
		f.as("", f.next(other, protocol.ActivityWorking))
	}
	for i := range 8 {
		f.as("", f.next(agents[i+1], protocol.ActivityWorking))
	}
	f.wantRefused(f.next(agents[11], protocol.ActivityWorking), "the world")
}

// A change that could not be committed uses nothing up.
func TestLostActivityUsesNothing(t *testing.T) {
	f := openActing(t, 0)
	a := f.actors(1)[0]
	f.stop() // its writer uses the same state
	for i := range 10 {
		f.state.begin()
		p := &planner{st: f.state, options: &f.options, req: &Request{}, now: f.clock.Now(), loop: &commitLoop{}}
		plan, err := p.run(acting(a, protocol.ActivityWorking, fmt.Sprint("lost ", i)))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.state.apply(plan.entry, plan.tree, plan.typed); err != nil {
			t.Fatal(err)
		}
		f.state.rollback()
	}
	if used := f.state.activityMeter; used != (meter{}) || len(f.state.activity.agents) > 0 {
		t.Errorf("changes that were taken back use %+v and %v", used, f.state.activity.agents)
	}
}

// The limits are those of the world, not of each host.
func TestActivityRateHoldsAcrossHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openWithDifferentClocks(t, 3, Limits{ActivityRate: 2})
		a := c.agent(0, 45)
		for n := range 10 {
			c.must(n%3, a, acting(a, protocol.ActivityWaiting, fmt.Sprint(n)))
		}
		c.agree()
		for i := range c.worlds {
			_, err := c.do(i, a, acting(a, protocol.ActivityWaiting, "more"))
			wantCode(t, err, protocol.CodeRateLimited)
		}
		c.clock.Advance(time.Minute)
		for n := range 4 {
			c.must(n%3, a, acting(a, protocol.ActivityWorking, fmt.Sprint(n)))
		}
		c.agree()
		for i := range c.worlds {
			_, err := c.do(i, a, acting(a, protocol.ActivityWorking, "more"))
			wantCode(t, err, protocol.CodeRateLimited)
			if !strings.Contains(err.Error(), "the world") {
				t.Errorf("host %d: %v", i, err)
			}
		}
	})
}

func TestNoLimitOfActivity(t *testing.T) {
	f := openActing(t, -1)
	a := f.actors(1)[0]
	for range 300 {
		f.as("", f.next(a, protocol.ActivityWorking))
	}
}

// Every reported activity is counted once, by its state and its result.
func TestActivitiesAreObserved(t *testing.T) {
	seen := activityObserver{}
	f := open(t, func(o *Options) { o.NoRepository, o.Observer = true, seen })
	a := f.actors(1)[0]
	for range 10 {
		f.as("", f.next(a, protocol.ActivityWaiting))
	}
	f.as("", acting(a, protocol.ActivityWaiting, f.activityOf(f.state.RootKey, a).Text))
	f.wantRefused(acting(a, protocol.ActivityDone, ""), "the agent")
	_, err := f.try("", acting(id("nobody"), protocol.ActivityDone, ""))
	wantCode(t, err, protocol.CodePlayerUnknown)
	for what, n := range map[string]int{"waiting changed": 10, "waiting unchanged": 1, "done refused": 1} {
		if seen[what] != n {
			t.Errorf("%s: %d times, want %d", what, seen[what], n)
		}
	}
	if len(seen) != 3 {
		t.Errorf("counted %v", seen)
	}
}

type activityObserver map[string]int

func (activityObserver) Committed(_, _, _ int, _ time.Duration)  {}
func (activityObserver) AppendFailed(error)                      {}
func (activityObserver) CheckpointDone(_ time.Duration, _ error) {}
func (o activityObserver) ActivityReported(state string, result ActivityResult) {
	o[state+" "+string(result)]++
}
