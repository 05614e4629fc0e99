package main

import (
	"context"
	"net/url"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/bridge"
	"github.com/playctl/playctl/internal/host"
)

// secretURL is a setting whose password is not shown again.
type secretURL struct{ text string }

var _ pflag.Value = (*secretURL)(nil)

// Set implements pflag.Value. What is wrong with the text is said later: pflag
// would repeat it.
func (u *secretURL) Set(text string) error {
	u.text = text
	return nil
}

// String implements pflag.Value.
func (u *secretURL) String() string {
	if u.text == "" {
		return ""
	}
	parsed, err := url.Parse(u.text)
	if err != nil {
		return "(not a URL)"
	}
	return parsed.Redacted()
}

// Type implements pflag.Value.
func (u *secretURL) Type() string { return "string" }

// openBridge starts to tell the remote bridge of the world's events.
func (s *serveSettings) openBridge(ctx context.Context, into *served, options *host.Options) (err error) {
	if s.bridgeURL.text == "" {
		return nil
	}
	into.bridge, err = bridge.Open(ctx, bridge.Options{World: into.world, URL: s.bridgeURL.text, Logger: options.Logger})
	if err != nil {
		return err
	}
	return options.Metrics.Add(into.bridge)
}
