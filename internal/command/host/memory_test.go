package host

import (
	"errors"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"

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
		if got := s.limitMemory(slog.New(slog.DiscardHandler), memlimit.FromCgroup); got != c.want {
			t.Errorf("%s: the budget is %d bytes, want %d", name, got, c.want)
		}
	}
}

// In a container the collector keeps to nine tenths of its memory, and the budget
// comes from that; one whose limit cannot be read has none.
func TestTheBudgetComesFromTheContainer(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	t.Setenv("GOMEMLIMIT", "") // for the clean-up to set it again
	if err := os.Unsetenv("GOMEMLIMIT"); err != nil {
		t.Fatal(err)
	}
	const limit = 512 * mebibyte * 9 / 10
	for name, c := range map[string]struct {
		container memlimit.Provider
		limit     int64
		want      int
	}{
		"a limit":    {memlimit.Limit(512 * mebibyte), limit, limit / budgetPart},
		"no limit":   {func() (uint64, error) { return 0, memlimit.ErrNoLimit }, math.MaxInt64, world.DefaultMemoryBudget},
		"unreadable": {func() (uint64, error) { return 0, errors.New("there is no such file") }, math.MaxInt64, world.DefaultMemoryBudget},
	} {
		debug.SetMemoryLimit(math.MaxInt64)
		var s serveSettings
		if got := s.limitMemory(slog.New(slog.DiscardHandler), c.container); got != c.want || debug.SetMemoryLimit(-1) != c.limit {
			t.Errorf("%s: the budget is %d bytes of %d, want %d of %d", name, got, debug.SetMemoryLimit(-1), c.want, c.limit)
		}
	}
}
