//go:build full

package manyhosts

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// The prefixes of the names of subjects.
const (
	agentSubject     = "agent "
	placementSubject = "placement "
	spaceSubject     = "space "
	requestSubject   = "request "
	logSubject       = "the log"
)

// initial is the state of a subject when a scenario begins.
type initial func(subject string) state

// linearizable returns an error for a subject whose replies no single host could
// have given, in an order that agrees with the times of requests and replies. An
// unanswered op may have happened at any time after its request, or never.
func linearizable(ops []*op, begin initial) error {
	parts := map[string][]porcupine.Operation{}
	for _, o := range ops {
		for _, subject := range o.touches() {
			parts[subject] = append(parts[subject], o.interval())
		}
	}
	for _, subject := range slices.Sorted(maps.Keys(parts)) {
		model := porcupine.Model{
			Init: func() any { return begin(subject) },
			Step: func(s, input, _ any) (bool, any) { return s.(state).step(input.(*op)) },
		}
		if result := porcupine.CheckOperationsTimeout(model, parts[subject], time.Minute); result != porcupine.Ok {
			return fmt.Errorf("the replies about %s are not linearizable (%s):\n%s", subject, result, listed(parts[subject]))
		}
	}
	return nil
}

// touches returns the subjects whose states an op changes or depends on. For an
// unanswered op these are only the ones that it changes.
func (o *op) touches() []string {
	var subjects []string
	changes := !slices.Contains([]verb{look, heartbeat, say, travel, ask}, o.verb)
	if o.outcome != unsent && (changes || o.outcome != unknown) {
		subjects = append(subjects, o.subject)
	}
	switch {
	case o.verb == say && o.outcome == acked:
		subjects = append(subjects, logSubject)
	case o.verb == ask && (o.outcome == acked || o.outcome == unknown):
		subjects = append(subjects, requestSubject+o.mark)
	case o.verb == answer && (o.outcome == acked || o.outcome == refused):
		subjects = append(subjects, o.agent)
	}
	return subjects
}

func (o *op) interval() porcupine.Operation {
	end := int64(o.ended)
	if o.outcome == unknown {
		end = math.MaxInt64
	}
	return porcupine.Operation{ClientId: o.worker, Input: o, Call: int64(o.started), Return: end}
}

func listed(operations []porcupine.Operation) string {
	var b strings.Builder
	for _, operation := range operations {
		fmt.Fprintln(&b, operation.Input)
	}
	return b.String()
}

// inOrder finds two lines whose order contradicts their times: one precedes another
// that was answered before it was sent. It checks across all subjects what
// linearizable checks in each.
func inOrder(ops []*op) error {
	var reported []*op
	for _, o := range ops {
		if o.outcome == acked && o.result.seq > 0 {
			reported = append(reported, o)
		}
	}
	byEnd := slices.Clone(reported)
	slices.SortFunc(byEnd, func(a, b *op) int { return int(a.ended - b.ended) })
	slices.SortFunc(reported, func(a, b *op) int { return int(a.started - b.started) })
	var last *op
	for _, o := range reported {
		for len(byEnd) > 0 && byEnd[0].ended < o.started {
			if last == nil || byEnd[0].result.seq > last.result.seq {
				last = byEnd[0]
			}
			byEnd = byEnd[1:]
		}
		if last != nil && o.result.seq <= last.result.seq {
			return fmt.Errorf("a later line has a lower seq than an earlier one:\n%v\n%v", last, o)
		}
	}
	return nil
}
