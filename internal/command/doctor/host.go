package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

const (
	// clockDoubt and clockWrong are the differences of clocks for a warning and for an
	// error.
	clockDoubt, clockWrong = 5 * time.Second, 5 * time.Minute
	// certificateDoubt is the remaining time of a certificate for a warning.
	certificateDoubt = 14 * 24 * time.Hour
	// streamStart is how long the beginning of a stream may take; a host sends it
	// immediately.
	streamStart = 5 * time.Second
)

// reach checks whether the host answers, and how it is reached.
func (p *examination) reach(ctx context.Context) bool {
	contact, err := p.host.Contact(ctx, p.Now)
	if err != nil {
		fix := p.HintFor(err)
		if errors.Is(err, syscall.ECONNREFUSED) && command.IsLoopbackURL(p.caller.Server) {
			fix = "playctl serve --detach"
		}
		p.wrong("host", err, fix)
		return false
	}
	p.add("host", stateGood, "", "%s answers in %v", p.caller.Server, contact.Took.Round(time.Millisecond))
	switch {
	case p.host.Exposed():
		p.add("TLS", stateDoubt, "serve it with --tls-cert and --tls-key, and use https", "anyone on the network path can read your credentials: the connection is not encrypted")
	case contact.TLS == nil:
		p.add("TLS", stateGood, "", "not needed: the host is on this machine")
	case len(contact.TLS.PeerCertificates) > 0:
		end := contact.TLS.PeerCertificates[0].NotAfter
		if left := end.Sub(p.Now()); left < certificateDoubt {
			p.add("TLS", stateDoubt, "renew the certificate; SIGHUP makes the host reload it", "the host's certificate ends in %.0f days", left.Hours()/24)
		} else {
			p.add("TLS", stateGood, "", "the certificate is valid until %s", end.Format(time.DateOnly))
		}
	}
	p.clock(contact)
	return true
}

func (p *examination) clock(contact *client.Contact) {
	switch ahead := contact.Clock; {
	case ahead == nil:
		p.add("clock", stateUnknown, "", "the host does not report its time")
	case ahead.Abs() >= clockWrong:
		p.wrong("clock", fmt.Errorf("the host's clock and this machine's are %v apart", ahead.Abs()), "correct the wrong clock, for example with: timedatectl set-ntp true")
	case ahead.Abs() >= clockDoubt:
		p.add("clock", stateDoubt, "timedatectl set-ntp true", "the host's clock and this machine's are %v apart", ahead.Abs())
	default:
		p.add("clock", stateGood, "", "the host's and this machine's agree")
	}
}

func (p *examination) ready(ctx context.Context) {
	err := p.host.Ready(ctx)
	refused, answered := errors.AsType[*protocol.Error](err)
	switch {
	case err == nil:
		p.add("ready", stateGood, "", "the host serves")
	case answered && refused.Status() != http.StatusNotFound:
		p.wrong("ready", fmt.Errorf("the host is not ready: %w", err), "check its log: playctl logs, or the service manager's")
	default:
		p.add("ready", stateUnknown, "", "another listener reports whether the host is ready (--metrics-listen)")
	}
}

// version compares the host's version with that of this program.
func (p *examination) version(ctx context.Context) {
	own := p.ThisVersion().Version
	text, err := p.host.Metrics(ctx)
	theirs := ""
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, `playctl_build_info{version="`); found {
			theirs, _, _ = strings.Cut(rest, `"`)
		}
	}
	switch {
	case err != nil || theirs == "":
		p.add("version", stateUnknown, "", "this is playctl %s; the host does not report its version here", own)
	case theirs != own:
		p.add("version", stateDoubt, "go install github.com/playctl/playctl/cmd/playctl@"+theirs, "this is playctl %s, the host is %s", own, theirs)
	default:
		p.add("version", stateGood, "", "playctl %s, as the host", own)
	}
}

// account checks whether the host accepts the credentials and the API key.
func (p *examination) account(ctx context.Context) bool {
	session, err := p.host.Session(ctx)
	if err != nil {
		p.refused(ctx, "account", err)
		return false
	}
	if p.caller.AgentsOnly() {
		return p.agentsAccepted(ctx)
	}
	if p.caller.Main.IsZero() {
		p.add("account", stateDoubt, "playctl create-main-node --server "+p.caller.Server, "you have no account on this host, which anyone can read")
		return true
	}
	if _, err := p.host.Nodes(ctx); err != nil {
		p.refused(ctx, "account", err)
		return false
	}
	p.add("account", stateGood, "", "the host accepts your credentials and your API key (session %.8s)", session.SID)
	return true
}

// agentsAccepted checks whether the host accepts each agent of a context without their
// account.
func (p *examination) agentsAccepted(ctx context.Context) bool {
	var names []string
	for _, agent := range p.caller.Context.Agents() {
		name := cmp.Or(agent.Label, agent.NodeID)
		host := p.host.As(client.Credentials{NodeID: agent.NodeID, Hash: agent.PasswHash})
		if _, err := host.ValidateNode(ctx, protocol.ValidateRequest{NodeID: agent.NodeID}); err != nil {
			p.refused(ctx, "account", fmt.Errorf("%s: %w", name, err))
			return false
		}
		names = append(names, name)
	}
	p.add("account", stateGood, "", "the host accepts the agents of this context, which has no account: %s", strings.Join(names, ", "))
	return true
}

// refused adds a refusal by the host, with its cause and the command that provides what
// the host requires.
func (p *examination) refused(ctx context.Context, check string, err error) {
	err = p.Explain(ctx, err)
	fix := p.HintFor(err)
	switch {
	case protocol.HasCode(err, protocol.CodeAPIKeyInvalid):
		fix = p.caller.NewKey()
	case protocol.HasCode(err, protocol.CodeCredentialsMissing):
		fix = "playctl create-main-node --server " + p.caller.Server
	}
	p.wrong(check, err, fix)
}

// rootKey compares the host's root key with the one from which this machine derives node
// ids.
func (p *examination) rootKey(ctx context.Context) {
	theirs := ""
	if reply, err := p.host.Bootstrap(ctx); err == nil {
		theirs = reply.RootKey
	} else if nodes, err := p.host.Nodes(ctx); err == nil {
		theirs = nodes.GenesisNodeID
	}
	file, _ := p.Surroundings().FindRootFile("") // an invalid file was reported before
	own := cmp.Or(p.caller.RootKey(), file.Key)
	switch {
	case theirs == "" || own == "":
		p.add("root key", stateGood, "", "the host's is used when one is needed")
	case theirs != own && p.caller.RootKey() != "":
		// The fix is that of the account.
		p.wrong("root key", errors.New("the host has a different root key from the one in the context: it serves another world"), "")
	case theirs != own:
		p.add("root key", stateGood, "", "the host's own; the one in %s belongs to another world", file.Path)
	default:
		p.add("root key", stateGood, "", "the host's is the one saved here")
	}
}

// stream opens the event stream: a proxy that buffers whole responses never forwards its
// beginning.
func (p *examination) stream(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, streamStart)
	defer cancel()
	began := p.Now()
	for signal := range p.host.Events(ctx, client.StreamOptions{Answers: protocol.AnswersFor()}).All() {
		switch signal.Type {
		case client.SignalCursor:
			p.add("stream", stateGood, "", "events arrive immediately (the first after %v)", p.Now().Sub(began).Round(time.Millisecond))
			return
		case client.SignalLost:
			p.wrong("stream", fmt.Errorf("the event stream ended immediately: %w", cmp.Or(signal.Err, errStreamEnds)), "")
			return
		case client.SignalConnecting, client.SignalOpen, client.SignalEvent:
		}
	}
	p.wrong("stream", fmt.Errorf("no data from the event stream within %v: a proxy is buffering it", streamStart),
		"turn off its buffering for /api/play/events, in nginx with proxy_buffering off")
}

var errStreamEnds = errors.New("no reason given")

// agents finds the account's agents that are on the map although no program answers.
func (p *examination) agents(ctx context.Context) {
	rows, err := command.AgentsOnMap(ctx, p.host)
	if err != nil {
		p.add("agents", stateUnknown, "", "%s", err)
		return
	}
	answering, err := command.Answering(ctx, p.host)
	if err != nil || answering == nil {
		p.add("agents", stateUnknown, "", "the host does not report for which agents programs answer")
		return
	}
	own, silent := 0, 0
	for _, row := range rows {
		if !p.caller.Owns(row) {
			continue
		}
		own++
		if answering[row.AgentID].Answering == protocol.AnsweringNo {
			silent++
			name := cmp.Or(p.caller.NameOf(row.AgentID), row.Name)
			p.add("agents", stateDoubt, "playctl agent run "+command.Operand(name)+" -- COMMAND", "%s is on the map, and no program answers for it", name)
		}
	}
	if silent == 0 {
		p.add("agents", stateGood, "", "%s of yours on the map", command.Plural(own, "agent", "agents"))
	}
}
