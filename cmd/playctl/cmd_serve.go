package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/host"
)

func newServeCommand(a *app) *cobra.Command {
	var s serveSettings
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Host a world",
		Long: `Host a world until Ctrl-C or SIGTERM. Everything is in one file in the data folder, and on
the disk before a client gets its answer. It needs no database and no settings.

With --store the world is on a Redis, and every host that is started on the same one, with the
same --host-id, serves it: "playctl help stores" has more.

Ctrl-C and SIGTERM end it in order: /readyz turns off, streams end, requests under way are
answered. A second one ends it at once. SIGHUP reads the TLS certificate again; where its terminal
was closed, it ends the host in order.`,
		Example: example(
			"playctl serve",
			"playctl serve --demo",
			"playctl serve --store redis://redis.internal:6379 --store-credentials redis.secret",
			"playctl serve --listen :7420 --tls-cert cert.pem --tls-key key.pem --public-url https://play.example.com"),
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("data-dir") && a.layers.origins["data-dir"] == "" && s.demo {
				s.store.dataDir = ""
			}
			return a.serve(cmd.Context(), &s)
		},
	}
	s.register(cmd.Flags(), a)
	completeChoices(cmd, "api-keys", "required", "optional", "off")
	completeChoices(cmd, "compat", string(host.CompatAgentPlay))
	completeChoices(cmd, "registration", "open", "token", "closed")
	completeChoices(cmd, "watch-access", "local", "public", "token")
	completeChoices(cmd, "log-level", "debug", "info", "warn", "error")
	completeChoices(cmd, "log-format", "text", "json")
	return cmd
}

// serve hosts a world until ctx ends.
func (a *app) serve(ctx context.Context, s *serveSettings) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	if err := s.checkStore(a.layers); err != nil {
		return err
	}
	served, err := a.openServed(ctx, s)
	if errors.Is(err, errStoppedWaiting) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, served.close(context.WithoutCancel(ctx))) }()
	if err := served.host.Listen(ctx); err != nil {
		return a.listenProblem(err, s)
	}
	a.warnOfListener(served.host.Addr(), s)
	return a.runHost(ctx, served, s)
}

// runHost serves until ctx ends or the listener breaks. The demo ends first, so
// that its agents leave the map in order.
func (a *app) runHost(ctx context.Context, served *served, s *serveSettings) error {
	// The host has a context of its own: a signal ends the demo before it.
	hosting, stopHost := context.WithCancel(context.WithoutCancel(ctx))
	defer stopHost()
	ctx, broken := context.WithCancel(ctx)
	defer broken()
	release := a.heedHangUps(served.host, broken)
	defer release()

	var failed error
	var running sync.WaitGroup
	running.Go(func() {
		failed = served.host.Serve(hosting)
		broken()
	})
	err := a.attend(ctx, served, s)
	stopHost()
	running.Wait()
	return errors.Join(failed, err)
}

// attend makes the demo, prints the banner and waits for the end.
func (a *app) attend(ctx context.Context, served *served, s *serveSettings) (err error) {
	banner := a.newBanner(served, s)
	if s.demo {
		var d *demo
		err = a.waiting("Making a world with agents in it", func() (err error) {
			d, err = a.startDemo(ctx, served)
			return err
		})
		if err == nil {
			defer func() { err = errors.Join(err, d.close(ctx)) }()
		}
		if ctx.Err() != nil {
			// The end of the run, by a signal or the listener, is no failure of the demo.
			return nil
		}
		if err != nil {
			return err
		}
		banner.Credentials, banner.Next = d.store.Path(), d.nextCommands()
	}
	if err := a.printer.Print(banner.document(a.printer.Look)); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// listenProblem says what to do about an address that cannot be listened on.
func (a *app) listenProblem(err error, s *serveSettings) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return hintf(fmt.Errorf("%s is taken by another program: %w", s.listen, syscall.EADDRINUSE),
			"is a host running already? Choose another address with --listen; port 0 picks a free one")
	}
	return err
}

// warnOfListener warns of credentials that would cross a network in clear.
func (a *app) warnOfListener(addr net.Addr, s *serveSettings) {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() || s.tlsCert != "" {
		return
	}
	a.warn(fmt.Sprintf("%s can be reached from other machines and is not encrypted: everyone on the way can read credentials", addr),
		"use --tls-cert and --tls-key, or listen on loopback behind a proxy that speaks TLS")
	if s.noRepository {
		a.warn("--no-repository lets everyone who reaches this address do anything", "listen on 127.0.0.1")
	}
}
