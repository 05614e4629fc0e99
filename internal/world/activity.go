package world

import (
	"fmt"
	"reflect"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

func (c RecordActivity) plan(p *planner) (any, error) {
	r := &c.RecordActivityRequest
	if _, err := p.agentFor(r.PlayerID); err != nil {
		return nil, err
	}
	prev, err := p.playerOnMap(r.PlayerID)
	if err != nil {
		return nil, err
	}
	if r.ConnectionID != "" {
		if _, err := p.leaseOf(r.PlayerID, r.ConnectionID); err != nil {
			return nil, err
		}
	}
	rev := p.st.Rev
	reply := &protocol.RecordActivityReply{OK: true, Rev: &rev}
	next := c.after(prev.Activity, p.at())
	if reflect.DeepEqual(next, prev.Activity) {
		return reply, nil
	}
	key := prev.StableKey()
	if err := p.checkActivityRate(key, r.State); err != nil {
		return nil, err
	}
	row := *prev
	row.Activity = next
	if p.st.encoded, err = chain.AppendWithActivity(p.st.encoded[:0], p.st.Tree.Get(key).Payload(), next); err != nil {
		return nil, fmt.Errorf("encode the row of %s: %w", key, err)
	}
	p.putEncoded(&row)
	if err := p.checkMapBytes(p.st.accountOf(r.PlayerID)); err != nil {
		return nil, err
	}
	rev++
	return reply, p.emit(protocol.EventActivity, &protocol.ActivityData{PlayerID: r.PlayerID, Activity: *next})
}

// after returns the activity that replaces the previous one at a time; the state keeps
// its beginning unless it changes.
func (c RecordActivity) after(prev *protocol.Activity, at string) *protocol.Activity {
	r := &c.RecordActivityRequest
	next := &protocol.Activity{State: r.State, Text: r.Text, ToolName: r.ToolName, Since: at, Usage: r.Usage}
	if prev != nil && prev.State == r.State {
		next.Since = prev.Since
	}
	return next
}

// observeActivity passes a reported activity to the observer, unless it was refused for
// another reason than a limit.
func (w *World) observeActivity(c *RecordActivity, plan *stagedPlan, err error) {
	switch {
	case protocol.CodeOf(err) == protocol.CodeRateLimited:
		w.options.Observer.ActivityReported(c.State, ActivityRefused)
	case err != nil || plan == nil:
	case plan.entry == nil:
		w.options.Observer.ActivityReported(c.State, ActivityUnchanged)
	default:
		w.options.Observer.ActivityReported(c.State, ActivityChanged)
	}
}
