package host

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/world"
)

func TestBudgetFromFlagOrMemoryLimit(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	// The test sets the limit, whatever limit its container has.
	t.Setenv("GOMEMLIMIT", "set")
	for name, c := range map[string]struct {
		limit int64
		flag  int
		want  int
	}{
		"no limit":             {math.MaxInt64, 0, world.DefaultMemoryBudget},
		"a limit":              {256 * mebibyte, 0, 16 * mebibyte},
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

// If the memory is small, the limits in bytes are lower as well, but not below a least
// value each. Limits from the operator stay.
func TestLimitsInBytesDependOnMemory(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	for name, c := range map[string]struct {
		limit int64
		args  []string
		// The following limits are in bytes.
		body, account, together int
	}{
		"no limit":          {math.MaxInt64, nil, 32 * mebibyte, 2 * mebibyte, 4 * mebibyte},
		"ample memory":      {512 * mebibyte, nil, 32 * mebibyte, 2 * mebibyte, 4 * mebibyte},
		"enough for bodies": {256 * mebibyte, nil, 32 * mebibyte, mebibyte, 2 * mebibyte},
		"half of that":      {128 * mebibyte, nil, 16 * mebibyte, 512 << 10, mebibyte},
		"very little":       {8 * mebibyte, nil, 4 * mebibyte, 256 << 10, 512 << 10},
		"what was set":      {128 * mebibyte, []string{"--body-budget=64", "--max-map-bytes=5000"}, 64 * mebibyte, 5000, mebibyte},
		"a default was set": {128 * mebibyte, []string{"--max-total-map-bytes=4194304"}, 16 * mebibyte, 512 << 10, 4 * mebibyte},
		"no limit was set":  {128 * mebibyte, []string{"--max-total-map-bytes=0"}, 16 * mebibyte, 512 << 10, 0},
	} {
		debug.SetMemoryLimit(c.limit)
		var s serveSettings
		flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
		s.register(flags, &command.App{Program: &command.Program{LookupEnv: os.LookupEnv}})
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		s.fitLimits(slog.New(slog.DiscardHandler), flags.Changed)
		body, account, together := s.bodyBudget*mebibyte, s.limits.Account[world.MapBytes], s.limits.World[world.MapBytes]
		if body != c.body || account != c.account || together != c.together {
			t.Errorf("%s: the limits are %d bytes for bodies, %d and %d for the map; want %d, %d and %d", name, body, account, together, c.body, c.account, c.together)
		}
		if agents := s.limits.World[world.AgentBytes]; (agents < 64*mebibyte) != (c.limit < 256*mebibyte) {
			t.Errorf("%s: the limit for agents' names is %d bytes", name, agents)
		}
		if history := s.limits.World[world.Bytes]; history != 4<<30 {
			t.Errorf("%s: the limit of the history on disk is %d", name, history)
		}
	}
	known := map[string]bool{}
	for _, l := range new(serveSettings).limitFlags() {
		known[l.flag] = true
	}
	for flag := range fittedLimits {
		if !known[flag] {
			t.Errorf("there is no --%s", flag)
		}
	}
}

// In a container the memory limit is nine tenths of the container's memory, and the
// budget depends on it; if the container's limit cannot be read, there is no budget.
func TestBudgetFromContainerLimit(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	t.Setenv("GOMEMLIMIT", "") // so that the clean-up restores it
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

// The log names the memory limit if it was set, or follows from a limit of the machine.
// The default is not logged.
func TestLogStatesBudgetUnlessDefault(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	for name, c := range map[string]struct {
		limit int64
		flag  int
		want  string
	}{
		"the default":  {math.MaxInt64, 0, ""},
		"set":          {math.MaxInt64, 64, "budgetMiB=64"},
		"from a limit": {512 * mebibyte, 0, "budgetMiB=64 limitMiB=512"},
	} {
		debug.SetMemoryLimit(c.limit)
		var text bytes.Buffer
		s := serveSettings{memoryBudget: c.flag}
		s.logMemory(slog.New(slog.NewTextHandler(&text, nil)), 64*mebibyte)
		if logged := text.String(); (logged == "") != (c.want == "") || !strings.Contains(logged, c.want) {
			t.Errorf("%s: the log is %q, want %q", name, logged, c.want)
		}
	}
}
