package world

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"rsc.io/qr"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

func newQRCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "qr",
		GroupID: command.GroupWorld,
		Short:   "Print the page's address as a QR code for a phone",
		Long: `Print the address of the page that shows the world live as a QR code, for the camera of a
phone. The host must be reachable from other machines: under the address of --server, under its
public URL, or, if it listens at all addresses, under one of this machine's own, which is found
automatically. If the page requires a token, a main node's credentials put a token into the code:
anyone who sees it may watch and act for 12 hours.`,
		Example: command.Example("playctl qr", "playctl qr --server https://play.example.com"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsReader(cmd.Context(), "Asking for the page", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				link, err := link(ctx, caller, c, true)
				if err != nil {
					return nil, err
				}
				code, err := qr.Encode(link.URL, qr.L)
				if err != nil {
					return nil, fmt.Errorf("create a QR code of an address of %d bytes: %w", len(link.URL), err)
				}
				return &render.Document{Data: link, Views: append(qrViews(a, code), render.Line(render.Clean(link.URL)))}, nil
			})
		},
	}
}

// quietZone is the light margin that scanners need, in modules (ISO/IEC 18004).
const quietZone = 4

// qrViews returns the lines of a code. A window that is too narrow would wrap the lines,
// and no camera could read the code.
func qrViews(a *command.App, code *qr.Code) []render.View {
	look := a.Printer.Look
	if wide := code.Size + 2*quietZone; a.Printer.Format == render.FormatTable && look.Width > 0 && look.Width < wide {
		a.Warn(fmt.Sprintf("the code is %d columns wide and the window has %d", wide, look.Width),
			"make the window wider or its characters smaller, and run it again; this is the address")
		return nil
	}
	var views []render.View
	for _, line := range qrLines(code, look.Color) {
		views = append(views, render.Line(line))
	}
	return views
}

// qrLines draws a QR code, two modules in one character. With color it is dark on light
// in every terminal; without color it draws the light modules, for a dark terminal.
func qrLines(code *qr.Code, color bool) []string {
	halves := map[[2]bool]string{{false, false}: "█", {false, true}: "▀", {true, false}: "▄", {true, true}: " "}
	var lines []string
	for y := -quietZone; y < code.Size+quietZone; y += 2 {
		var line strings.Builder
		for x := -quietZone; x < code.Size+quietZone; x++ {
			line.WriteString(halves[[2]bool{code.Black(x, y), code.Black(x, y+1)}])
		}
		if color {
			// Bright white on black: light modules are in the foreground.
			lines = append(lines, "\x1b[97;40m"+line.String()+"\x1b[0m")
			continue
		}
		lines = append(lines, line.String())
	}
	return lines
}

// watchResult is what "playctl watch" and "playctl qr" print.
type watchResult struct {
	URL       string              `json:"url"`                 // the address of the page, with its token where it needs one
	Scope     protocol.WatchScope `json:"scope"`               // what the page may do: watch or act
	ExpiresAt string              `json:"expiresAt,omitempty"` // when the token ends; absent where the page needs none
	Opened    bool                `json:"opened"`              // whether a browser was opened
	// token is set if the URL has a token, in its fragment.
	token bool
}

func newWatchCommand(a *command.App) *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use:     "watch",
		GroupID: command.GroupWorld,
		Short:   "Open the page that shows the world live",
		Long: `Open the page that shows the world live, or print its address where there is no browser or no
terminal. If the page requires a token, a main node's credentials create a link with a token in
it: anyone with it may watch and act for 12 hours, so treat it like a password.`,
		Example: command.Example("playctl watch", "playctl watch --print", "playctl watch --server https://play.example.com --output json"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsReader(cmd.Context(), "Asking for the page", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				result, err := link(ctx, caller, c, false)
				if err != nil {
					return nil, err
				}
				if !only && command.HasBrowser(a) {
					if err := openBrowser(ctx, a, result); err != nil {
						a.Warn("cannot open a browser: "+err.Error(), "open the address yourself")
					} else {
						result.Opened = true
					}
				}
				if !result.Opened {
					noteOfTunnel(a, result.URL)
				}
				return result.document(), nil
			})
		},
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the address and open nothing")
	cmd.AddCommand(newWatchListCommand(a), newWatchRevokeCommand(a))
	return cmd
}

// noteOfTunnel explains to a person who is connected over SSH how a browser on their
// machine can reach a loopback address of this one.
func noteOfTunnel(a *command.App, address string) {
	// sshd sets the client's address and port, and then the server's.
	here := strings.Fields(a.Env("SSH_CONNECTION"))
	u, err := url.Parse(address)
	if err != nil || len(here) != 4 || !command.IsLoopbackURL(address) || u.Port() == "" {
		return
	}
	a.Note("The address is this machine's own. For a browser at the other end of this SSH connection, run there: ssh -L %[1]s:127.0.0.1:%[1]s %[2]s",
		u.Port(), render.Clean(here[2]))
}

func (r *watchResult) document() *render.Document {
	views := []render.View{render.Line(render.Clean(r.URL))}
	if r.Opened && r.token {
		// The token need not be on the screen if the browser has it.
		views = []render.View{render.Line("The page is open. Its link is valid until " + render.Clean(r.ExpiresAt) + "; --print shows it.")}
	}
	return &render.Document{Data: r, Views: views}
}

// link returns a link to the watch page. If there is a main node it creates a token,
// unless the host permits everything at the address without one. outside requests an
// address that other machines can reach.
func link(ctx context.Context, caller *command.Caller, c *client.Client, outside bool) (*watchResult, error) {
	link := &watchResult{URL: c.WatchURL()}
	scope, err := c.WatchScope(ctx)
	switch code := protocol.CodeOf(err); {
	case err == nil:
		link.Scope = scope
	case code != protocol.CodeCredentialsMissing && code != protocol.CodeForbidden:
		return nil, err
	}
	hidden := outside && command.IsLoopbackURL(link.URL)
	if link.Scope == protocol.WatchScopeAct && !hidden {
		return link, nil
	}
	if caller.Main.IsZero() {
		return linkWithoutToken(ctx, caller, link, hidden)
	}
	reply, err := c.WatchToken(ctx)
	if err != nil {
		return nil, err
	}
	if hidden {
		if link.URL, err = outsideURL(ctx, caller, reply, link.URL); err != nil {
			return nil, err
		}
	}
	link.URL += "#token=" + url.QueryEscape(reply.Token.Reveal())
	link.Scope, link.token, link.ExpiresAt = protocol.WatchScopeAct, true, reply.ExpiresAt
	return link, nil
}

// outsideURL returns the page's address for other machines, if this one uses a loopback
// address of the host. The host has to confirm that it listens at all addresses: a token
// must not lead people to another program that has the same port at another address.
func outsideURL(ctx context.Context, caller *command.Caller, reply *protocol.WatchTokenReply, local string) (string, error) {
	if !command.IsLoopbackURL(reply.URL) {
		return reply.URL, nil
	}
	if reply.AllAddresses {
		if found := lanURL(ctx, caller, local); found != "" {
			return found, nil
		}
	}
	return "", errOnlyHere(caller.Server)
}

// linkWithoutToken returns the link if no token can be created. hidden says that other
// machines cannot use the address.
func linkWithoutToken(ctx context.Context, caller *command.Caller, link *watchResult, hidden bool) (*watchResult, error) {
	if hidden {
		// A host that permits everything to this machine without a token listens at loopback
		// only.
		if link.Scope == protocol.WatchScopeAct {
			return nil, errOnlyHere(caller.Server)
		}
		if link.URL = lanURL(ctx, caller, link.URL); link.URL == "" {
			return nil, errOnlyHere(caller.Server)
		}
	}
	if link.Scope == "" {
		return nil, caller.NoMain()
	}
	return link, nil
}

func errOnlyHere(server string) error {
	return command.Hintf(fmt.Errorf("%s can be reached only from this machine", server),
		"set the address that others can reach with --server, or start the host with --public-url, or with --listen 0.0.0.0:<port>")
}

// openBrowser opens a link. Every user of a machine can read the arguments of its
// programs, so a link with a token is passed in a file that only its owner can read; the
// next run replaces it.
func openBrowser(ctx context.Context, a *command.App, link *watchResult) error {
	target := link.URL
	if link.token {
		folder := a.StateFolder()
		if folder == "" {
			return fmt.Errorf("%w to save the link in", creds.ErrNoHome)
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("create a folder for the link: %w", err)
		}
		target = filepath.Join(folder, "watch.html")
		if err := creds.WriteSecretFile(target, redirectPage(link.URL), true); err != nil {
			return fmt.Errorf("save the link for the browser: %w", err)
		}
	}
	return command.OpenBrowser(ctx, target)
}

// redirectPage returns a page that redirects the browser, with the fragment of the URL.
func redirectPage(to string) []byte {
	return []byte(`<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0; url=` + html.EscapeString(to) + `"><title>playctl</title>` + "\n")
}
