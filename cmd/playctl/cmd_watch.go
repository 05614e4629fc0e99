package main

import (
	"context"
	"fmt"
	"html"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// watchResult is what "playctl watch" and "playctl qr" print.
type watchResult struct {
	URL       string              `json:"url"`
	Scope     protocol.WatchScope `json:"scope"`
	ExpiresAt string              `json:"expiresAt,omitempty"`
	Opened    bool                `json:"opened"`
}

func newWatchCommand(a *app) *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Open the page that shows the world live",
		Long: `Open the page that shows the world live, or print its address where there is no browser or no
terminal. Where the page is not free, a main node's credentials make a link with a token in
it: whoever has it may look and act for 12 hours, so treat it like a password.`,
		Example: example("playctl watch", "playctl watch --print", "playctl watch --server https://play.example.com --output json"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asReader(cmd.Context(), "Asking for the page", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				link, err := a.link(ctx, who, c, false)
				if err != nil {
					return nil, err
				}
				result := watchResult{URL: link.url, Scope: link.scope, ExpiresAt: link.expiresAt}
				if !only && a.hasBrowser() {
					if err := a.openBrowser(ctx, link); err != nil {
						a.warn("no browser opened: "+err.Error(), "open the address yourself")
					} else {
						result.Opened = true
					}
				}
				return result.document(link), nil
			})
		},
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the address and open nothing")
	return cmd
}

func (r *watchResult) document(link *watchLink) *render.Document {
	views := []render.View{render.Line(r.URL)}
	if r.Opened && link.token {
		// Nobody needs the token on the screen when the browser has it.
		views = []render.View{render.Line("The page is open. Its link is good until " + render.Clean(r.ExpiresAt) + "; --print shows it.")}
	}
	return &render.Document{Data: r, Views: views}
}

// hasBrowser tells whether a person sits here who could see one.
func (a *app) hasBrowser() bool {
	if !isTerminal(a.Stdout) || a.printer.Format != render.FormatTable {
		return false
	}
	switch runtime.GOOS {
	case "windows", "darwin":
		return a.env("SSH_CONNECTION") == ""
	}
	return a.env("DISPLAY") != "" || a.env("WAYLAND_DISPLAY") != ""
}

// openBrowser opens a link. Every user of a machine can read the arguments of
// its programs, so one with a token goes through a file that only its owner
// reads; the next run replaces it.
func (a *app) openBrowser(ctx context.Context, link *watchLink) error {
	target := link.url
	if link.token {
		target = filepath.Join(a.stateFolder(), "watch.html")
		if err := creds.WriteSecretFile(target, redirectPage(link.url), true); err != nil {
			return fmt.Errorf("keep the link for the browser: %w", err)
		}
	}
	name, args := opener()
	cmd := exec.CommandContext(ctx, name, append(args, target)...) //nolint:gosec // The name is fixed, the target this program's.
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
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
