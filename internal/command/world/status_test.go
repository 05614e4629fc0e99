package world

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBridgeInMetrics(t *testing.T) {
	const metrics = `# HELP playctl_bridge_position The id of the last event.
# TYPE playctl_bridge_position gauge
playctl_bridge_position 41
playctl_bridge_lag_events 7
playctl_bridge_failing 1
playctl_bridge_delivered_total 3.2e+01
playctl_bridge_refused_total 2
playctl_bridge_retries_total 9
playctl_bridge_skipped_total 0
playctl_bridge_last_failure{kind="timeout"} 1
playctl_rev 5
`
	want := &bridgeResult{Position: 41, Lag: 7, Failing: true, Delivered: 32, Refused: 2, Retries: 9}
	if diff := cmp.Diff(want, bridgeIn(metrics)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, none := range []string{"", "playctl_rev 5\n", "playctl_bridge_position x\n"} {
		if got := bridgeIn(none); got != nil {
			t.Errorf("%q has a bridge: %+v", none, got)
		}
	}
}
