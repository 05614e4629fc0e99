package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
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
				if !result.Opened {
					a.noteOfTunnel(link.url)
				}
				return result.document(link), nil
			})
		},
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the address and open nothing")
	return cmd
}

// noteOfTunnel tells a person who is here over SSH how the browser that they sit at
// reaches an address of this machine alone.
func (a *app) noteOfTunnel(address string) {
	// What sshd says: the client's address and port, and the server's.
	here := strings.Fields(a.env("SSH_CONNECTION"))
	u, err := url.Parse(address)
	if err != nil || len(here) != 4 || !isLoopbackURL(address) || u.Port() == "" {
		return
	}
	a.note("The address is this machine's own. For a browser at the other end of this SSH connection, run there: ssh -L %[1]s:127.0.0.1:%[1]s %[2]s",
		u.Port(), render.Clean(here[2]))
}

func (r *watchResult) document(link *watchLink) *render.Document {
	views := []render.View{render.Line(r.URL)}
	if r.Opened && link.token {
		// Nobody needs the token on the screen when the browser has it.
		views = []render.View{render.Line("The page is open. Its link is good until " + render.Clean(r.ExpiresAt) + "; --print shows it.")}
	}
	return &render.Document{Data: r, Views: views}
}
