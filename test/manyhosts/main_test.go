//go:build full

package manyhosts

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/hostprocess"
)

// envSeeds chooses the seeds, such as 17 or 1-300.
const envSeeds = "PLAYCTL_CHAOS_SEEDS"

// TestMain runs the tests in a temporary folder of their own, and checks that they
// leave nothing behind: files, processes or goroutines.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "playctl-manyhosts-")
	if err == nil {
		err = os.Setenv("TMPDIR", folder)
	}
	if err == nil {
		// These tests mostly wait for other processes: with the default on a few
		// processors they would wait for each other needlessly.
		err = flag.Set("test.parallel", "8")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	code := hostprocess.Main(m)
	for _, left := range leftovers(folder) {
		fmt.Fprintln(os.Stderr, "left behind:", left)
		code = max(code, 1)
	}
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// leftovers lists what should no longer exist when the tests are over.
func leftovers(folder string) []string {
	left := files(folder)
	children, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return append(left, err.Error())
	}
	for _, name := range children {
		text, _ := os.ReadFile(name) // a thread may have ended by now, and then has none
		for pid := range strings.FieldsSeq(string(text)) {
			command, _ := os.ReadFile("/proc/" + pid + "/comm")
			left = append(left, "process "+pid+" "+string(command))
		}
	}
	if err := goleak.Find(); err != nil {
		left = append(left, err.Error())
	}
	return left
}

func files(folder string) (names []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range entries {
		// The go command leaves its own files when it builds.
		names = append(names, filepath.Join(folder, e.Name()))
	}
	return names
}

// TestLeftoversAreDetected leaves things behind.
func TestLeftoversAreDetected(t *testing.T) {
	folder := t.TempDir()
	if left := files(folder); len(left) != 0 {
		t.Fatalf("an empty folder has %v", left)
	}
	if err := os.WriteFile(filepath.Join(folder, "log"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if left := files(folder); len(left) != 1 {
		t.Errorf("of one file it lists %v", left)
	}
}

// seeds returns 10 to 19, in which every fault happens on a Redis server that syncs every
// write and all but one on the other, unless PLAYCTL_CHAOS_SEEDS names others.
func seeds(t *testing.T) (first, last uint64) {
	t.Helper()
	text := os.Getenv(envSeeds)
	if text == "" {
		return 10, 19
	}
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	first, err := strconv.ParseUint(from, 10, 64)
	if err == nil {
		last, err = strconv.ParseUint(to, 10, 64)
	}
	if err != nil {
		t.Fatalf("%s=%q: write a seed or two with a hyphen between them", envSeeds, text)
	}
	return first, last
}
