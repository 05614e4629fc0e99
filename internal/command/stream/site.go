package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/protocol"
)

// siteResult is what "playctl replay --open" prints.
type siteResult struct {
	File string `json:"file"` // the recording
	URL  string `json:"url"`  // the page that shows it while the command runs
}

// showRecording serves the watch page with a recording until the command ends.
func showRecording(ctx context.Context, a *command.App, name string) error {
	info, err := os.Stat(a.Absolute(name))
	switch {
	case name == "-", err == nil && !info.Mode().IsRegular():
		return command.Usagef("--open needs a file: the page reads it more than once")
	case err != nil:
		return fmt.Errorf("read the recording: %w", err)
	}
	site, err := host.RecordingSite(a.Absolute(name))
	if err != nil {
		return fmt.Errorf("show the recording: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("show the recording: %w", err)
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	url := "http://" + listener.Addr().String() + protocol.ServicePlay.Watch()
	err = a.PrintSentence(siteResult{File: name, URL: url}, "%s", url)
	if err == nil && command.HasBrowser(a) {
		if failed := command.OpenBrowser(ctx, url); failed != nil {
			a.Note("Open the address yourself: %v", failed)
		}
	}
	if err == nil {
		select {
		case err = <-served:
			return fmt.Errorf("show the recording: %w", err)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	closed := server.Close()
	stopped := <-served
	if errors.Is(stopped, http.ErrServerClosed) {
		stopped = nil
	}
	return errors.Join(err, closed, stopped)
}
