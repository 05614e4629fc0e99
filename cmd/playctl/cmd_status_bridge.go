package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
)

// bridgeResult is how a host's remote bridge does.
type bridgeResult struct {
	Position  uint64 `json:"position"`
	Lag       uint64 `json:"lag"`
	Failing   bool   `json:"failing"`
	Delivered uint64 `json:"delivered"`
	Refused   uint64 `json:"refused"`
	Retries   uint64 `json:"retries"`
	Skipped   uint64 `json:"skipped"`
}

// bridge reads the bridge's state from the host's metrics. A host that has no
// bridge, or answers its metrics somewhere else, leaves it out.
func (r *statusResult) bridge(ctx context.Context, c *client.Client) {
	text, err := c.Metrics(ctx)
	if err != nil {
		return
	}
	r.Bridge = bridgeIn(string(text))
}

// bridgeIn finds the bridge's numbers in Prometheus text, nil if there are none.
func bridgeIn(metrics string) *bridgeResult {
	const prefix = "playctl_bridge_"
	var found *bridgeResult
	for line := range strings.Lines(metrics) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || !strings.HasPrefix(name, prefix) {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil || number < 0 {
			continue
		}
		if found == nil {
			found = &bridgeResult{}
		}
		found.set(strings.TrimPrefix(name, prefix), uint64(number))
	}
	return found
}

func (b *bridgeResult) set(name string, value uint64) {
	switch name {
	case "position":
		b.Position = value
	case "lag_events":
		b.Lag = value
	case "failing":
		b.Failing = value != 0
	case "delivered_total":
		b.Delivered = value
	case "refused_total":
		b.Refused = value
	case "retries_total":
		b.Retries = value
	case "skipped_total":
		b.Skipped = value
	}
}

// field tells a person how the bridge does.
func (b *bridgeResult) field(look render.Look) render.Field {
	state := look.Good("up to event " + count(b.Position))
	if b.Failing {
		state = look.Bad("does not take events, at event " + count(b.Position))
	}
	return render.Field{Name: "bridge", Value: state + ", " + count(b.Lag) + " behind, " +
		count(b.Refused) + " refused, " + count(b.Retries) + " retries"}
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }
