// Package host has the command that hosts a world, with its demo.
package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/host"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		newServeCommand(a), newStopCommand(a), newLogsCommand(a),
	}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"serve":                bannerResult{},
		"serve --detach":       detachedResult{},
		"stop":                 stoppedResult{},
		"logs":                 logsResult{},
		"logs --output ndjson": logLine{},
	}
}

func newServeCommand(a *command.App) *cobra.Command {
	var s serveSettings
	var detached, background bool
	cmd := &cobra.Command{
		Use:        "serve",
		SuggestFor: []string{"start", "up", "host"},
		GroupID:    command.GroupHost,
		Short:      "Host a world",
		Long: `Host a world until Ctrl-C or SIGTERM. Everything is kept in one file in the data folder, and
every write is on disk before the client gets its reply. It needs no database and no settings.

With --store the world is in Redis, and every host that is started on the same Redis server, with
the same --host-id, serves it: "playctl help stores" has more.

Ctrl-C and SIGTERM shut it down gracefully: /readyz turns 503, streams end, and requests in progress
are answered. A second signal ends it at once. SIGHUP reloads the TLS certificate; if its terminal
was closed, it shuts the host down gracefully. With --detach it runs in the background instead,
until "playctl stop", with its log in a file of the data folder; with --store, hosts on one machine
need a --run-dir each.

A store is not served if its map, its accounts or, up to 128 MiB, its pages are damaged: the exit
code is 5, as for "playctl store check". The rest of it is read while the host runs: what is damaged
is logged and left out, and /readyz is 503.`,
		Example: command.Example(
			"playctl serve",
			"playctl serve --demo",
			"playctl serve --store redis://redis.example.com:6379 --store-credentials redis.secret",
			"playctl serve --listen :7420 --tls-cert cert.pem --tls-key key.pem --public-url https://play.example.com"),
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if detached && !background {
				return detach(cmd.Context(), a, &s)
			}
			if a.Sources.ByFlag(runDirFlag) && !background {
				return command.Usagef("--%s is for a host in the background: add --detach", runDirFlag)
			}
			if background {
				end, refused := keepRun(a, &s)
				if refused != nil {
					return refused
				}
				defer func() { err = errors.Join(err, end()) }()
			}
			if s.demo && !a.Sources.Made("data-dir") {
				s.store.DataDir = ""
			}
			return place.Unverified(serve(cmd.Context(), a, &s))
		},
	}
	s.register(cmd.Flags(), a)
	cmd.Flags().BoolVar(&detached, "detach", false, "serve in the background, and return once it serves; \"playctl stop\" ends it and \"playctl logs\" shows its log")
	cmd.Flags().BoolVar(&background, inBackground, false, "for --detach: this is the process in the background")
	// MarkHidden fails for an unknown flag only.
	_ = cmd.Flags().MarkHidden(inBackground)
	completeServe(cmd)
	return cmd
}

func completeServe(cmd *cobra.Command) {
	command.CompleteChoices(cmd, "api-keys", "required", "optional", "off")
	command.CompleteChoices(cmd, "compat", string(host.CompatAgentPlay))
	command.CompleteChoices(cmd, "registration", "open", "token", "closed")
	command.CompleteChoices(cmd, "watch-access", "local", "public", "token")
	command.CompleteChoices(cmd, "log-level", "debug", "info", "warn", "error")
	command.CompleteChoices(cmd, "log-format", "text", "json")
}

// serve hosts a world until ctx ends.
func serve(ctx context.Context, a *command.App, s *serveSettings) (err error) {
	if err := s.check(ctx, a.Sources); err != nil {
		return err
	}
	if err := place.CheckFolder(a.Sources, s.store.DataDir); err != nil {
		return err
	}
	if err := s.checkStore(a.Sources); err != nil {
		return err
	}
	served, err := openServed(ctx, a, s)
	if errors.Is(err, errStoppedWaiting) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, served.close(context.WithoutCancel(ctx))) }()
	if err := served.host.Listen(ctx); err != nil {
		return listenProblem(err, s)
	}
	warnOfSettings(a, served.host.Addr(), s)
	return runHost(ctx, a, served, s)
}

// runHost serves until ctx ends or the listener fails. The demo ends first, so that its
// agents leave the map in order.
func runHost(ctx context.Context, a *command.App, served *served, s *serveSettings) error {
	// The host has a separate context: a signal ends the demo before it.
	hosting, stopHost := context.WithCancel(context.WithoutCancel(ctx))
	defer stopHost()
	ctx, broken := context.WithCancel(ctx)
	defer broken()
	release := reloadOnHangUp(a, served.host, broken)
	defer release()

	var failed error
	var running sync.WaitGroup
	running.Go(func() {
		failed = served.host.Serve(hosting)
		broken()
	})
	err := attend(ctx, a, served, s)
	stopHost()
	running.Wait()
	return errors.Join(failed, err)
}

// attend starts the demo, prints the banner and waits for the end.
func attend(ctx context.Context, a *command.App, served *served, s *serveSettings) (err error) {
	banner := newBanner(a, served, s)
	if s.demo {
		var d *demo
		d, err = command.Await(a, "Creating a world with agents in it", func() (*demo, error) { return startDemo(ctx, a, served) })
		if err == nil {
			defer func() { err = errors.Join(err, d.close(ctx)) }()
		}
		if ctx.Err() != nil {
			// If a signal or the listener ends the run, that is not a failure of the demo.
			return nil
		}
		if err != nil {
			return err
		}
		banner.Credentials, banner.Next = d.store.Path(), d.nextCommands()
	}
	if err := a.Printer.Print(banner.document(a.Printer.Look)); err != nil {
		return err
	}
	// The allocation triggers a garbage collection, which would delay the start.
	served.unused = reserveHeap()
	<-ctx.Done()
	return nil
}

// listenProblem adds a hint to the error of an address at which the host cannot listen.
func listenProblem(err error, s *serveSettings) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return command.Hintf(fmt.Errorf("%s is in use by another program: %w", s.options.Address, syscall.EADDRINUSE),
			"is a host running already? Choose another address with --listen; port 0 picks a free one")
	}
	return err
}

// warnOfSettings warns of settings that an operator may not have meant.
func warnOfSettings(a *command.App, addr net.Addr, s *serveSettings) {
	warnOfListener(a, addr, s)
	if s.options.Registration == host.RegistrationClosed && s.adminTokenFile == "" && !s.options.MainNodesInvite && !s.options.NoRepository {
		a.Warn("nobody can create an account here: registration is closed, and nobody may invite",
			"--admin-token-file FILE gives the host an administrator, who can invite")
	}
}

// warnOfListener warns if credentials would cross a network unencrypted.
func warnOfListener(a *command.App, addr net.Addr, s *serveSettings) {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() || s.options.CertFile != "" {
		return
	}
	a.Warn(fmt.Sprintf("%s can be reached from other machines and is not encrypted: anyone on the network path can read credentials", addr),
		"use --tls-cert and --tls-key, or listen on loopback behind a proxy that speaks TLS")
	if s.options.NoRepository {
		a.Warn("--no-repository lets everyone who reaches this address do anything", "listen on 127.0.0.1")
	}
}

// reloadOnHangUp reloads the certificate at SIGHUP, unless the terminal of the host is
// closed: then nobody could end the host with Ctrl-C any more, and end is called. The
// returned function undoes it.
func reloadOnHangUp(a *command.App, h *host.Host, end func()) (release func()) {
	before := terminals(a.Program)
	return a.OnSignals(func(os.Signal) {
		if terminals(a.Program) < before {
			end()
		} else if err := h.Reload(); err != nil {
			a.Warn("cannot reload the TLS certificate: "+err.Error(), "the previous one stays in use")
		}
	}, syscall.SIGHUP)
}

// terminals returns how many of the standard streams are terminals; a terminal whose
// window was closed does not count.
func terminals(p *command.Program) (n int) {
	for _, stream := range []any{p.Stdin, p.Stdout, p.Stderr} {
		if command.IsTerminal(stream) {
			n++
		}
	}
	return n
}
