package otel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/otel"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// platform is the platform of agents from traces.
const platform = "opentelemetry"

// mostServers limits the number of MCP placements that one run of the command creates.
const mostServers = 100

// sink records runs in a world. Only one goroutine uses it.
type sink struct {
	app     *command.App
	caller  *command.Caller
	world   *sdk.RemotePlayWorld
	most    int
	lines   bool
	agents  map[string]*shown
	servers map[otel.Server]bool
	refused map[string]bool
	// late counts the runs that were not recorded before the context ended.
	late int
}

// shown is an agent on the map, with the tools in its row besides the chat tool.
type shown struct {
	agent *sdk.Agent
	tools []string
	// parent is the name of the agent that started it first, and group its program.
	parent, group string
	// working says that its row says so.
	working bool
}

// openSink connects to the world, and creates the account if it is missing.
func openSink(ctx context.Context, a *command.App, most int, lines bool) (*sink, error) {
	caller, err := a.CallerWithAccount(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.Reach(ctx, caller); err != nil {
		return nil, err
	}
	world, err := sdk.New(a.WorldOptions(caller))
	if err != nil {
		return nil, err
	}
	return &sink{
		app: a, caller: caller, world: world, most: most, lines: lines,
		agents: map[string]*shown{}, servers: map[otel.Server]bool{}, refused: map[string]bool{},
	}, nil
}

// close removes the agents from the map; the placements stay.
func (s *sink) close(ctx context.Context) error {
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), command.LeaveTimeout)
	defer cancel()
	return s.world.Close(leaving)
}

// record records a run. A refusal by the host is a warning: the next run may be accepted.
func (s *sink) record(ctx context.Context, run *otel.Run) {
	for _, server := range run.Servers {
		s.place(ctx, server)
	}
	if run.Agent == "" {
		return
	}
	agent, err := s.agent(ctx, run)
	if err != nil {
		if ctx.Err() != nil {
			s.late++
			return
		}
		s.warn(run.Agent, fmt.Sprintf("%s cannot be put on the map: %s", run.Agent, s.app.Advised(ctx, err)))
		return
	}
	if agent == nil {
		return
	}
	if err := s.say(ctx, agent, run); err != nil {
		if ctx.Err() != nil {
			s.late++
			return
		}
		s.app.Warn(fmt.Sprintf("a run of %s was not recorded: %s", run.Agent, s.app.Advised(ctx, err)), "")
		return
	}
	s.ended(ctx, run)
	s.app.Note("%s: a journey of %s.", run.Agent, command.Plural(len(run.Journey.Steps), "step", "steps"))
}

func (s *sink) say(ctx context.Context, agent *sdk.Agent, run *otel.Run) error {
	for _, line := range []struct{ role, text string }{{protocol.RoleUser, run.Asked}, {protocol.RoleAssistant, run.Answered}} {
		if !s.lines || line.text == "" {
			continue
		}
		_, err := s.world.RecordInteraction(ctx, protocol.RecordInteractionRequest{PlayerID: agent.PlayerID(), Role: line.role, Text: line.text})
		if err != nil {
			return fmt.Errorf("record the line: %w", err)
		}
	}
	_, err := agent.RecordJourney(ctx, run.Journey)
	return err
}

// ended sets the activity of an agent after a run. It is not an event of the run that must
// not be lost: the agent repeats it where the host does not take it now.
func (s *sink) ended(ctx context.Context, run *otel.Run) {
	known, usage := s.agents[run.Agent], sdk.WithUsage(run.Usage)
	switch run.State {
	case protocol.ActivityFailed:
		s.reported(known.agent.Failed(ctx, run.Failure, usage))
	case protocol.ActivityDone:
		s.reported(known.agent.Done(ctx, "", usage))
	default:
		return // Spans without their run say nothing about its end.
	}
	known.working = false
}

// working sets the activity of the agents on the map by the names of those whose runs have
// not ended. One that only seemed to be at work, because the run has another name or never
// arrived, is idle again.
func (s *sink) working(ctx context.Context, names []string) {
	for name, known := range s.agents {
		works := slices.Contains(names, name)
		switch {
		case works && !known.working:
			s.reported(known.agent.Working(ctx, "", sdk.WithUsage(protocol.Usage{})))
		case known.working && !works:
			s.reported(known.agent.Idle(ctx, ""))
		}
		known.working = works
	}
}

// reported warns about an activity that the agent does not take.
func (s *sink) reported(err error) {
	if err != nil {
		s.warn("activity", fmt.Sprintf("what an agent does cannot be shown: %v", err))
	}
}

// agent returns the agent of a run, after it put the agent and its tools on the map;
// nil if there are too many agents. If the host refuses more tools, the agent keeps its
// present ones, and the next run tries again.
func (s *sink) agent(ctx context.Context, run *otel.Run) (*sdk.Agent, error) {
	name, tools := run.Agent, run.Tools
	known := s.agents[name]
	if known == nil {
		if len(s.agents) >= s.most {
			s.warn("", fmt.Sprintf("%s is not put on the map: %s the limit, see --max-agents", name, command.Plural(s.most, "agent is", "agents are")))
			return nil, nil //nolint:nilnil // the agent is ignored
		}
		known = &shown{parent: run.Parent, group: run.Group}
	}
	all := slices.Clone(known.tools)
	for _, tool := range tools {
		if len(all) < protocol.MaxToolNames-1 && tool != protocol.ChatTool && !slices.Contains(all, tool) {
			all = append(all, tool)
		}
	}
	if known.agent != nil && len(all) == len(known.tools) {
		return known.agent, nil
	}
	next := *known
	next.tools = all
	err := s.show(ctx, name, &next)
	switch {
	case err == nil:
		s.agents[name] = &next
		return next.agent, nil
	case known.agent != nil:
		s.warn(name, fmt.Sprintf("the new tools of %s are not on the map: %v", name, err))
		return known.agent, nil
	}
	return nil, err
}

// show registers an agent, which is created if the account has none of that name.
func (s *sink) show(ctx context.Context, name string, as *shown) error {
	ref, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	list := []sdk.Tool{{Name: protocol.ChatTool}}
	for _, tool := range as.tools {
		list = append(list, sdk.Tool{Name: tool})
	}
	registration, err := sdk.NewFrameworkRegistration(platform, list...)
	if err != nil {
		return err
	}
	options := sdk.AgentOptions{Credentials: ref.Credentials(), AgentID: ref.ID, Name: name, Group: as.group, Tools: registration}
	if parent := s.agents[as.parent]; parent != nil {
		options.ParentID = parent.agent.PlayerID()
	}
	as.agent, err = s.world.AddAgent(ctx, options)
	return err
}

func (s *sink) find(ctx context.Context, name string) (command.AgentRef, error) {
	if s.caller.Reader().IsZero() {
		return s.app.FindAgent(ctx, s.caller, idOf(name), command.SeekOwn)
	}
	ref, caller, err := s.app.OwnAgent(ctx, s.caller, name)
	s.caller = caller
	return ref, err
}

// idOf derives an id from a name, for hosts on which agents have no nodes.
func idOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == ':' {
			return '-'
		}
		return r
	}, name)
}

// place registers an MCP server, once.
func (s *sink) place(ctx context.Context, server otel.Server) {
	if s.servers[server] || len(s.servers) >= mostServers {
		return
	}
	if _, err := s.world.RegisterMCP(ctx, sdk.MCP{Name: server.Name, URL: server.URL}); err != nil {
		s.warn("server "+server.Name, fmt.Sprintf("the MCP server %s cannot be placed: %v", server.Name, err))
		return
	}
	s.servers[server] = true
}

// warn warns once about a name, because the problem would recur with every run.
func (s *sink) warn(name, problem string) {
	if s.refused[name] || len(s.refused) > mostServers {
		return
	}
	s.refused[name] = true
	s.app.Warn(problem, "")
}

// warnLate warns about the runs that were not recorded before the context ended.
func (s *sink) warnLate() {
	if s.late > 0 {
		s.app.Warn(fmt.Sprintf("%s not recorded: the host did not take them within %s of the end",
			command.Plural(s.late, "run was", "runs were"), lastRuns), "")
	}
}

// warnHidden warns about programs whose traces show nothing, of which there is one warning
// each.
func (s *sink) warnHidden(hidden []otel.Hidden) {
	for _, one := range hidden {
		switch {
		case one.Base64:
			s.app.Warn(fmt.Sprintf("spans of %q were rejected, because their ids are in base64", one.Service),
				"OTLP has ids in hex in JSON: update its exporter, or let it send protobuf (OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)")
		case one.Models:
			s.app.Warn(fmt.Sprintf("spans of %q are about models only, so they show no agent", one.Service),
				"trace the agent and its tools as well, as docs/otel.md describes, or show the program as an agent with --as-agent")
		default:
			s.app.Warn(fmt.Sprintf("spans of %q are about no agent, tool or model, so they show nothing", one.Service),
				"frameworks report such spans with an instrumentation, which docs/otel.md lists")
		}
	}
}
