package host

import (
	"log/slog"
	"math"
	"runtime/debug"
	"testing"

	"github.com/playctl/playctl/internal/world"
)

func TestTheBudgetComesFromTheFlagOrTheMemoryLimit(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	// The limit is what the test sets, whatever that of its container is.
	t.Setenv("GOMEMLIMIT", "set")
	for name, c := range map[string]struct {
		limit int64
		flag  int
		want  int
	}{
		"no limit":             {math.MaxInt64, 0, world.DefaultMemoryBudget},
		"a limit":              {256 * mebibyte, 0, 32 * mebibyte},
		"a flag and no limit":  {math.MaxInt64, 7, 7 * mebibyte},
		"a flag beside limits": {256 * mebibyte, 100, 100 * mebibyte},
	} {
		debug.SetMemoryLimit(c.limit)
		s := serveSettings{memoryBudget: c.flag}
		if got := s.limitMemory(slog.New(slog.DiscardHandler)); got != c.want {
			t.Errorf("%s: the budget is %d bytes, want %d", name, got, c.want)
		}
	}
}
