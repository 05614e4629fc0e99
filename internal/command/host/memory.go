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

// logMemory says what limitMemory set.
func logMemory(log *slog.Logger, budget int) {
	attrs := []any{"budgetMiB", budget / mebibyte}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		attrs = append(attrs, "limitMiB", limit/mebibyte)
	}
	log.Info("memory for past revs and events is limited", attrs...)
}
