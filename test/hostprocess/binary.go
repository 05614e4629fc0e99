package hostprocess

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// EnvRace is the environment variable that, where it is set, builds hosts with
// the race detector.
const EnvRace = "PLAYCTL_TEST_RACE_HOSTS"

// program is where the built program is, and folder what has to be removed.
var program struct {
	sync.Mutex
	folder, path string
	err          error
}

// Main runs a package's tests, removes the program that they built, and returns
// the code to exit with.
func Main(m *testing.M) int {
	code := m.Run()
	program.Lock()
	defer program.Unlock()
	if program.folder != "" {
		_ = os.RemoveAll(program.folder)
	}
	return code
}

// Binary is the path of playctl as users get it, built by the first call. A
// package that calls it has a TestMain that calls Main.
func Binary(t testing.TB) string {
	t.Helper()
	program.Lock()
	defer program.Unlock()
	if program.folder == "" && program.err == nil {
		program.path, program.err = build()
	}
	if program.err != nil {
		t.Fatal(program.err)
	}
	return program.path
}

func build() (string, error) {
	folder, err := os.MkdirTemp("", "playctl-host-")
	if err != nil {
		return "", err
	}
	program.folder = folder
	path := filepath.Join(folder, "playctl")
	args := []string{"build", "-o", path}
	if os.Getenv(EnvRace) != "" {
		args = append(args, "-race")
	}
	args = append(args, "github.com/playctl/playctl/cmd/playctl")
	// Other tests may use the program longer than the one that built it.
	command := exec.CommandContext(context.Background(), "go", args...) //nolint:gosec // the arguments are those above
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building playctl: %w\n%s", err, out)
	}
	return path, nil
}
