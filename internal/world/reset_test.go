package world

import (
	"testing"

	"github.com/playctl/playctl/protocol"
)

// withReset sends a reset and commands of nodes as one batch.
func (f *fixture) withReset(commands ...*job) {
	f.t.Helper()
	f.inBatch(append([]*job{f.job(Caller{Admin: true}, ResetSession{})}, commands...)...)
}

// Commands that are committed together with a reset find no records of the session
// before it, although the store still has them: they neither count nor remove them.
func TestCommandsInBatchOfReset(t *testing.T) {
	for name, limits := range map[string]Limits{
		"history of an agent": {History: 2}, "lines of an account": {Account: Amounts{Lines: 2}}, "lines of all": {World: Amounts{Lines: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, func(o *Options) { o.Limits = limits })
			owner := f.main("owner")
			a := f.agent(owner, "a")
			f.as(owner, registration(a))
			f.as(a, line(a, "old1"))
			f.as(a, line(a, "old2"))
			main, agent := Caller{NodeID: owner}, Caller{NodeID: a}
			f.withReset(f.job(main, registration(a)), f.job(agent, line(a, "new1")), f.job(agent, line(a, "new2")), f.job(agent, line(a, "new3")))
			if got := f.lines(); got != "new2 new3" {
				t.Errorf("the lines after a reset: %s", got)
			}
			recount(t, f.World, f.journal)
		})
	}
}

// The id of a request of the session before a reset is free, also for a command that is
// committed together with the reset.
func TestRequestInBatchOfReset(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	f.as(owner, ask("r1", owner, a))
	f.as(a, answer("r1", owner, a, protocol.IntercomCompleted))
	cursor := f.View().Seq
	f.withReset(f.job(Caller{NodeID: owner}, registration(a)), f.job(Caller{NodeID: owner}, ask("r1", owner, a)))
	forwarded := 0
	for _, e := range f.events(cursor) {
		if e.Kind == string(protocol.EventIntercom) {
			forwarded++
		}
	}
	if forwarded != 2 {
		t.Errorf("the request caused %d events, want 2", forwarded)
	}
}
