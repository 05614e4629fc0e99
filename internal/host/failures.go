package host

import (
	"sync"
	"time"

	"github.com/playctl/playctl/protocol"
)

// failurePause is the least time between two lines of the log about failed requests of one
// code.
const failurePause = time.Second

// failureLines bound the log's lines about failed requests: while a store is away, each
// request that needs it fails.
type failureLines struct {
	mu sync.Mutex
	of map[protocol.Code]*failureLine
}

// failureLine is when a code had its last line, and how many requests failed with it since.
type failureLine struct {
	at   time.Time
	more int
}

// next counts a failure, and reports whether it gets a line, and how many before it got
// none.
func (f *failureLines) next(code protocol.Code, now time.Time) (more int, line bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := f.of[code]
	if last == nil {
		if f.of == nil {
			f.of = map[protocol.Code]*failureLine{}
		}
		f.of[code] = &failureLine{at: now}
		return 0, true
	}
	if now.Sub(last.at) < failurePause {
		last.more++
		return 0, false
	}
	more, last.at, last.more = last.more, now, 0
	return more, true
}
