package sdk

import (
	"errors"
	"slices"

	"github.com/playctl/playctl/protocol"
)

// answering is what an agent shows while its questions are answered, unless its program says
// itself what it does.
type answering struct {
	// own is set once the program says it.
	own bool
	// tools are those of the questions in progress, empty for a text, the newest last.
	tools []*string
}

// show changes the activity, unless the program says itself what the agent does, or the agent has
// ended.
func (s *activitySender) show(apply func(*protocol.RecordActivityRequest)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.answering.own {
		_ = s.replace(apply) // an agent that has ended shows nothing
	}
}

// idles shows that an agent whose questions are answered has none yet.
func (s *activitySender) idles() {
	s.show(func(r *protocol.RecordActivityRequest) {
		if r.State == "" {
			r.State = protocol.ActivityIdle
		}
	})
}

// answers shows that the agent works on a question, which is a call of a tool unless that is empty.
// The caller calls ended with the question's error: the agent works until its last question ended.
func (s *activitySender) answers(tool string) (ended func(err error)) {
	asked := &tool
	s.show(func(r *protocol.RecordActivityRequest) {
		if len(s.answering.tools) == 0 {
			r.Usage = nil
		}
		s.answering.tools = append(s.answering.tools, asked)
		r.State, r.Text, r.ToolName = protocol.ActivityWorking, "", tool
	})
	return func(err error) {
		s.show(func(r *protocol.RecordActivityRequest) {
			left := slices.DeleteFunc(s.answering.tools, func(one *string) bool { return one == asked })
			s.answering.tools, r.ToolName = left, ""
			switch {
			case len(left) > 0:
				r.ToolName = *left[len(left)-1]
			case err == nil:
				r.State = protocol.ActivityDone
			case errors.Is(err, ErrAnswered):
				r.State = protocol.ActivityIdle
			default:
				r.State = protocol.ActivityFailed
			}
		})
	}
}

// showsIdle makes an agent idle if questions to it are answered.
func (w *RemotePlayWorld) showsIdle(a *Agent) {
	w.mu.Lock()
	listeners := slices.Clone(w.listeners)
	w.mu.Unlock()
	for _, l := range listeners {
		if l.asked(a.PlayerID()) == a {
			a.activity.idles()
		}
	}
}

// listens adds a listener, and returns the function that removes it. The agents whose questions it
// answers are idle.
func (w *RemotePlayWorld) listens(l *intercomListener) (ends func()) {
	w.mu.Lock()
	w.listeners = append(w.listeners, l)
	var agents []*Agent
	for _, a := range w.agents {
		agents = append(agents, a)
	}
	w.mu.Unlock()
	for _, a := range agents {
		w.showsIdle(a)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.listeners = slices.DeleteFunc(w.listeners, func(one *intercomListener) bool { return one == l })
	}
}
