//go:build full

package manyhosts

import (
	"slices"
	"testing"
	"time"
)

// initialState returns the state of every subject of these tests at their beginning.
func initialState(subject string) state {
	switch subject[:5] {
	case agentSubject[:5]:
		return agentState{node: true, zones: 3}
	case placementSubject[:5]:
		return placementState{}
	case requestSubject[:5]:
		return requestState{}
	case spaceSubject[:5]:
		return spaceState{}
	}
	return logState{}
}

// at returns ops that are each sent and answered within a millisecond, unless their
// times are set.
func at(ops ...op) []*op {
	var list []*op
	for i := range ops {
		o := &ops[i]
		o.number = i
		if o.outcome == "" {
			o.outcome = acked
		}
		if o.ended == 0 {
			o.started, o.ended = time.Duration(2*i)*time.Millisecond, time.Duration(2*i+1)*time.Millisecond
		}
		list = append(list, o)
	}
	return list
}

// TestModelAcceptsOnlyPossibleHistories checks short histories that one host could have
// produced, and the same ones with one reply changed, which no host could.
func TestModelAcceptsOnlyPossibleHistories(t *testing.T) {
	const a, p, s = "agent 1", "placement x", "space 1"
	unanswered := func(o op) op { o.outcome, o.started, o.ended = unknown, 0, time.Millisecond; return o }
	no := func(o op) op { o.outcome = refused; return o }
	saw := func(subject, text string) op {
		return op{verb: look, subject: subject, arg: "i", result: result{text: text, zones: 3}}
	}
	zoned := func(n int64) op { return op{verb: look, subject: a, result: result{text: "n", zones: n}} }
	doing := func(mark string) op { return op{verb: act, subject: a, mark: mark} }
	seen := func(text string) op {
		return op{verb: look, subject: a, result: result{text: "n", doing: text, zones: 3}}
	}
	ok := result{ok: true}
	put := op{verb: register, subject: a, mark: "n", arg: "c"}
	placed := op{verb: place, subject: p, mark: "u", result: result{id: "i"}}
	for name, c := range map[string]struct{ good, bad []op }{
		"a row is seen once it was acknowledged": {[]op{put, saw(a, "n")}, []op{put, saw(a, "")}},
		"an unanswered row may exist or not":     {[]op{unanswered(put), saw(a, ""), saw(a, "n")}, []op{unanswered(put), saw(a, "n"), saw(a, "")}},
		"a refused line is not stored":           {[]op{no(op{verb: say, subject: a, mark: "t"}), put}, []op{put, no(op{verb: say, subject: a, mark: "t"})}},
		"a zone counts once":                     {[]op{put, {verb: zone, subject: a}, zoned(4)}, []op{put, {verb: zone, subject: a}, zoned(5)}},
		"an unanswered zone counts at most once": {
			[]op{put, unanswered(op{verb: zone, subject: a}), zoned(3), zoned(4)}, []op{put, unanswered(op{verb: zone, subject: a}), zoned(3), zoned(5)},
		},
		"an activity is seen until the agent leaves": {
			[]op{put, doing("d"), seen("d"), {verb: disconnect, subject: a}, put, seen("")},
			[]op{put, doing("d"), {verb: disconnect, subject: a}, put, seen("d")},
		},
		"a registration keeps the activity": {[]op{put, doing("d"), put, seen("d")}, []op{put, doing("d"), put, seen("")}},
		"only the last connection holds the lease": {
			[]op{put, {verb: heartbeat, subject: a, arg: "c"}}, []op{put, {verb: heartbeat, subject: a, arg: "d"}},
		},
		"another connection's end removes nothing": {
			[]op{put, {verb: disconnect, subject: a, arg: "d"}, saw(a, "n")}, []op{put, {verb: disconnect, subject: a, arg: "c"}, saw(a, "n")},
		},
		"a node is created once": {
			[]op{{verb: remove, subject: a, result: ok}, {verb: create, subject: a}},
			[]op{{verb: remove, subject: a, result: ok}, {verb: create, subject: a}, {verb: create, subject: a}},
		},
		"a placement keeps its id":         {[]op{placed, placed}, []op{placed, {verb: place, subject: p, mark: "v", result: result{id: "j"}}}},
		"a placement is withdrawn once":    {[]op{placed, {verb: withdraw, subject: p, arg: "i", result: ok}, saw(p, "")}, []op{placed, {verb: withdraw, subject: p, arg: "i", result: ok}, {verb: withdraw, subject: p, arg: "i", result: ok}}},
		"a read returns the last address":  {[]op{placed, saw(p, "u")}, []op{placed, saw(p, "v")}},
		"a request is answered once":       {[]op{{verb: ask, subject: a, mark: "r", outcome: unknown}, {verb: answer, subject: "request r", agent: a}}, []op{{verb: answer, subject: "request r", agent: a}, {verb: answer, subject: "request r", agent: a}}},
		"a space is created once":          {[]op{{verb: createSpace, subject: s, arg: "shop"}, no(op{verb: createSpace, subject: s, arg: "shop"})}, []op{{verb: createSpace, subject: s, arg: "shop"}, {verb: createSpace, subject: s, arg: "shop"}}},
		"the last amenity stays":           {[]op{{verb: createSpace, subject: s, arg: "shop"}, no(op{verb: removeAmenity, subject: s, arg: "shop"})}, []op{{verb: createSpace, subject: s, arg: "shop"}, {verb: removeAmenity, subject: s, arg: "shop"}}},
		"a removed space has no amenities": {[]op{{verb: createSpace, subject: s, arg: "shop"}, {verb: addAmenity, subject: s, arg: "car_wash"}, saw(s, "car_wash shop")}, []op{{verb: createSpace, subject: s, arg: "shop"}, {verb: removeSpace, subject: s}, saw(s, "shop")}},
		"lines are in order":               {[]op{put, line(1), line(2)}, []op{put, line(2), line(1)}},
		"no two lines have one seq":        {[]op{put, line(1), line(3)}, []op{put, line(1), line(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := linearizable(at(c.good...), initialState); err != nil {
				t.Errorf("refused: %v", err)
			}
			if err := linearizable(at(c.bad...), initialState); err == nil {
				t.Error("an impossible history was accepted")
			}
		})
	}
}

func line(seq uint64) op { return op{verb: say, subject: "agent 1", result: result{seq: seq}} }

func TestLinesOfDifferentAgentsAreOrdered(t *testing.T) {
	other := func(seq uint64) op { o := line(seq); o.subject = "agent 2"; return o }
	if err := inOrder(at(line(1), other(2), line(3))); err != nil {
		t.Error(err)
	}
	if inOrder(at(line(1), other(3), line(2))) == nil {
		t.Error("a later line with a lower seq was accepted")
	}
	together := at(line(2), other(1))
	together[1].started, together[1].ended = together[0].started, together[0].ended
	if err := inOrder(together); err != nil {
		t.Errorf("concurrent lines may be in any order: %v", err)
	}
}

// corrupted returns copies of a real history with one reply changed in each.
func corrupted(ops []*op) map[string][]*op {
	changed := map[string][]*op{}
	change := func(name string, of func(*op) bool, to func(*op)) {
		if i := slices.IndexFunc(ops, of); i >= 0 {
			list := slices.Clone(ops)
			one := *list[i]
			to(&one)
			list[i] = &one
			changed[name] = list
		}
	}
	first := slices.IndexFunc(ops, func(o *op) bool { return o.verb == say && o.outcome == acked })
	change("two lines with one seq", func(o *op) bool { return o.verb == say && o.outcome == acked && o != ops[first] },
		func(o *op) { o.result.seq = ops[first].result.seq })
	change("a row that was never created", func(o *op) bool { return o.verb == look && o.result.text != "" },
		func(o *op) { o.result.text = "made by nobody" })
	return changed
}
