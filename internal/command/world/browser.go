package world

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

// openerTime is how long the system's opener may take to fail. Some of them run
// for as long as the browser does.
const openerTime = 3 * time.Second

// hasBrowser reports whether a person sits here who could see one.
func hasBrowser(a *command.App) bool {
	if !command.IsTerminal(a.Stdout) || a.Printer.Format != render.FormatTable {
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

// openBrowser opens a link. Every user of a machine can read the arguments of
// its programs, so one with a token goes through a file that only its owner
// reads; the next run replaces it.
func openBrowser(ctx context.Context, a *command.App, link *watchLink) error {
	target := link.url
	if link.token {
		folder := a.StateFolder()
		if folder == "" {
			return errors.New("there is no home folder to keep the link in")
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("make a folder for the link: %w", err)
		}
		target = filepath.Join(folder, "watch.html")
		if err := creds.WriteSecretFile(target, redirectPage(link.url), true); err != nil {
			return fmt.Errorf("keep the link for the browser: %w", err)
		}
	}
	return runOpener(ctx, target)
}

// runOpener runs the system's opener, and leaves it to itself where it does not
// end soon: it is not ended with this program, and may be the browser itself.
func runOpener(ctx context.Context, target string) error {
	name, args := opener()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, append(args, target)...) //nolint:gosec // The name is fixed, the target this program's.
	command.Detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	ended := make(chan error, 1)
	// It ends with the opener; this program does not wait for a browser.
	go func() { ended <- cmd.Wait() }()
	patience := time.NewTimer(openerTime)
	defer patience.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	case <-patience.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// redirectPage sends a browser on. A fragment stays what it is on the way.
func redirectPage(to string) []byte {
	return []byte(`<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0; url=` + html.EscapeString(to) + `"><title>playctl</title>` + "\n")
}

// opener is the system's own way to open a file or an address.
func opener() (name string, args []string) {
	switch runtime.GOOS {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	case "darwin":
		return "open", nil
	}
	return "xdg-open", nil
}
