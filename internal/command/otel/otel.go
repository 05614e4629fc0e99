// Package otel has "playctl otel", which receives OpenTelemetry traces and shows the
// agents in them on the map.
package otel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/otel"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command { return []*cobra.Command{newOtelCommand(a)} }

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{"otel": listening{}}
}

// off is the address of a protocol that is not served.
const off = "off"

// These are limits that no flag changes.
const (
	longestRules = 1 << 20
	lastRuns     = 10 * time.Second
	leastLook    = 50 * time.Millisecond
)

// receiverFlags are the flags of the receiver, and of the journeys that it records.
type receiverFlags struct {
	http, grpc, tokenFile, rules string
	hosts                        []string
	content, asAgent             bool
	agents                       int
	body, memory                 int
	limits                       otel.Limits
}

func newOtelCommand(a *command.App) *cobra.Command {
	var flags receiverFlags
	cmd := &cobra.Command{
		Use:     "otel",
		Short:   "Show agents on the map by the OpenTelemetry traces that they report",
		GroupID: command.GroupWorld,
		Long: `Receive OpenTelemetry traces over OTLP and show the agents in them on the map, until Ctrl-C: a
program that reports spans by the conventions for generative AI arrives without a line of code.
Each agent name becomes an agent of the account, created if it is missing, each run of an agent a
journey whose steps are its tool calls in order of time, and each MCP server a placement.

Prompts, arguments and results are left out unless --content includes them, where everybody in the
world can read them. A map file in YAML renames, groups and excludes agents, tools and servers by
patterns; the first match applies. It also redacts texts by regular expressions:

  agents:  [{match: "support-*", name: Support}, {service: "test-*", drop: true}]
  tools:   [{match: "internal_*", drop: true}]
  servers: [{match: "127.0.0.1:3000", name: weather}]
  redact:  ["sk-[A-Za-z0-9]+"]

Beyond this machine every request needs the bearer token in --token-file, which is created with mode
0600 if it is missing. On this machine, requests under other names than its own are refused unless
--allow-host allows the name, such as host.docker.internal for a container. There is no TLS: put a TLS
proxy in front of it.`,
		Example: command.Example("playctl otel", "playctl otel --map agents.yaml --content", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 python3 agent.py"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.UnlessTerminated(cmd.Context(), receive(cmd.Context(), a, &flags))
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.http, "http", "127.0.0.1:4318", "receive OTLP over HTTP at this `address` and /v1/traces; off does not")
	f.StringVar(&flags.grpc, "grpc", "127.0.0.1:4317", "receive OTLP over gRPC at this `address`; off does not")
	f.StringVar(&flags.tokenFile, "token-file", "", "the `file` with the bearer token that exporters send")
	f.StringSliceVar(&flags.hosts, "allow-host", nil, "a `name` that is accepted in the Host header besides this machine's")
	f.StringVar(&flags.rules, "map", "", "a YAML `file` that renames, groups, excludes and redacts; - is standard input")
	f.BoolVar(&flags.content, "content", false, "include prompts, arguments and results, which everybody in the world can read")
	f.BoolVar(&flags.asAgent, "as-agent", false, "show each program that traces its models only as an agent with the name of the program")
	f.IntVar(&flags.agents, "max-agents", 16, "how many agents are put on the map, at most")
	f.IntVar(&flags.limits.Traces, "max-traces", 1000, "how many traces are kept, at most")
	f.IntVar(&flags.limits.Spans, "max-spans", 10000, "how many spans of a trace are kept, at most")
	f.IntVar(&flags.body, "max-body", 4, "how many MiB a request may have, unpacked")
	f.IntVar(&flags.memory, "max-memory", 64, "about how many MiB kept traces and requests may take together")
	f.DurationVar(&flags.limits.Settle, "settle", 2*time.Second, "how long no span of a trace arrives before its runs count as complete")
	f.DurationVar(&flags.limits.Wait, "wait", 10*time.Minute, "how long spans wait for their parents, and traces for late spans")
	return cmd
}

func (f *receiverFlags) check(ctx context.Context) error {
	for name, value := range map[string]int{
		"max-agents": f.agents, "max-traces": f.limits.Traces, "max-spans": f.limits.Spans, "max-body": f.body, "max-memory": f.memory,
	} {
		if value < 1 {
			return command.Usagef("--%s is %d: it must be at least 1", name, value)
		}
	}
	switch {
	case f.body > 64 || f.memory > 1<<16:
		return command.Usagef("--max-body must be at most 64, and --max-memory at most %d", 1<<16)
	case f.limits.Settle <= 0 || f.limits.Wait <= f.limits.Settle:
		return command.Usagef("--settle must be more than 0 and --wait more than --settle")
	case f.http == off && f.grpc == off:
		return command.Usagef("neither --http nor --grpc has an address, so nothing would be received")
	}
	for name, address := range map[string]string{"http": f.http, "grpc": f.grpc} {
		if address == off {
			continue
		}
		if err := command.CheckListenAddress(ctx, address); err != nil {
			return command.Usagef("--%s: %w", name, err)
		}
		if f.tokenFile == "" && !command.NamesThisMachine(address, nil) {
			return command.Usagef("--%s %s is open to other machines: that needs --token-file", name, address)
		}
	}
	f.limits.Bytes = f.memory << 19
	return nil
}

// listening is what "playctl otel" prints.
type listening struct {
	HTTP      string `json:"http,omitempty"`      // where OTLP over HTTP is received
	GRPC      string `json:"grpc,omitempty"`      // where OTLP over gRPC is received
	TokenFile string `json:"tokenFile,omitempty"` // the file of the token that senders show
}

func (l *listening) document() render.Document {
	var views []render.View
	if l.HTTP != "" {
		views = append(views, render.Line("OTLP over HTTP: OTEL_EXPORTER_OTLP_ENDPOINT="+l.HTTP))
	}
	if l.GRPC != "" {
		views = append(views, render.Line("OTLP over gRPC: OTEL_EXPORTER_OTLP_ENDPOINT="+l.GRPC))
	}
	return render.Document{Data: l, Views: views}
}

// receive runs the receiver until ctx ends, and then records the rest of the received
// runs.
func receive(ctx context.Context, a *command.App, flags *receiverFlags) (err error) {
	if err := flags.check(ctx); err != nil {
		return err
	}
	rules := &otel.Rules{}
	if flags.rules != "" {
		text, err := a.ReadText(flags.rules, longestRules)
		if err != nil {
			return err
		}
		if rules, err = otel.ParseRules(text); err != nil {
			return command.BadInput(fmt.Errorf("%s: %w", command.InputName(flags.rules), err))
		}
	}
	var token protocol.Secret
	if flags.tokenFile != "" {
		if token, err = a.TokenFile(flags.tokenFile); err != nil {
			return err
		}
	}
	to, err := openSink(ctx, a, flags.agents, flags.content)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.close(ctx)) }()
	// A half of the memory is for kept traces, the other for requests.
	r := newReceiver(otel.NewCollector(flags.limits, rules), flags.body<<20, flags.memory<<19)
	r.collector.AsAgent, r.content, r.token, r.hosts = flags.asAgent, flags.content, token, flags.hosts
	servers, err := r.listen(ctx, flags)
	if err != nil {
		return err
	}
	servers.at.TokenFile = flags.tokenFile
	if err := a.Printer.Print(servers.at.document()); err != nil {
		servers.stop()
		return err
	}
	var recording sync.WaitGroup
	stopped := make(chan struct{})
	recording.Go(func() { record(ctx, r.collector, to, flags.limits.Settle, stopped) })
	select {
	case err = <-servers.failed:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	servers.stop()
	close(stopped)
	recording.Wait()
	if lost := r.collector.Lost(); lost > 0 {
		a.Warn(fmt.Sprintf("%d spans were dropped: their traces were full, or too many runs waited", lost), "raise --max-spans")
	}
	return err
}

// record records runs as they become complete, and the rest after stopped is closed. A
// run that is being recorded when ctx ends is still recorded.
func record(ctx context.Context, from *otel.Collector, to *sink, settle time.Duration, stopped <-chan struct{}) {
	ctx, cancel := lasting(ctx, lastRuns)
	defer cancel()
	look := time.NewTicker(max(settle/4, leastLook))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			for _, run := range from.Take(time.Now()) {
				to.record(ctx, &run)
			}
			to.working(ctx, from.Working())
			to.warnHidden(from.Hidden())
		case <-stopped:
			flush(ctx, from, to)
			return
		}
	}
}

func flush(ctx context.Context, from *otel.Collector, to *sink) {
	ctx, cancel := context.WithTimeout(ctx, lastRuns)
	defer cancel()
	for _, run := range from.Flush() {
		to.record(ctx, &run)
	}
	to.warnLate()
	to.warnHidden(from.Hidden())
}

// lasting returns a context that ends some time after ctx does.
func lasting(ctx context.Context, more time.Duration) (context.Context, context.CancelFunc) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(more, cancel) })
	return last, func() {
		stop()
		cancel()
	}
}
