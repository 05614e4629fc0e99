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

// budgetPart of the memory that the process may use is for past revs and events.
const budgetPart = 8

// limitMemory makes the garbage collector keep to GOMEMLIMIT, else to nine tenths of
// the container's memory, and returns how many bytes past revs and events may take.
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

// fitted is how a limit of what a host holds in memory follows from a small memory: with
// less than ample, the default is as much smaller, down to the least value, which is in
// the unit of the limit's flag.
type fitted struct {
	ample int64
	least int
}

// mapMemory is what the map's limits need for their defaults. It is more than others need,
// because every reader of a map that changed takes all of it.
const mapMemory = 512 * mebibyte

var fittedLimits = map[string]fitted{
	"body-budget":           {256 * mebibyte, 4},
	"reply-budget":          {256 * mebibyte, 8},
	"max-agent-bytes":       {256 * mebibyte, 2 * mebibyte},
	"max-total-agent-bytes": {256 * mebibyte, 4 * mebibyte},
	"max-map-bytes":         {mapMemory, 256 << 10},
	"max-total-map-bytes":   {mapMemory, 512 << 10},
}

// fitLimits makes the limits in bytes that nobody set smaller where the memory that the
// process may use is small. set reports whether somebody made a setting.
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
		log.Info("the memory is small, and so are limits that nobody set", smaller...)
	}
}

// heapRoom is by how many bytes more than Go's own rule the heap may grow before garbage is
// collected. A host with few agents has a heap of some MiB: under load Go would collect it a
// hundred times a second, which took a fifth of the time of short requests.
const heapRoom = 8 * mebibyte

// reserveHeap takes memory that is never used. Go lets the heap double before it
// collects, and counts this as a part of it, but pages that nobody writes to take none
// of the machine's. A process with little memory has less of it.
func reserveHeap() []byte {
	return make([]byte, min(heapRoom, debug.SetMemoryLimit(-1)/16))
}

// logMemory says what limitMemory set, unless it is the default.
func (s *serveSettings) logMemory(log *slog.Logger, budget int) {
	limit := debug.SetMemoryLimit(-1)
	if s.memoryBudget == 0 && limit == math.MaxInt64 {
		return
	}
	attrs := []any{"budgetMiB", budget / mebibyte}
	if limit < math.MaxInt64 {
		attrs = append(attrs, "limitMiB", limit/mebibyte)
	}
	log.Info("memory for past revs and events is limited", attrs...)
}

// moreGoroutines is how many goroutines run at a time beyond one for each processor: some
// run for long, such as one that waits for the disk, which counts as running until the
// runtime notices up to 10 ms later, one that makes a node id, one that reads a page and
// one that collects garbage. The system shares the processors among them in shorter
// turns than the runtime (bench/RESULTS.md, "Siege").
const moreGoroutines = 4

// processors is how many processors the host has. The first call allows moreGoroutines.
var processors = sync.OnceValue(func() int {
	n := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(n + moreGoroutines)
	}
	return n
})
