package world

import (
	"fmt"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

const (
	// agentActivities is how many changes of its activity an agent may make a second in the
	// long run, and agentActivityBurst how many at once.
	agentActivities, agentActivityBurst = 2, 10
	// activityBurst is how many seconds of its limit the world may use at once.
	activityBurst = 2
	// activityUnit is the size of a row up to which a change of its activity counts as one.
	// The whole row is written to the journal and sent to every stream with inline nodes: a
	// frame of this size takes a host and its reader twice the processor time of a short one.
	activityUnit = 32 << 10
	// mostActivities is a higher limit than any host reaches, so that the bytes of a burst
	// fit an int64.
	mostActivities = 1 << 20
	// lateTurn is how long an agent keeps its turn after it may try again, in milliseconds.
	lateTurn = 2000
	// mostTurns bounds the agents that wait for their turn.
	mostTurns = 1024
)

// meter is how many bytes of a limit are used. They are regained with time.
type meter struct {
	used int64
	// at is the time of the last use in milliseconds since the Unix epoch.
	at int64
}

// usedAt returns what is still used at a time.
func (m meter) usedAt(now, perSecond int64) int64 {
	since := max(0, now-m.at)
	if since >= m.used*1000/perSecond {
		return 0
	}
	return m.used - since*perSecond/1000
}

// after returns the meter after another use.
func (m meter) after(now, perSecond, size int64) meter {
	return meter{m.usedAt(now, perSecond) + size, max(now, m.at)}
}

// regained returns how long it takes to regain some bytes, 0 if there are none.
func regained(bytes, perSecond int64) time.Duration {
	return time.Duration((max(0, bytes)*1000+perSecond-1)/perSecond) * time.Millisecond
}

// activityRates are what is used of the limits of activities. They are computed from the
// entries since the checkpoint with which a host started, those of other hosts included. A
// change may use more than is left: the next one then waits for longer.
type activityRates struct {
	// perSecond is the limit of the world in bytes; negative for no limits at all.
	perSecond int64
	// agents has the agents on the map that changed their activity, by stable key.
	agents map[string]meter
	// turns are the agents that this host refused because of the world's limit, oldest
	// first. Without turns, some agents of a busy world would never get through.
	turns []activityTurn
}

// activityTurn is the claim of an agent to change its activity before those that ask later.
type activityTurn struct {
	key  string
	size int64
	// until is when the claim ends, in milliseconds since the Unix epoch.
	until int64
}

func newActivityRates(perSecond int) activityRates {
	return activityRates{
		perSecond: int64(min(perSecond, mostActivities)) * activityUnit,
		agents:    map[string]meter{},
	}
}

// waitsForWorld reports whether changes to a state count toward the world's limit. Those
// that people wait for do not.
func waitsForWorld(state string) bool {
	return state == protocol.ActivityWorking || state == protocol.ActivityIdle
}

// activitySize returns how much a change of a row's activity uses of the limits.
func activitySize(row int) int64 { return int64(max(row, activityUnit)) }

// checkActivityRate refuses a change of an agent's activity to a state if the agent, or all
// agents together, changed theirs too often.
func (p *planner) checkActivityRate(key, state string) error {
	rates := &p.st.activity
	if rates.perSecond < 0 {
		return nil
	}
	now, size := p.now.UnixMilli(), activitySize(p.st.sizes[key])
	const perAgent = agentActivities * activityUnit
	own := regained(rates.agents[key].usedAt(now, perAgent)-(agentActivityBurst-1)*activityUnit, perAgent)
	var shared time.Duration
	if waitsForWorld(state) {
		excess := p.st.activityMeter.usedAt(now, rates.perSecond) + rates.ahead(key, now) + activityUnit - activityBurst*rates.perSecond
		shared = regained(excess, rates.perSecond)
	}
	switch {
	case own > 0:
		return activityRefusal(size, max(own, shared), fmt.Sprintf("the agent exceeded its limit of %d changes of its activity a second", agentActivities))
	case shared > 0:
		wait := shared.Truncate(time.Second)
		if wait < shared {
			wait += time.Second // Retry-After has whole seconds.
		}
		rates.queue(activityTurn{key, size, now + wait.Milliseconds() + lateTurn})
		return activityRefusal(size, wait, fmt.Sprintf("the world exceeded its limit of changes of activities to working or idle, %d a second (--rate-activity)", rates.perSecond/activityUnit))
	}
	return nil
}

// activityRefusal is the refusal of a change of a size because of a limit.
func activityRefusal(size int64, wait time.Duration, exceeded string) error {
	if size > activityUnit {
		exceeded += fmt.Sprintf("; with its row of %d bytes, a change counts as %.1f", size, float64(size)/activityUnit)
	}
	e := protocol.Errorf(protocol.CodeRateLimited, "%s: send the newest activity after the time in Retry-After", exceeded)
	e.RetryAfter = wait
	return e
}

// ahead returns how many bytes the agents use whose turn is before that of an agent.
func (r *activityRates) ahead(key string, now int64) int64 {
	r.turns = slices.DeleteFunc(r.turns, func(t activityTurn) bool { return t.until < now })
	bytes := int64(0)
	for i := range r.turns {
		if r.turns[i].key == key {
			break
		}
		bytes += r.turns[i].size
	}
	return bytes
}

// queue gives an agent a turn behind those who have one. It keeps its place if it has one.
func (r *activityRates) queue(next activityTurn) {
	if i := r.turnOf(next.key); i >= 0 {
		r.turns[i] = next
	} else if len(r.turns) < mostTurns {
		r.turns = append(r.turns, next)
	}
}

func (r *activityRates) turnOf(key string) int {
	return slices.IndexFunc(r.turns, func(t activityTurn) bool { return t.key == key })
}

// noteActivity deducts what an entry uses of the limits if it changed an activity.
func (s *state) noteActivity(e *store.Entry) {
	if len(e.Rows) != 1 || len(e.Events) != 1 || e.Events[0].Kind != string(protocol.EventActivity) || s.activity.perSecond < 0 {
		return
	}
	key, rates := e.Rows[0].Key, &s.activity
	size := activitySize(len(e.Rows[0].JSON))
	if row, ok := s.rows[key].(*protocol.Agent); ok && row.Activity != nil && waitsForWorld(row.Activity.State) {
		s.activityMeter = s.activityMeter.after(e.At, rates.perSecond, size)
	}
	s.setMeter(key, rates.agents[key].after(e.At, agentActivities*activityUnit, size))
	if i := rates.turnOf(key); i >= 0 {
		rates.turns = slices.Delete(rates.turns, i, i+1)
	}
}

// setMeter sets the meter of an agent on the map; an empty one is dropped.
func (s *state) setMeter(key string, next meter) {
	prev, had := s.activity.agents[key]
	if !had && next == (meter{}) {
		return
	}
	replace := func(m meter) {
		if s.activity.agents[key] = m; m == (meter{}) {
			delete(s.activity.agents, key)
		}
	}
	replace(next)
	s.undo = append(s.undo, func() { replace(prev) })
}
