package render

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata with what is drawn now")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is the time of golden files.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// looks returns the windows for which golden files are drawn.
func looks() map[string]Look {
	all := map[string]Look{"pipe": {Now: noon}}
	for _, width := range []int{40, 80, 200} {
		all[strconv.Itoa(width)] = Look{Width: width, Now: noon}
		all[fmt.Sprintf("%d-color", width)] = Look{Width: width, Color: true, Now: noon}
	}
	return all
}

// golden compares text with a file in testdata; with -update it writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; after a look at it, run: go test ./internal/render -update\n%s", path, diff)
	}
}
