package sdk

import (
	"net/http"
	"reflect"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

const (
	// activityInterval is the shortest time between two activities, but for those that people
	// wait for.
	activityInterval = time.Second
	// usageInterval is the shortest time before a change of the usage alone is sent.
	usageInterval = 10 * time.Second
	// longestActivityWait bounds what a host may request with `Retry-After`.
	longestActivityWait = 5 * time.Minute
)

// activityPace decides when an agent's activity is sent, and which: always the newest, whatever
// was skipped before it. It has no clock and sends nothing; the sender asks due, then calls begin
// and ended for each request.
type activityPace struct {
	// newest is what the agent does now; it has no State before the first activity.
	newest protocol.RecordActivityRequest
	// settled is what the host has accepted, or refused for good; it has no State while the
	// host has none of this registration.
	settled protocol.RecordActivityRequest
	// began is when the last request began.
	began time.Time
	// resumes is the earliest time of the next request after a failed one.
	resumes time.Time
	// failures counts the failed requests in a row.
	failures int
	// unknown is set while the host does not know the agent.
	unknown bool
	// refused is set if the last activity was refused for good.
	refused bool
	// registrations counts the times that the agent was registered again.
	registrations int
}

// sending is a request in progress.
type sending struct {
	request      protocol.RecordActivityRequest
	registration int
}

// due returns when to send the newest activity; false if there is nothing to send.
func (p *activityPace) due() (time.Time, bool) {
	if p.newest.State == "" || p.unknown || reflect.DeepEqual(p.newest, p.settled) {
		return time.Time{}, false
	}
	at := p.began.Add(activityInterval)
	onlyUsage := p.settled
	onlyUsage.Usage = p.newest.Usage
	switch {
	case reflect.DeepEqual(p.newest, onlyUsage):
		at = p.began.Add(usageInterval)
	case p.newest.State != protocol.ActivityWorking && p.newest.State != protocol.ActivityIdle:
		at = p.began
	}
	if at.Before(p.resumes) {
		at = p.resumes
	}
	return at, true
}

// begin returns the request to send now.
func (p *activityPace) begin(now time.Time) sending {
	p.began = now
	return sending{p.newest, p.registrations}
}

// ended takes the result of a request. It reports whether the host refuses activities for good
// since this one.
func (p *activityPace) ended(now time.Time, s sending, err error) (refused bool) {
	if s.registration != p.registrations {
		return false // The answer is about a row that may be gone: the newest is sent again.
	}
	refusal, answered := asRefusal(err)
	switch {
	case err == nil:
		p.settled, p.failures, p.refused = s.request, 0, false
	case protocol.HasCode(err, protocol.CodeLeaseUnknown, protocol.CodePlayerUnknown):
		p.unknown = true
	case answered && refusal.Status() == http.StatusTooManyRequests:
		p.resumes = now.Add(min(max(refusal.RetryAfter, activityInterval), longestActivityWait))
	case answered && isOfRequest(refusal):
		refused = !p.refused
		p.settled, p.refused = s.request, true
	default:
		p.failures++
		p.resumes = now.Add(retry.Backoff{First: 2 * activityInterval, Max: longestRepair}.After(p.failures))
	}
	return refused
}

// isOfRequest reports whether a refusal would be the same again.
func isOfRequest(refusal *protocol.Error) bool {
	status := refusal.Status()
	return status < http.StatusInternalServerError && status != http.StatusRequestTimeout && refusal.Code != protocol.CodeSIDInvalid
}

// registered makes the newest activity due again: the host may have a new row.
func (p *activityPace) registered() {
	p.registrations++
	p.settled, p.resumes, p.failures, p.unknown = protocol.RecordActivityRequest{}, time.Time{}, 0, false
}
