package hostprocess

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of the times in /proc: Linux counts them in hundredths of a
// second for every program, whatever its own clock (proc(5), sysconf(3)).
const tick = 10 * time.Millisecond

// CPU returns the processor time that a process has used, in its own code and in
// the system's. It is known on Linux only, to 10 ms.
func CPU(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program may contain any character, even parentheses.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const user, system = 11, 12 // fields 14 and 15, counted after the name
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	var sum time.Duration
	for _, text := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// Memory returns the resident memory of a process in bytes, on Linux.
func Memory(pid int) (int64, error) { return memory(pid, "VmRSS:") }

// PeakMemory returns the largest resident memory of a process so far, in bytes, on
// Linux.
func PeakMemory(pid int) (int64, error) { return memory(pid, "VmHWM:") }

func memory(pid int, field string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == field {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("/proc/%d/status: %w", pid, err)
			}
			return kib << 10, nil
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, field)
}
