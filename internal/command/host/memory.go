package host

import (
	"log/slog"
	"math"
	"runtime/debug"

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

// ampleMemory is how much memory a host has at least for the defaults of the limits in
// bytes; with less they are as much smaller.
const ampleMemory = 256 * mebibyte

// leastHeld are the limits of what a host holds in memory, each in its flag's unit, with
// the least value that follows from a small memory.
var leastHeld = map[string]int{
	"body-budget":           4,
	"reply-budget":          8,
	"max-agent-bytes":       2 * mebibyte,
	"max-total-agent-bytes": 4 * mebibyte,
	"max-map-bytes":         256 << 10,
	"max-total-map-bytes":   512 << 10,
}

// fitLimits makes the limits in bytes that nobody set smaller where the memory that the
// process may use is small. set reports whether somebody made a setting.
func (s *serveSettings) fitLimits(log *slog.Logger, set func(flag string) bool) {
	memory := debug.SetMemoryLimit(-1)
	if memory >= ampleMemory {
		return
	}
	var fitted []any
	for _, l := range limits {
		if least, held := leastHeld[l.flag]; held && !set(l.flag) {
			value := max(least, int(int64(l.value)*memory/ampleMemory))
			*l.of(s) = value
			fitted = append(fitted, l.flag, value)
		}
	}
	if len(fitted) > 0 {
		log.Info("the memory is small, and so are limits that nobody set", fitted...)
	}
}

// logMemory says what limitMemory set.
func logMemory(log *slog.Logger, budget int) {
	attrs := []any{"budgetMiB", budget / mebibyte}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		attrs = append(attrs, "limitMiB", limit/mebibyte)
	}
	log.Info("memory for past revs and events is limited", attrs...)
}
