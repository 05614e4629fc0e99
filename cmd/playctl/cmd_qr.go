package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"rsc.io/qr"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
)

func newQRCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "qr",
		Short: "Print the page's address as a QR code for a phone",
		Long: `Print the address of the page that shows the world live as a QR code, for the camera of a
phone. The host must be reachable from other machines: under the address of --server, under its
public URL, or, where it listens at all addresses, under one of this machine's own, which is found
by itself. Where the page is not free, a main node's credentials put a token into the code: whoever
sees it may look and act for 12 hours.`,
		Example: example("playctl qr", "playctl qr --server http://192.168.1.20:7420"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asReader(cmd.Context(), "Asking for the page", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				link, err := a.link(ctx, who, c, true)
				if err != nil {
					return nil, err
				}
				code, err := qrCode(link.url)
				if err != nil {
					return nil, err
				}
				return &render.Document{
					Data:  watchResult{URL: link.url, Scope: link.scope, ExpiresAt: link.expiresAt},
					Views: append(a.qrViews(code), render.Line(link.url)),
				}, nil
			})
		},
	}
}

// quietZone is the light margin that readers need, in modules (ISO/IEC 18004).
const quietZone = 4

func qrCode(text string) (*qr.Code, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, fmt.Errorf("make a QR code of an address of %d bytes: %w", len(text), err)
	}
	return code, nil
}

// qrViews are the lines of a code. In a window that is too narrow for them they
// would be torn apart, and no camera reads that.
func (a *app) qrViews(code *qr.Code) []render.View {
	look := a.printer.Look
	if wide := code.Size + 2*quietZone; a.printer.Format == render.FormatTable && look.Width > 0 && look.Width < wide {
		a.warn(fmt.Sprintf("the code is %d columns wide and the window has %d", wide, look.Width),
			"make the window wider or its characters smaller, and run it again; this is the address")
		return nil
	}
	var views []render.View
	for _, line := range qrLines(code, look.Color) {
		views = append(views, render.Line(line))
	}
	return views
}

// qrLines draws a QR code, two modules in one character. With colour it is dark on
// light whatever the terminal's own colours are; without, light modules are
// drawn, as suits a dark terminal.
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
