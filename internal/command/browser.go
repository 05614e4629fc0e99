package command

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"github.com/playctl/playctl/internal/render"
)

// openerTime is the time in which the system's opener may report a failure. Some openers
// run until the browser is closed.
const openerTime = 3 * time.Second

// HasBrowser reports whether this machine can show a browser to the person who runs the
// command.
func HasBrowser(a *App) bool {
	if !IsTerminal(a.Stdout) || a.Printer.Format != render.FormatTable {
		return false
	}
	name, _ := opener()
	if _, err := exec.LookPath(name); err != nil {
		return false
	}
	switch runtime.GOOS {
	case "windows", "darwin":
		return a.Env("SSH_CONNECTION") == ""
	}
	return a.Env("DISPLAY") != "" || a.Env("WAYLAND_DISPLAY") != ""
}

// OpenBrowser runs the system's opener. An opener that does not end soon keeps running,
// also after this program: it may be the browser itself.
func OpenBrowser(ctx context.Context, target string) error {
	name, args := opener()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, append(args, target)...) //nolint:gosec // The name is fixed, the target this program's.
	cmd.Env = WithoutCredentials(cmd.Environ())
	Detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	ended := make(chan error, 1)
	// The goroutine ends with the opener; this program does not wait for a browser.
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	case <-time.After(openerTime):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// opener returns the system's command that opens a file or an address.
func opener() (name string, args []string) {
	switch runtime.GOOS {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	case "darwin":
		return "open", nil
	}
	return "xdg-open", nil
}
