package host

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
)

// The printed commands fit the lines of a terminal, also those of "go run", and a shell
// reads the path of the credentials file whole.
func TestDemoCommands(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"/tmp/playctl-demo-2320988955", "/w/it's mine"} {
		path := filepath.Join(folder, demoCredentials)
		app := &command.App{Program: &command.Program{Name: "/tmp/go-build1/b001/exe/playctl"}}
		d := &demo{app: app, store: creds.NewStore(path)}
		lines := d.nextCommands()
		for _, line := range lines[1:] {
			if wide := len("  " + strings.ReplaceAll(line, `"`, "")); wide > 80 {
				t.Errorf("%q takes %d columns", line, wide)
			}
		}
		printArguments := "go() { printf '[%s]' \"$@\"; echo; }\n"
		printed, err := exec.CommandContext(t.Context(), "sh", "-c", printArguments+strings.Join(lines, "\n")).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(printed)) {
			if !strings.Contains(line, "[--credentials-file]["+path+"]") {
				t.Errorf("the credentials file is not %s in %s", path, line)
			}
		}
		if n := strings.Count(string(printed), "\n"); n != len(lines)-1 {
			t.Errorf("%d commands ran, want %d", n, len(lines)-1)
		}
	}
}
