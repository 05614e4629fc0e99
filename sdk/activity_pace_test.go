package sdk_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// Whatever an agent says and whatever happens to its host, the last activity arrives, and it sends
// no more than one a second, but for those that people wait for.
func TestLastActivityArrives(t *testing.T) {
	states := protocol.ActivityStates()
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			host := openHost(t)
			network := &switchable{target: host.Transport()}
			r := &recorder{next: network}
			a := addAgent(t, openWorld(t, host, func(o *sdk.Options) { o.Transport = r }), "ada", nil)
			say := map[string]func(context.Context, string, ...sdk.ActivityOption) error{
				"working": a.Working, "waiting": a.Waiting, "idle": a.Idle, "done": a.Done, "failed": a.Failed,
			}
			faulty := seed%2 == 1
			var state, text string
			var used float64
			for i := range 60 {
				switch n := random.IntN(10); {
				case n < 3:
					used++
					must(t, a.Usage(t.Context(), tokens(used)))
				case n == 3 && faulty:
					reset(t, host)
				case n == 4 && faulty:
					network.set(roundTrip(unreachable))
				case n == 5 && faulty:
					network.set(host.Transport())
				default:
					state, text = states[random.IntN(len(states))], fmt.Sprint(i)
					must(t, say[state](t.Context(), text))
				}
				wait(t, time.Duration(random.IntN(4)*random.IntN(900))*time.Millisecond)
			}
			network.set(host.Transport())
			wait(t, 2*time.Minute)
			checkState(t, host, state, text)
			if got := activityOf(t, host, "ada").Usage; used > 0 && (got == nil || *got.InputTokens != used) {
				t.Errorf("the row has the usage %v, want %v", got, used)
			}
			checkPace(t, r.sent, faulty)
			if t.Failed() {
				t.Errorf("seed %d", seed)
			}
		})
	}
}

// checkPace checks the times between requests.
func checkPace(t *testing.T, sent []sentActivity, faulty bool) {
	t.Helper()
	for i := 1; i < len(sent); i++ {
		before, now := sent[i-1], sent[i]
		gap := now.at.Sub(before.at)
		urgent := now.State != protocol.ActivityWorking && now.State != protocol.ActivityIdle
		onlyUsage := before.State == now.State && before.Text == now.Text
		if gap < time.Second && !urgent || !faulty && onlyUsage && gap < 10*time.Second {
			t.Errorf("%+v came %v after %+v", now.RecordActivityRequest, gap, before.RecordActivityRequest)
		}
	}
}
