package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// intercomTerm is how long an agent has to answer; each partial answer restarts
// it (protocol reference, "Intercom").
const intercomTerm = protocol.MaxIntercomSilenceSeconds * time.Second

// intercom is one request to an agent.
type intercom struct {
	RequestID string `json:"requestId"`
	// Caller is who sent the command: a node, a viewer or the administrator.
	Caller string `json:"caller"`
	// Asker and Agent are the command's fromPlayerId and toPlayerId.
	Asker      string `json:"asker"`
	Agent      string `json:"agent"`
	MainNodeID string `json:"mainNodeId"`
	Kind       string `json:"kind"`
	ToolName   string `json:"toolName,omitempty"`
	// Audience lists the callers that may see the events of this request, in addition
	// to the administrator.
	Audience []string `json:"audience"`
	// Account is the caller's account, whose quota the request counts toward.
	Account string `json:"account,omitempty"`
	// At is when the command came, in milliseconds since the Unix epoch.
	At int64 `json:"at"`
}

// IntercomCommand asks an agent for something.
type IntercomCommand struct {
	protocol.IntercomCommand
	// NotAnswering refuses the command, after all other checks.
	NotAnswering bool
}

// AssistTool asks an agent, as a person, to run one of its tools.
type AssistTool struct{ protocol.AssistToolRequest }

// IntercomResponse is an agent's answer.
type IntercomResponse struct{ protocol.IntercomResponse }

func (c AssistTool) plan(p *planner) (any, error) {
	row, err := p.playerOnMap(c.TargetPlayerID)
	if err != nil {
		return nil, err
	}
	id, err := newUUID(p.options.Random)
	if err != nil {
		return nil, err
	}
	command := &protocol.IntercomCommand{
		RequestID: id, MainNodeID: row.NodeID, FromPlayerID: protocol.HumanLabel, ToPlayerID: c.TargetPlayerID,
		Kind: protocol.IntercomAssist, ToolName: c.ToolName, Args: c.Args,
	}
	if err := p.checkAsker(command.FromPlayerID); err != nil {
		return nil, err
	}
	return &protocol.RequestReply{OK: true, RequestID: id}, p.forward(command)
}

// lookups implements prefetcher.
func (c IntercomCommand) lookups(*state) []store.Lookup {
	return []store.Lookup{{Table: store.Intercom, Key: []byte(closedIntercomKey(c.RequestID))}}
}

func (c IntercomCommand) plan(p *planner) (any, error) {
	r := &c.IntercomCommand
	if err := p.checkAsker(r.FromPlayerID); err != nil {
		return nil, err
	}
	reply := &protocol.OKReply{OK: true}
	seen, err := p.seenIntercom(r.RequestID)
	if err != nil {
		return nil, err
	}
	if seen != nil {
		if seen.Caller != p.req.Caller.identity() {
			return nil, protocol.Errorf(protocol.CodeForbidden, "the requestId was used by another caller: choose a random one")
		}
		return reply, nil
	}
	if c.NotAnswering {
		if err := p.checkAddressee(r); err != nil {
			return nil, err
		}
		return nil, protocol.Errorf(protocol.CodeAgentNotAnswering, "the agent is on the map, but no program answers for it")
	}
	return reply, p.forward(r)
}

// forward stages a new request.
func (p *planner) forward(r *protocol.IntercomCommand) error {
	if err := p.checkAddressee(r); err != nil {
		return err
	}
	account := p.account()
	if err := p.checkQuota(account, Requests); err != nil {
		return err
	}
	request := &intercom{
		RequestID: r.RequestID, Caller: p.req.Caller.identity(), Asker: r.FromPlayerID, Agent: r.ToPlayerID,
		MainNodeID: r.MainNodeID, Kind: r.Kind, ToolName: r.ToolName, Account: account, At: p.now.UnixMilli(),
	}
	request.Audience = audienceOf(request)
	payload, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode an intercom command: %w", err)
	}
	event := request.event(protocol.IntercomStarted, p.at())
	event.Message = r.Text
	if err := p.emitTo(request, event); err != nil {
		return err
	}
	event.Status, event.Command = protocol.IntercomForwarded, payload
	if err := p.emitTo(request, event); err != nil {
		return err
	}
	return p.put(store.Intercom, openIntercomKey(r.RequestID), request)
}

// checkAddressee refuses a command to an agent that is not on the map, is not
// the named main node's, or has no such tool.
func (p *planner) checkAddressee(r *protocol.IntercomCommand) error {
	row, err := p.playerOnMap(r.ToPlayerID)
	if err != nil {
		return err
	}
	if row.NodeID != r.MainNodeID {
		return protocol.Errorf(protocol.CodePlayerUnknown, "the agent does not belong to mainNodeId")
	}
	if r.Kind == protocol.IntercomAssist && !slices.Contains(row.ToolNames, r.ToolName) {
		return protocol.Errorf(protocol.CodeToolUnknown, "the agent did not register this tool")
	}
	return nil
}

// identity returns a name of the caller that is unique among all callers.
func (c *Caller) identity() string {
	switch {
	case c.Admin:
		return "admin:"
	case c.Viewer != "":
		return c.Viewer
	}
	return c.NodeID
}

func audienceOf(r *intercom) []string {
	audience := []string{r.Agent, r.MainNodeID, r.Caller}
	slices.Sort(audience)
	audience = slices.Compact(audience)
	return slices.DeleteFunc(audience, func(s string) bool { return s == "" })
}

// event returns an event of the request, whose sender is always the agent.
func (r *intercom) event(status, ts string) *protocol.IntercomEvent {
	return &protocol.IntercomEvent{
		RequestID: r.RequestID, MainNodeID: r.MainNodeID, ToPlayerID: r.Asker, FromPlayerID: r.Agent,
		Kind: r.Kind, Status: status, TS: ts, ToolName: r.ToolName,
		ChannelKey: protocol.IntercomChannelKey(r.Asker, r.Agent),
	}
}

// emitTo stages an event for a request's audience.
func (p *planner) emitTo(r *intercom, event *protocol.IntercomEvent) error {
	if err := p.emit(protocol.EventIntercom, event); err != nil {
		return err
	}
	p.entry.Events[len(p.entry.Events)-1].Audience = r.Audience
	return nil
}

func (c IntercomResponse) plan(p *planner) (any, error) {
	r := &c.IntercomResponse
	if _, err := p.agentFor(r.FromPlayerID); err != nil {
		return nil, err
	}
	request := p.st.intercoms[r.RequestID]
	if request == nil || request.Agent != r.FromPlayerID {
		return nil, protocol.Errorf(protocol.CodeRequestUnknown,
			"no open request with this requestId is addressed to this agent: it may have been answered or have timed out")
	}
	result, secret, err := protocol.NormalizeResult(r.Result, r.Message)
	if err != nil {
		return nil, protocol.FieldError("result", "must be a JSON object")
	}
	event := request.event(r.Status, r.TS)
	event.Message, event.Result, event.Error = r.Message, result, r.Error
	if r.ToolName != "" {
		event.ToolName = r.ToolName
	}
	if err := p.emitTo(request, event); err != nil {
		return nil, err
	}
	if secret != nil {
		p.private = append(p.private, privatePart{event: len(p.entry.Events) - 1, asker: request.Caller, secret: secret})
	}
	if r.Status == protocol.IntercomStream {
		p.renewals = append(p.renewals, renewalOf(store.Intercom, openIntercomKey(r.RequestID), intercomTerm))
		return &protocol.OKReply{OK: true}, nil
	}
	return &protocol.OKReply{OK: true}, p.closeIntercom(request)
}

// closeIntercom ends a request; its id stays known for repeatTerm.
func (p *planner) closeIntercom(r *intercom) error {
	p.erase(store.Intercom, openIntercomKey(r.RequestID))
	if err := p.put(store.Intercom, closedIntercomKey(r.RequestID), r); err != nil {
		return err
	}
	return p.rememberID(closedRequests, TagOf(r.Caller), r.At, []byte(r.RequestID), 1)
}

// lookups implements prefetcher.
func (c IntercomResponse) lookups(s *state) []store.Lookup { return s.closing(c.RequestID) }

// closing lists the records that have to be read before a request is closed.
func (s *state) closing(requestID string) []store.Lookup {
	r := s.intercoms[requestID]
	if r == nil {
		return nil
	}
	return closedRequests.tallies(TagOf(r.Caller))
}

// expireIntercom fails a request that was not answered in time.
type expireIntercom struct{ requestID string }

// lookups implements prefetcher.
func (c expireIntercom) lookups(s *state) []store.Lookup { return s.closing(c.requestID) }

func (c expireIntercom) plan(p *planner) (any, error) {
	request := p.st.intercoms[c.requestID]
	if request == nil || !p.passed(store.Deadline{Table: store.Intercom, Key: openIntercomKey(c.requestID)}) {
		return nil, nil //nolint:nilnil // The request was answered meanwhile; no caller waits for a reply.
	}
	event := request.event(protocol.IntercomFailed, p.at())
	event.Error = fmt.Sprintf("the agent did not answer within %d seconds", int(intercomTerm.Seconds()))
	if err := p.emitTo(request, event); err != nil {
		return nil, err
	}
	return nil, p.closeIntercom(request)
}

// seenIntercom finds a request of the last day, open or closed.
func (p *planner) seenIntercom(requestID string) (*intercom, error) {
	if r := p.st.intercoms[requestID]; r != nil {
		return r, nil
	}
	if r := p.st.closedIntercoms[requestID]; r != nil {
		return r, nil
	}
	b, err := p.get(store.Intercom, []byte(closedIntercomKey(requestID)))
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, nil //nolint:nilnil // A new request.
	}
	var r intercom
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, unavailable(fmt.Errorf("intercom record %q: %w: %w", requestID, store.ErrCorrupt, err))
	}
	if p.now.UnixMilli()-r.At >= repeatTerm.Milliseconds() {
		return nil, nil //nolint:nilnil // The id is free again; the sweep has not removed the record yet.
	}
	return &r, nil
}

// The keys of the table: open requests, which are kept in memory, and closed ones.
const (
	openIntercom   = "o"
	closedIntercom = "c"
)

func openIntercomKey(requestID string) string { return openIntercom + requestID }
func closedIntercomKey(requestID string) string {
	return string(closedRequests.RecordKey([]byte(requestID)))
}

// applyIntercom keeps the open requests in memory, and the closed ones until
// the batch that closes them is in the store.
func (s *state) applyIntercom(r *store.Record) error {
	kind, id := string(r.Key[:1]), string(r.Key[1:])
	inner := store.Record{Table: r.Table, Key: []byte(id), Value: r.Value}
	switch kind {
	case openIntercom:
		return applyRecord(&inner, s.setIntercom)
	case string(closedRequests.Tally()):
		return s.applyRemembered(r)
	case closedIntercom:
		return applyRecord(&inner, func(id string, v *intercom) { put(s.closedIntercoms, id, v) })
	}
	return nil
}
