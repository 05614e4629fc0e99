package world

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

const (
	// answerGrace is for how long an ended stream still counts: its reader may reconnect.
	answerGrace = 10 * time.Second
	// maxDeclarations bounds the different declarations of one node's streams; streams
	// with further ones count as undeclared.
	maxDeclarations = 16
	// maxDeclarationsOfAll is the bound where callers are not authenticated, so that all
	// streams count as one node's.
	maxDeclarationsOfAll = 1024
	// peerTerm bounds the wait for other hosts.
	peerTerm = 400 * time.Millisecond
)

// listeners are the streams through which programs may read commands for agents.
type listeners struct {
	mu    sync.Mutex
	now   func() time.Time
	began time.Time
	// agentsAtStart has the agents that were on the map when this host started: their
	// programs may not have reconnected yet.
	agentsAtStart map[string]string
	// nodes are the streams by caller, then by declaration.
	nodes map[string]map[string]*listener
	ended []endedListener

	// hosts is the number of other hosts at the last count, and fewer the time when
	// that number last fell.
	hosts int
	fewer time.Time
	// asked are the open questions to other hosts.
	asked map[string]chan peerAnswer
}

// listener stands for the streams of one node with the same declaration.
type listener struct {
	answers protocol.Answers
	open    int
	// until is the time until which the listener counts after its last stream ended;
	// it is in the list of ended listeners once, however many streams ended.
	until time.Time
	ended bool
}

type endedListener struct {
	node, key string
	until     time.Time
}

func newListeners(now func() time.Time, players map[string]string) *listeners {
	return &listeners{
		now: now, began: now(), agentsAtStart: maps.Clone(players), nodes: map[string]map[string]*listener{}, asked: map[string]chan peerAnswer{},
	}
}

// AddListener adds a stream of a node with its declaration of the agents that its
// reader answers for. The caller must call leave when the stream has ended.
func (w *World) AddListener(node string, answers protocol.Answers) (leave func()) {
	l, most := w.listeners, maxDeclarations
	if w.options.NoRepository {
		node, most = "", maxDeclarationsOfAll // Callers are not authenticated.
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	if len(l.nodes[node]) >= most && l.nodes[node][answers.Key()] == nil {
		answers = protocol.Answers{}
	}
	key := answers.Key()
	if l.nodes[node] == nil {
		l.nodes[node] = map[string]*listener{}
	}
	one := l.nodes[node][key]
	if one == nil {
		one = &listener{answers: answers}
		l.nodes[node][key] = one
	}
	one.open++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		one.open--
		one.until = l.now().Add(answerGrace)
		if !one.ended {
			one.ended = true
			l.ended = append(l.ended, endedListener{node, key, one.until})
		}
		l.forget()
	}
}

// forget removes the streams whose grace is over; the lock is held.
func (l *listeners) forget() {
	now := l.now()
	for len(l.ended) > 0 && !now.Before(l.ended[0].until) {
		e := l.ended[0]
		l.ended = l.ended[1:]
		switch one := l.nodes[e.node][e.key]; {
		case one.open > 0:
			one.ended = false
		case now.Before(one.until):
			l.ended = append(l.ended, endedListener{e.node, e.key, one.until})
		default:
			delete(l.nodes[e.node], e.key)
		}
		if len(l.nodes[e.node]) == 0 {
			delete(l.nodes, e.node)
		}
	}
}

// answering returns whether, by this host's streams, a program answers for an agent.
func (w *World) answering(agent agentKey) string {
	l, connection := w.listeners, w.registry.lease(agent.id).ConnectionID
	callers := []string{agent.id, agent.owner}
	if w.options.NoRepository {
		callers = []string{""}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	found := protocol.AnsweringNo
	if _, was := l.agentsAtStart[agent.id]; was && l.now().Sub(l.began) < answerGrace {
		found = protocol.AnsweringUnknown
	}
	for _, node := range callers {
		for _, one := range l.nodes[node] {
			switch one.answers.For(agent.id, connection) {
			case protocol.AnsweringYes:
				return protocol.AnsweringYes
			case protocol.AnsweringUnknown:
				found = protocol.AnsweringUnknown
			}
		}
	}
	return found
}

// Answering reports for agents on the map whether a program answers for them, at any
// host of the world; those that are not on the map are left out. Unknown are agents
// that no stream declares while another stream declares nothing or a host did not
// answer.
func (w *World) Answering(ctx context.Context, ids []string) map[string]string {
	found := map[string]string{}
	var open []string
	for _, agent := range w.View().agents(ids) {
		found[agent.id] = w.answering(agent)
		if found[agent.id] != protocol.AnsweringYes {
			open = append(open, agent.id)
		}
	}
	if len(open) > 0 && !w.SoleHost() {
		w.askPeers(ctx, open, found)
	}
	return found
}

// agentKey is the content of the stable key of an agent's row.
type agentKey struct{ owner, id string }

// agents returns the named agents that are on the map, or all agents if none is
// named.
func (v *View) agents(ids []string) []agentKey {
	named := make(map[string]bool, len(ids))
	for _, id := range ids {
		named[id] = true
	}
	var found []agentKey
	for _, leaf := range v.Tree.Occupants() {
		kind, rest, _ := strings.Cut(leaf.Key(), ":")
		owner, id, _ := strings.Cut(rest, ":")
		if kind == string(protocol.KindAgent) && (len(ids) == 0 || named[id]) {
			found = append(found, agentKey{owner, id})
		}
	}
	return found
}

// peerQuestion and peerAnswer are messages between hosts outside the journal.
type peerQuestion struct {
	Nonce  string   `json:"nonce"`
	Agents []string `json:"agents"`
}

type peerAnswer struct {
	Nonce   string   `json:"nonce"`
	Yes     []string `json:"yes,omitempty"`
	Unknown []string `json:"unknown,omitempty"`
}

// The kinds of these messages, besides those of secrets and of progress.
const (
	agentsMessage    = 4
	answeringMessage = 5
)

// askPeers adds the answers of other hosts.
func (w *World) askPeers(ctx context.Context, ids []string, found map[string]string) {
	ctx, cancel := context.WithTimeout(ctx, peerTerm)
	defer cancel()
	settle := func(ids []string, to string) {
		for _, id := range ids {
			if found[id] != "" && found[id] != protocol.AnsweringYes {
				found[id] = to
			}
		}
	}
	nonce, err := newUUID(w.options.Random)
	others, whole := w.otherHosts(ctx)
	if err != nil || !whole {
		settle(ids, protocol.AnsweringUnknown)
	}
	if err != nil || others <= 0 {
		return
	}
	l := w.listeners
	answers := make(chan peerAnswer, others)
	l.mu.Lock()
	l.asked[nonce] = answers
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.asked, nonce)
	}()
	if w.sendPeers(ctx, agentsMessage, peerQuestion{nonce, ids}) != nil {
		settle(ids, protocol.AnsweringUnknown)
		return
	}
	for range others {
		select {
		case answer := <-answers:
			settle(answer.Unknown, protocol.AnsweringUnknown)
			settle(answer.Yes, protocol.AnsweringYes)
		case <-ctx.Done():
			settle(ids, protocol.AnsweringUnknown)
			return
		}
	}
}

// otherHosts counts the other hosts of the world. whole is false while a host may
// have left whose readers have not reconnected yet.
func (w *World) otherHosts(ctx context.Context) (others int, whole bool) {
	hosts, err := w.present(ctx, presenceTerm)
	if err != nil {
		return 0, false
	}
	delete(hosts, w.replica.holder)
	l := w.listeners
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(hosts), l.fewer.IsZero() || l.now().Sub(l.fewer) >= answerGrace
}

// count records the number of hosts.
func (l *listeners) count(hosts int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if hosts < l.hosts {
		l.fewer = l.now()
	}
	l.hosts = hosts
}

func (w *World) sendPeers(ctx context.Context, kind byte, message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err //nolint:wrapcheck // plain values always marshal
	}
	return w.options.Journal.Send(ctx, append([]byte{kind}, text...))
}

// receiveAnswering applies a message of another host, or of this one. It waits only for the
// reply to be sent.
func (w *World) receiveAnswering(ctx context.Context, message []byte) {
	kind, text := message[0], message[1:]
	l := w.listeners
	switch kind {
	case agentsMessage:
		var question peerQuestion
		if protocol.Decode(text, &question) != nil || len(question.Agents) == 0 {
			return
		}
		l.mu.Lock()
		_, own := l.asked[question.Nonce]
		l.mu.Unlock()
		if own {
			return
		}
		answer := peerAnswer{Nonce: question.Nonce}
		for _, agent := range w.View().agents(question.Agents) {
			switch w.answering(agent) {
			case protocol.AnsweringYes:
				answer.Yes = append(answer.Yes, agent.id)
			case protocol.AnsweringUnknown:
				answer.Unknown = append(answer.Unknown, agent.id)
			}
		}
		ctx, cancel := context.WithTimeout(ctx, sendTerm)
		defer cancel()
		_ = w.sendPeers(ctx, answeringMessage, answer) // the other host waits no longer than peerTerm
	case answeringMessage:
		var answer peerAnswer
		if protocol.Decode(text, &answer) != nil {
			return
		}
		l.mu.Lock()
		waiting := l.asked[answer.Nonce]
		l.mu.Unlock()
		select {
		case waiting <- answer:
		default: // no call waits any more, or more hosts joined
		}
	}
}

// lease returns the lease of an agent, the zero value if it stays on the map without one.
func (r *Registry) lease(agentID string) lease {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if l := r.leases[agentID]; l != nil {
		return *l
	}
	return lease{}
}

// Lease is the term of an agent's lease in seconds, 0 if it has none.
func (r *Registry) Lease(agentID string) int { return r.lease(agentID).TTLSeconds }

// Asked returns when an agent was last asked since this host started, the zero
// time for never.
func (r *Registry) Asked(agentID string) time.Time {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if at := r.asked[agentID]; at != 0 {
		return time.UnixMilli(at)
	}
	return time.Time{}
}

// maxAsked bounds the number of agents whose last question is remembered.
const maxAsked = 1 << 14

// take updates the leases and the open requests that a record changed; the lock is
// held.
func (r *Registry) take(record *store.Record, s *state) {
	switch {
	case record.Table == store.Leases && record.Clears():
		r.leases = maps.Clone(s.leases)
	case record.Table == store.Leases:
		put(r.leases, string(record.Key), s.leases[string(record.Key)])
	case record.Table == store.Intercom && bytes.HasPrefix(record.Key, []byte(openIntercom)) && record.Value != nil:
		var request intercom
		if json.Unmarshal(record.Value, &request) != nil {
			return
		}
		if len(r.asked) >= maxAsked {
			clear(r.asked)
		}
		r.asked[request.Agent] = max(r.asked[request.Agent], request.At)
	}
}
