package world

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
)

// openBrowser opens a link. Every user of a machine can read the arguments of its
// programs, so a link with a token is passed in a file that only its owner can read; the
// next run replaces it.
func openBrowser(ctx context.Context, a *command.App, link *watchLink) error {
	target := link.url
	if link.token {
		folder := a.StateFolder()
		if folder == "" {
			return errors.New("there is no home folder to keep the link in")
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("create a folder for the link: %w", err)
		}
		target = filepath.Join(folder, "watch.html")
		if err := creds.WriteSecretFile(target, redirectPage(link.url), true); err != nil {
			return fmt.Errorf("keep the link for the browser: %w", err)
		}
	}
	return command.OpenBrowser(ctx, target)
}

// redirectPage returns a page that redirects the browser, with the fragment of the URL.
func redirectPage(to string) []byte {
	return []byte(`<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0; url=` + html.EscapeString(to) + `"><title>playctl</title>` + "\n")
}
