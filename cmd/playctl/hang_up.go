package main

import (
	"os"
	"sync"
	"syscall"

	"github.com/playctl/playctl/internal/host"
)

// heedHangUps reads the certificate again at SIGHUP, unless the terminal that the
// host was started at is gone: then nobody could end it any more with Ctrl-C, and
// end is called. The returned function undoes it.
func (a *app) heedHangUps(h *host.Host, end func()) (release func()) {
	if a.Signals == nil {
		return func() {}
	}
	hangUps := make(chan os.Signal, 1)
	a.Signals(hangUps, syscall.SIGHUP)
	before := a.terminals()
	done := make(chan struct{})
	var owned sync.WaitGroup
	owned.Go(func() {
		for {
			select {
			case <-hangUps:
				if a.terminals() < before {
					end()
				} else if err := h.Reload(); err != nil {
					a.warn("the TLS certificate was not replaced: "+err.Error(), "the one from before stays in use")
				}
			case <-done:
				return
			}
		}
	})
	return func() {
		a.StopSignals(hangUps)
		close(done)
		owned.Wait()
	}
}

// terminals is how many of the standard streams are a terminal; one whose window
// was closed is none any more.
func (p *program) terminals() (n int) {
	for _, stream := range []any{p.Stdin, p.Stdout, p.Stderr} {
		if isTerminal(stream) {
			n++
		}
	}
	return n
}
