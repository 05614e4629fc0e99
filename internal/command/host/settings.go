package host

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
)

// serveSettings are the flags of "playctl serve".
type serveSettings struct {
	listen    string
	store     place.Flags
	storeWait time.Duration
	ephemeral bool
	demo      bool

	rootFile              string
	adminTokenFile        string
	apiKeys               string
	registration          string
	registrationTokenFile string
	noRepository          bool
	compat                string
	bridgeURL             place.SecretURL
	allowOwnerHash        bool

	watchAccess string
	watchNames  []string

	publicURL      string
	trustedProxies []string
	corsOrigins    []string
	tlsCert        string
	tlsKey         string
	opsListen      string
	pprof          bool

	maxOccupants         int
	maxOccupantsPerOwner int
	maxAgents            int
	history              int
	rateRequests         int
	rateNodes            int

	logLevel  string
	logFormat string
	accessLog bool
}

// RegisterFlags adds the flags of a host to the flags of another command.
func RegisterFlags(flags *pflag.FlagSet, a *command.App) { new(serveSettings).register(flags, a) }

// register adds the flags. Every one of them can also be set in the environment
// and the config file.
func (s *serveSettings) register(flags *pflag.FlagSet, a *command.App) {
	own := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	own.StringVar(&s.listen, "listen", "127.0.0.1:7420", "the `address` to listen on; port 0 picks a free one")
	s.store.Register(own, a)
	own.DurationVar(&s.storeWait, "store-wait", time.Minute, "how long a host that starts waits for a Redis that does not answer; 0 is not at all")
	own.BoolVar(&s.ephemeral, "ephemeral", false, "keep everything in memory and forget it at the end")
	own.BoolVar(&s.demo, "demo", false, "make a world with agents that live in it; its store is temporary unless --data-dir is given (with --store, the folder has its credentials)")

	own.StringVar(&s.rootFile, "root-file", "", "the root key `file` (default: ~/.playctl/root, else ./.root; made if there is none)")
	own.StringVar(&s.adminTokenFile, "admin-token-file", "", "a `file` with the administrator's token; without it there is no administrator")
	own.StringVar(&s.apiKeys, "api-keys", "", "when API keys are checked: required (the default), optional (the default with --compat) or off")
	own.StringVar(&s.registration, "registration", "open", "who may create main nodes: open, token or closed")
	own.StringVar(&s.registrationTokenFile, "registration-token-file", "", "a `file` with the token that --registration token asks for")
	own.BoolVar(&s.noRepository, "no-repository", false, "no nodes and no API keys: anybody may do anything; for play on one machine")
	own.StringVar(&s.compat, "compat", "", "also serve existing clients of a `service`: agent-play")
	own.Var(&s.bridgeURL, "bridge-url", "post every public event to this `URL` with /events added; with a password in it, set it in the environment or the file")
	own.BoolVar(&s.allowOwnerHash, "allow-owner-hash", false, "let a main node's hash stand for its agents' also beyond loopback")

	own.StringVar(&s.watchAccess, "watch-access", "local", "who may use the watch page without a token: local (free on loopback), public (and everybody may look) or token (nobody)")
	own.StringSliceVar(&s.watchNames, "watch-name", nil, "a further `name` of this machine under which the watch page is free, when listening on loopback; may be repeated")

	own.StringVar(&s.publicURL, "public-url", "", "the `URL` that links start with (default: the listener's)")
	own.StringSliceVar(&s.trustedProxies, "trusted-proxy", nil, "an `address` or network whose X-Forwarded-For is believed; may be repeated")
	own.StringSliceVar(&s.corsOrigins, "cors-origin", nil, "an `origin` whose pages may call, such as https://example.com; may be repeated")
	own.StringVar(&s.tlsCert, "tls-cert", "", "serve TLS with this certificate `file` (PEM); SIGHUP reads it again")
	own.StringVar(&s.tlsKey, "tls-key", "", "the `file` of the certificate's key (PEM)")
	own.StringVar(&s.opsListen, "metrics-listen", "", "take /healthz, /readyz and /metrics to a listener of their own at this `address`")
	own.BoolVar(&s.pprof, "pprof", false, "serve profiles at --metrics-listen")

	own.IntVar(&s.maxOccupants, "max-occupants", 100, "how many agents and MCP placements fit on the map")
	own.IntVar(&s.maxOccupantsPerOwner, "max-occupants-per-owner", 0, "how many of them one main node may have; 0 is no limit")
	own.IntVar(&s.maxAgents, "max-agents", 0, "how many agent nodes one main node may have; 0 is no limit")
	own.IntVar(&s.history, "history", 1000, "how many interactions and journeys are kept for each agent")
	own.IntVar(&s.rateRequests, "rate-requests", 1000, "how many requests a second one address may make; negative is no limit")
	own.IntVar(&s.rateNodes, "rate-nodes", 60, "how many nodes a minute one address may create; negative is no limit")

	own.StringVar(&s.logLevel, "log-level", "info", "what is logged: debug, info, warn or error")
	own.StringVar(&s.logFormat, "log-format", "text", "how it is logged: text or json")
	own.BoolVar(&s.accessLog, "access-log", false, "log every request")

	own.VisitAll(func(flag *pflag.Flag) { command.Configurable(own, flag.Name) })
	flags.AddFlagSet(own)
}
