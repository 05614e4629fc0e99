package world

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// connectResult is what "playctl connect" prints. Rev and seq are absent if the host does
// not send them.
type connectResult struct {
	Context       string                `json:"context,omitempty"`
	Server        string                `json:"server"`
	NodeID        string                `json:"nodeId,omitempty"`
	SID           string                `json:"sid"`
	Rev           *uint64               `json:"rev,omitempty"`
	Seq           *uint64               `json:"seq,omitempty"`
	Capabilities  []protocol.Capability `json:"capabilities"`  // the extensions that the host has
	LatencyMillis int64                 `json:"latencyMillis"` // how long the host took to answer, in milliseconds
}

func newConnectCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:        "connect",
		SuggestFor: []string{"ping"},
		GroupID:    command.GroupWorld,
		Short:      "Check that the host can be reached and accepts you",
		Long: `Check that the host can be reached and accepts the credentials and the API key of the
context. It changes nothing.`,
		Example: command.Example("playctl connect", "playctl connect --server http://127.0.0.1:7420 --timeout 2s"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsReader(cmd.Context(), "Connecting", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				start := a.Now()
				session, err := c.Session(ctx)
				if err != nil {
					return nil, err
				}
				result := connectResult{
					Context: caller.ContextName(), Server: c.BaseURL(), NodeID: caller.Main.NodeID, SID: session.SID,
					Rev: session.Rev, Seq: session.Seq, Capabilities: append([]protocol.Capability{}, session.Capabilities...),
					LatencyMillis: a.Now().Sub(start).Milliseconds(),
				}
				return result.document(a.Printer.Look), nil
			})
		},
	}
}

func (r connectResult) document(look render.Look) *render.Document {
	names := make([]string, len(r.Capabilities))
	for i, c := range r.Capabilities {
		names[i] = string(c)
	}
	return &render.Document{Data: r, Views: []render.View{
		render.Line(look.Good("connected") + " to " + render.Clean(r.Server)),
		render.Fields{
			{Name: "context", Value: r.Context},
			{Name: "main node", Value: render.ShortID(r.NodeID)},
			{Name: "session", Value: r.SID},
			{Name: "rev", Value: command.Number(r.Rev)},
			{Name: "seq", Value: command.Number(r.Seq)},
			{Name: "features", Value: strings.Join(names, ", ")},
		},
	}}
}

// statusResult is what "playctl status" prints. Unknown values are absent: ready if the
// host reports it at another address, the world if the caller may not read it.
type statusResult struct {
	Context   string                `json:"context,omitempty"`
	Server    string                `json:"server"`
	Ready     *bool                 `json:"ready,omitempty"`  // whether the host serves; absent where it does not say
	Reason    string                `json:"reason,omitempty"` // why it is not ready
	SID       string                `json:"sid,omitempty"`
	Rev       *uint64               `json:"rev,omitempty"`
	Seq       *uint64               `json:"seq,omitempty"`
	Occupants *int                  `json:"occupants,omitempty"` // how many rows are on the map; absent without credentials
	Kinds     map[string]int        `json:"kinds,omitempty"`     // the number of rows by kind; absent without credentials
	Counts    *protocol.AgentCounts `json:"counts,omitempty"`    // how many agents are in each state; absent without credentials
	Spaces    *int                  `json:"spaces,omitempty"`    // how many spaces there are; absent without credentials
	Bridge    *bridgeResult         `json:"bridge,omitempty"`    // the state of the bridge to another service, if the host has one
}

// errNotReady means that a host answers but does not serve yet.
var errNotReady = errors.New("the host is not ready")

func newStatusCommand(a *command.App) *cobra.Command {
	var readyOnly, short bool
	var wait time.Duration
	cmd := &cobra.Command{
		Use:        "status",
		SuggestFor: []string{"health"},
		GroupID:    command.GroupHost,
		Short:      "Show whether the host is ready, and what is in its world",
		Long: `Show whether the host is ready, where its world stands, how much is in it and the state of the
bridge. The exit code is 1 if the host answers and is not ready, 4 if it does not answer. Without
credentials for the host it shows only whether the host is ready.

With --ready it checks only that and needs no credentials, as in a container's health check. --wait
gives the host time to become ready; the exit codes are the same.

--short prints one line for a prompt or a status bar, such as "3 working · 1 waiting": how many agents
are in each state, and an empty line if none says what it does. It gives up after 200ms, or --timeout.`,
		Example: command.Example(
			"playctl status",
			"playctl status --server http://127.0.0.1:7420 --timeout 2s --output json",
			"playctl status --ready --timeout 2s",
			"playctl status --ready --wait 30s",
			"playctl status --short"),
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wait < 0 {
				return command.Usagef("--wait must not be negative")
			}
			if short {
				return shortStatus(cmd.Context(), a, readyOnly || wait > 0)
			}
			if a.Settings.Timeout > 0 {
				a.Settings.Timeout += wait
			}
			return a.AsReader(cmd.Context(), "Asking the host", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				result := statusResult{Context: caller.ContextName(), Server: c.BaseURL()}
				err := result.probeFor(ctx, c, wait)
				if errors.Is(ctx.Err(), context.Canceled) {
					return nil, context.Cause(ctx)
				}
				if command.IsUnreachable(err) || ctx.Err() != nil {
					return nil, err
				}
				if readyOnly {
					return result.document(a.Printer.Look), errors.Join(err, result.readinessKnown())
				}
				err = result.read(ctx, a, c, err)
				return result.document(a.Printer.Look), err
			})
		},
	}
	cmd.Flags().BoolVar(&readyOnly, "ready", false, "only ask whether it is ready")
	cmd.Flags().BoolVar(&short, "short", false, "only count the agents by their states, on one line")
	cmd.Flags().DurationVar(&wait, "wait", 0, "how long to wait for the host to become ready")
	return cmd
}

// waitStep is the pause of --wait between two attempts.
const waitStep = 200 * time.Millisecond

// probeFor probes the host until it is ready or the time is over, at least once.
func (r *statusResult) probeFor(ctx context.Context, c *client.Client, wait time.Duration) error {
	err := r.probe(ctx, c)
	for end := time.Now().Add(wait); err != nil && time.Now().Before(end) && pause.For(ctx, waitStep); {
		err = r.probe(ctx, c.WithRetry(retry.Policy{Attempts: 1}))
	}
	return err
}

// readinessKnown returns an error if the host does not report whether it is ready.
func (r *statusResult) readinessKnown() error {
	if r.Ready != nil {
		return nil
	}
	return command.Hintf(fmt.Errorf("%s does not report whether it is ready", r.Server),
		"a host with --metrics-listen reports it on that listener: use that address with --server")
}

// probe checks whether the host is ready.
func (r *statusResult) probe(ctx context.Context, c *client.Client) error {
	err := c.Ready(ctx)
	refused, answered := errors.AsType[*protocol.Error](err)
	var replied *client.ReplyError
	switch ready := err == nil; {
	case ready:
		r.Ready, r.Reason = &ready, ""
	case answered && refused.Status() == http.StatusNotFound, errors.As(err, &replied):
		// The host reports it at another address, or is of the agent-play service and does not
		// report it.
		return nil
	case answered:
		r.Ready, r.Reason = &ready, refused.Message
		return fmt.Errorf("%w: %w", errNotReady, err)
	}
	return err
}

// read reads the state of the world, unless the host is not ready or the caller may not,
// and of the bridge. It returns err if the host is not ready.
func (r *statusResult) read(ctx context.Context, a *command.App, c *client.Client, err error) error {
	if err == nil {
		err = r.look(ctx, c)
	}
	if r.Ready != nil && *r.Ready && protocol.HasCode(err, protocol.CodeCredentialsMissing) {
		a.Note("Only nodes can see what is in the world: %s.", a.HintFor(err))
		err = nil
	}
	if text, err := c.Metrics(ctx); err == nil {
		r.Bridge = bridgeIn(string(text))
	}
	return err
}

// look reads the state of the world.
func (r *statusResult) look(ctx context.Context, c *client.Client) error {
	_, snapshot, err := command.Snapshot(ctx, c)
	if err != nil {
		return err
	}
	r.SID, r.Rev, r.Seq = snapshot.SID, snapshot.Rev, snapshot.Seq
	occupants, spaces := len(snapshot.WorldMap.Occupants), len(snapshot.Spaces)
	r.Occupants, r.Spaces, r.Kinds = &occupants, &spaces, client.Kinds(snapshot)
	counts := protocol.AgentCounts{}
	for _, row := range client.Rows[*protocol.Agent](snapshot) {
		counts.Add(render.StateOf(row))
	}
	r.Counts = &counts
	return nil
}

func (r *statusResult) document(look render.Look) *render.Document {
	state := "not reported by this host"
	if r.Ready != nil && *r.Ready {
		state = look.Good("ready")
	} else if r.Ready != nil {
		state = look.Bad("not ready")
	}
	fields := render.Fields{{Name: "context", Value: r.Context}}
	if r.SID != "" {
		counts := []string{}
		for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
			one, many := kind, kind+"s"
			if kind == string(protocol.KindMCP) {
				one, many = "MCP placement", "MCP placements"
			}
			counts = append(counts, command.Plural(r.Kinds[kind], one, many))
		}
		if len(counts) == 0 {
			counts = []string{"none"}
		}
		fields = append(fields,
			render.Field{Name: "session", Value: r.SID},
			render.Field{Name: "rev", Value: command.Number(r.Rev)},
			render.Field{Name: "seq", Value: command.Number(r.Seq)},
			render.Field{Name: "on the map", Value: strings.Join(counts, ", ")},
			render.Field{Name: "agents", Value: render.CountsText(*r.Counts)},
			render.Field{Name: "spaces", Value: command.Decimal(int64(*r.Spaces))})
	}
	if r.Bridge != nil {
		fields = append(fields, r.Bridge.field(look))
	}
	return &render.Document{Data: *r, Views: []render.View{render.Line(render.Clean(r.Server) + ": " + state), fields}}
}

// bridgeResult is the state of a host's bridge.
type bridgeResult struct {
	Position  uint64 `json:"position"`  // the last event that was delivered, refused or skipped
	Lag       uint64 `json:"lag"`       // events that wait
	Failing   bool   `json:"failing"`   // whether the last attempt failed
	Delivered uint64 `json:"delivered"` // delivered events
	Refused   uint64 `json:"refused"`   // events that the other service refused
	Retries   uint64 `json:"retries"`   // attempts after a failure
	Skipped   uint64 `json:"skipped"`   // events that were gone before they could be sent
}

// bridgeIn parses the bridge's metrics in Prometheus format. It returns nil if there are
// none: the host has no bridge, or its metrics at another address.
func bridgeIn(metrics string) *bridgeResult {
	numbers := map[string]uint64{}
	for line := range strings.Lines(metrics) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, isBridges := strings.CutPrefix(name, "playctl_bridge_")
		number, err := strconv.ParseFloat(value, 64)
		if isBridges && err == nil && number >= 0 {
			numbers[name] = uint64(number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	return &bridgeResult{
		Position: numbers["position"], Lag: numbers["lag_events"], Failing: numbers["failing"] != 0,
		Delivered: numbers["delivered_total"], Refused: numbers["refused_total"],
		Retries: numbers["retries_total"], Skipped: numbers["skipped_total"],
	}
}

// field returns the state of the bridge.
func (b *bridgeResult) field(look render.Look) render.Field {
	state := look.Good(fmt.Sprintf("up to event %d", b.Position))
	if b.Failing {
		state = look.Bad(fmt.Sprintf("does not accept events, at event %d", b.Position))
	}
	return render.Field{Name: "bridge", Value: fmt.Sprintf("%s, %d behind, %d refused, %d retries", state, b.Lag, b.Refused, b.Retries)}
}
