package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// statusResult is what "playctl status" prints. Ready is absent where the host
// answers that somewhere else.
type statusResult struct {
	Context   string         `json:"context,omitempty"`
	Server    string         `json:"server"`
	Ready     *bool          `json:"ready,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	SID       string         `json:"sid,omitempty"`
	Rev       *uint64        `json:"rev,omitempty"`
	Seq       *uint64        `json:"seq,omitempty"`
	Occupants int            `json:"occupants"`
	Kinds     map[string]int `json:"kinds,omitempty"`
	Spaces    int            `json:"spaces"`
	Bridge    *bridgeResult  `json:"bridge,omitempty"`
}

// errNotReady says that a host answers and does not serve.
var errNotReady = errors.New("the host is not ready")

func newStatusCommand(a *app) *cobra.Command {
	var readyOnly bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether the host is ready, and what is in its world",
		Long: `Show whether the host is ready, where its world stands, how much is in it and how its
remote bridge does. The exit code is 1 if the host answers and is not ready, 4 if it does not answer.

With --ready it asks for nothing else and needs no credentials: a health check of a container.`,
		Example: example(
			"playctl status",
			"playctl status --server http://127.0.0.1:7420 --timeout 2s --output json",
			"playctl status --ready --timeout 2s"),
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asReader(cmd.Context(), "Asking the host", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				result := statusResult{Context: who.contextName(), Server: c.BaseURL()}
				err := result.probe(ctx, c)
				if isUnreachable(err) || ctx.Err() != nil {
					return nil, err
				}
				if readyOnly {
					return result.document(a.printer.Look), errors.Join(err, result.untold())
				}
				if err == nil {
					err = result.look(ctx, c)
				}
				result.bridge(ctx, c)
				return result.document(a.printer.Look), err
			})
		},
	}
	cmd.Flags().BoolVar(&readyOnly, "ready", false, "only ask whether it is ready")
	return cmd
}

// untold is an error where the host does not say whether it is ready.
func (r *statusResult) untold() error {
	if r.Ready != nil {
		return nil
	}
	return hintf(fmt.Errorf("%w as far as %s tells: it does not answer that", errNotReady, r.Server),
		"with --metrics-listen another listener answers it: name that one with --server")
}

// probe finds out whether the host is ready.
func (r *statusResult) probe(ctx context.Context, c *client.Client) error {
	err := c.Ready(ctx)
	refused, answered := errors.AsType[*protocol.Error](err)
	var replied *client.ReplyError
	switch ready := err == nil; {
	case ready:
		r.Ready = &ready
	case answered && refused.Status() == http.StatusNotFound, errors.As(err, &replied):
		// Another listener answers it, or a host of the older service does not.
		return nil
	case answered:
		r.Ready, r.Reason = &ready, refused.Message
		return fmt.Errorf("%w: %w", errNotReady, err)
	}
	return err
}

// look reads where the world stands.
func (r *statusResult) look(ctx context.Context, c *client.Client) error {
	text, _, err := c.WorldSnapshot(ctx)
	if err != nil {
		return err
	}
	var snapshot protocol.Snapshot
	if err := protocol.Decode(text, &snapshot); err != nil {
		return fmt.Errorf("read the snapshot: %w", err)
	}
	r.SID, r.Rev, r.Seq = snapshot.SID, snapshot.Rev, snapshot.Seq
	r.Occupants, r.Spaces, r.Kinds = len(snapshot.WorldMap.Occupants), len(snapshot.Spaces), map[string]int{}
	for _, row := range snapshot.WorldMap.Occupants {
		var occupant struct {
			Kind string `json:"kind"`
		}
		if err := protocol.Decode(row, &occupant); err != nil {
			return fmt.Errorf("read the snapshot: %w", err)
		}
		r.Kinds[occupant.Kind]++
	}
	return nil
}

func (r *statusResult) document(look render.Look) *render.Document {
	state := "the host does not say here"
	if r.Ready != nil && *r.Ready {
		state = look.Good("ready")
	} else if r.Ready != nil {
		state = look.Bad("not ready")
	}
	fields := render.Fields{{Name: "context", Value: r.Context}}
	if r.SID != "" {
		counts := []string{}
		for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
			counts = append(counts, fmt.Sprintf("%d %s", r.Kinds[kind], kind))
		}
		if len(counts) == 0 {
			counts = []string{"none"}
		}
		fields = append(fields,
			render.Field{Name: "session", Value: r.SID},
			render.Field{Name: "rev", Value: number(r.Rev)},
			render.Field{Name: "seq", Value: number(r.Seq)},
			render.Field{Name: "occupants", Value: strings.Join(counts, ", ")},
			render.Field{Name: "spaces", Value: decimal(int64(r.Spaces))})
	}
	if r.Bridge != nil {
		fields = append(fields, r.Bridge.field(look))
	}
	return &render.Document{Data: *r, Views: []render.View{render.Line(render.Clean(r.Server) + ": " + state), fields}}
}
