package host

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// observe adds the gauges that are read from the host's world when they are
// asked for.
func (m *Metrics) observe(h *Host) error {
	derivations := func(waiting bool) func() float64 {
		return func() float64 {
			if h.options.Deriver == nil {
				return 0
			}
			running, waits := h.options.Deriver.Load()
			if waiting {
				return float64(waits)
			}
			return float64(running)
		}
	}
	for _, g := range []struct {
		name, help string
		value      func() float64
	}{
		{"playctl_world_rev", "The map's revision.", func() float64 { return float64(h.world.View().Rev) }},
		{"playctl_world_seq", "The last event's id.", func() float64 { return float64(h.world.Events().Head()) }},
		{"playctl_world_stale", "1 while the view may be behind the store.", func() float64 {
			if h.world.Stale() != nil {
				return 1
			}
			return 0
		}},
		{"playctl_world_occupants", "Rows on the map.", func() float64 { return float64(h.world.View().Tree.OccupantCount()) }},
		{"playctl_derivations_running", "Derivations of node ids under way.", derivations(false)},
		{"playctl_derivations_waiting", "Derivations of node ids that wait for their turn.", derivations(true)},
	} {
		c := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, g.value)
		if err := m.registry.Register(c); err != nil {
			m.forget()
			return fmt.Errorf("host: measure %s: one Metrics serves one host: %w", g.name, err)
		}
		m.gauges = append(m.gauges, c)
	}
	return nil
}

// forget takes a host's gauges out again, so that its Metrics can serve the
// next host of the same world.
func (m *Metrics) forget() {
	for _, c := range m.gauges {
		m.registry.Unregister(c)
	}
	m.gauges = nil
}
