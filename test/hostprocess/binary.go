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

// EnvRace is the environment variable that, if it is set, builds hosts with the
// race detector.
const EnvRace = "PLAYCTL_TEST_RACE_HOSTS"

// EnvBinary is the environment variable that names a built playctl. test.sh sets
// it, so that one build serves every package.
const EnvBinary = "PLAYCTL"

// program is the path of the built program, and folder the folder to remove.
var program struct {
	sync.Mutex
	folder, path string
	err          error
}

// Main runs a package's tests, removes the program that they built, and returns the
// exit code.
func Main(m *testing.M) int {
	code := m.Run()
	program.Lock()
	defer program.Unlock()
	if program.folder != "" {
		_ = os.RemoveAll(program.folder)
	}
	return code
}

// Binary returns the path of Program; it fails the test if there is none.
func Binary(t testing.TB) string {
	t.Helper()
	path, err := Program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Program returns the absolute path of playctl in the form that users get: the one
// that EnvBinary names, else one that the first call builds. A package that calls
// it has a TestMain that calls Main.
func Program() (string, error) {
	program.Lock()
	defer program.Unlock()
	if program.path == "" && program.err == nil {
		program.path, program.err = locate()
	}
	return program.path, program.err
}

func locate() (string, error) {
	if path := os.Getenv(EnvBinary); path != "" && os.Getenv(EnvRace) == "" {
		path, err := filepath.Abs(path)
		if err != nil {
			return "", fmt.Errorf("the playctl of %s: %w", EnvBinary, err)
		}
		return path, nil
	}
	return build()
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
	// Other tests may use the program longer than the test that built it.
	command := exec.CommandContext(context.Background(), "go", args...) //nolint:gosec // the arguments are those above
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building playctl: %w\n%s", err, out)
	}
	return path, nil
}
