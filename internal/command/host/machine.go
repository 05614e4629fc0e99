package host

import (
	"log/slog"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/playctl/playctl/internal/world"
)

const mebibyte = 1 << 20

// budgetPart is the divisor of the memory limit that gives the budget of recent events.
const budgetPart = 16

// limitMemory sets the memory limit of the garbage collector to GOMEMLIMIT, else to nine
// tenths of the container's memory, and returns the budget of recent events in
// bytes.
func (s *serveSettings) limitMemory(log *slog.Logger, container memlimit.Provider) int {
	limit, err := memlimit.Set(memlimit.WithProvider(container))
	if err != nil {
		log.Debug("the container's memory limit cannot be read", "error", err)
	}
	switch {
	case s.memoryBudget > 0:
		return s.memoryBudget * mebibyte
	case limit < math.MaxInt64:
		return int(limit / budgetPart)
	}
	return world.DefaultMemoryBudget
}

// fitted says how a limit in bytes depends on the memory: with less memory than ample,
// the default is smaller in proportion, down to least, which is in the unit of the
// limit's flag.
type fitted struct {
	ample int64
	least int
}

// mapMemory is the memory that the defaults of the map's limits need. It is more than
// other limits need, because every reader of a changed map reads all of it.
const mapMemory = 512 * mebibyte

var fittedLimits = map[string]fitted{
	"body-budget":           {256 * mebibyte, 4},
	"reply-budget":          {256 * mebibyte, 8},
	"max-agent-bytes":       {256 * mebibyte, 2 * mebibyte},
	"max-total-agent-bytes": {256 * mebibyte, 4 * mebibyte},
	"max-map-bytes":         {mapMemory, 256 << 10},
	"max-total-map-bytes":   {mapMemory, 512 << 10},
}

// fitLimits lowers the defaults of the limits in bytes if the process may use little
// memory. set reports whether a setting was made.
func (s *serveSettings) fitLimits(log *slog.Logger, set func(flag string) bool) {
	memory := debug.SetMemoryLimit(-1)
	var smaller []any
	for _, l := range s.limitFlags() {
		if f := fittedLimits[l.flag]; memory < f.ample && !set(l.flag) {
			value := max(f.least, int(int64(l.value)*memory/f.ample))
			*l.to = value
			smaller = append(smaller, l.flag, value)
		}
	}
	if len(smaller) > 0 {
		log.Info("memory is small, so limits that are not set are lower", smaller...)
	}
}

// heapRoom is how many bytes the heap may grow beyond Go's own rule before garbage is
// collected. A host with few agents has a heap of a few MiB: under load Go would collect
// it a hundred times a second, which took a fifth of the time of short requests.
const heapRoom = 8 * mebibyte

// reserveHeap allocates memory that is never used. Go lets the heap double before it
// collects, and counts this memory as a part of it, but the system provides no pages for
// memory that is never written. A process with little memory allocates less.
func reserveHeap() []byte {
	return make([]byte, min(heapRoom, debug.SetMemoryLimit(-1)/16))
}

// logMemory logs the limits that limitMemory set, unless they are the defaults.
func (s *serveSettings) logMemory(log *slog.Logger, budget int) {
	limit := debug.SetMemoryLimit(-1)
	if s.memoryBudget == 0 && limit == math.MaxInt64 {
		return
	}
	attrs := []any{"budgetMiB", budget / mebibyte}
	if limit < math.MaxInt64 {
		attrs = append(attrs, "limitMiB", limit/mebibyte)
	}
	log.Info("memory for recent events is limited", attrs...)
}

// moreGoroutines is the number of additional goroutines that run at the same time, beyond
// one for each processor. Some run for long: one that waits for the disk, which counts as
// running until the runtime notices up to 10 ms later, one that generates a node id, one
// that reads a page, and one that collects garbage. The system switches between threads
// in shorter intervals than the runtime between goroutines.
const moreGoroutines = 4

// processors returns the number of processors. The first call allows moreGoroutines.
var processors = sync.OnceValue(func() int {
	n := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(n + moreGoroutines)
	}
	return n
})
