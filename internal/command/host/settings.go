package host

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/bridge"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// serveSettings are the flags of "playctl serve".
type serveSettings struct {
	// options are the options of the host. Flags set most of them directly; hostOptions sets
	// the others, such as tokens, which are in files.
	options host.Options

	store     place.Flags
	runDir    string
	storeWait time.Duration
	ephemeral bool
	demo      bool

	rootFile              string
	adminTokenFile        string
	registrationTokenFile string
	bridgeURL             place.SecretURL
	trustedProxies        []string

	limits world.Limits
	// These are in MiB.
	bodyBudget, replyBudget, memoryBudget, journalBudget int

	logLevel  string
	logFormat string
}

// limit is a limit that an operator can set.
type limit struct {
	flag string
	// to is the option of the flag, value its default.
	to    *int
	value int
	// least is the smallest valid value.
	least int
	help  string
}

// greatestLimit is the greatest valid value of every limit: as MiB it is a number of bytes
// that fits an int, and so are the bursts and parts that are computed from it.
const greatestLimit = math.MaxInt / mebibyte

// limitFlags returns all limits. A new limit needs a line here, an option of the world or
// the host, and code that enforces it. The table of docs/hosting.md is generated from
// them.
func (s *serveSettings) limitFlags() []limit {
	return append(s.quotaLimits(), []limit{
		{"max-occupants", &s.limits.Occupants, world.DefaultOccupants, 1, "how many agents and MCP placements fit on the map"},
		{"max-people", &s.limits.People, world.DefaultPeople, 1, "how many people fit on the map"},
		{"max-occupants-per-owner", &s.limits.OccupantsPerOwner, 0, 0, "how many agents and MCP placements one main node may have on the map; 0 = no limit"},
		{"history", &s.limits.History, world.DefaultHistory, 1, "how many chat lines and how many journeys are kept for each agent"},
		{"max-watch-tokens", &s.limits.WatchTokens, world.DefaultWatchTokens, 1, "how many watch tokens one main node may have; new ones replace the oldest"},
		{"max-api-keys", &s.limits.APIKeys, world.DefaultAPIKeys, 1, "how many API keys one account may have besides the default one"},
		{"max-invitations", &s.limits.Invitations, world.DefaultInvitations, 1, "how many open invitations one main node may have"},
		{"max-total-invitations", &s.limits.TotalInvitations, world.DefaultTotalInvitations, 1, "how many open invitations there may be in all, the administrator's included"},
		{"body-budget", &s.bodyBudget, host.DefaultBodyBudget >> 20, 4 * protocol.MaxBodyBytes >> 20, "how many MiB the bodies of all requests in progress may take together"},
		{"reply-budget", &s.replyBudget, host.DefaultReplyBudget >> 20, 8, "how many MiB pages and maps may take until clients have read them"},
		{"memory-budget", &s.memoryBudget, 0, 0, "how many MiB of memory recent events may take; 0 = a sixteenth of the memory limit, else 32"},
		{"journal-budget", &s.journalBudget, 0, 0, "how many MiB the journal of events may take before the oldest events are dropped; 0 = 256, 64 with --ephemeral"},
		{"rate-history", &s.limits.HistoryRate, 1 << 20, 0, "how many bytes a second one account may write to the world's store, with bursts of a minute's worth; 0 = no limit"},
		{"rate-activity", &s.limits.ActivityRate, world.DefaultActivityRate, math.MinInt, "how many changes of agents' activities to working or idle the world takes a second; 0 = the default, negative = no limit, for one agent neither"},
		{"rate-requests", &s.options.Limits.RequestsPerSecond, 1000, math.MinInt, "how many requests a second one address may send; 0 = the default, negative = no limit"},
		{"rate-nodes", &s.options.Limits.CreationsPerMinute, 60, math.MinInt, "how many nodes a minute one address may create; 0 = the default, negative = no limit"},
		{"max-connections", &s.options.Connections.Connections, 0, 0, "how many connections may be open; 0 = as many as the limit of open files allows, at most 10000"},
		{"max-connections-per-address", &s.options.Connections.PerAddress, 0, 0, "how many connections one address may have open; 0 = a quarter of --max-connections"},
		{"max-connections-per-caller", &s.options.Connections.PerCaller, 0, 0, "how many requests, streams included, one node or watch cookie may have in progress; 0 = half of --max-connections"},
		{"max-streams", &s.options.Connections.Streams, 0, 0, "how many event streams may be open; 0 = three quarters of the connections"},
		{"max-streams-per-address", &s.options.Connections.StreamsPerAddress, 0, 0, "how many event streams one address may have open; 0 = half of --max-streams"},
		{"max-streams-per-caller", &s.options.Connections.StreamsPerCaller, 0, 0, "how many event streams one node or watch cookie may have open; 0 = half of --max-streams"},
	}...)
}

// leastJournal is the least size of a journal in MiB: enough for a map and the events
// with which a stream resumes.
const leastJournal = 8

// retention returns how much of the journal is kept.
func (s *serveSettings) retention() store.Retention {
	r := store.DefaultRetention()
	if s.ephemeral {
		r = store.RetentionInMemory()
	}
	if s.journalBudget > 0 {
		r.Bytes = uint64(s.journalBudget) * mebibyte
	}
	return r
}

// quotaLimits returns the limits of accounts: for each account, and for all together.
func (s *serveSettings) quotaLimits() []limit {
	var all []limit
	for _, q := range world.Quotas() {
		account, together := q.Defaults()
		help := fmt.Sprintf("how many %s all accounts together may have; 0 = no limit", q)
		if q == world.Accounts {
			help = fmt.Sprintf("how many %s there may be; 0 = no limit", q)
		} else {
			all = append(all, limit{
				"max-" + q.Label(), &s.limits.Account[q], account, 0,
				fmt.Sprintf("how many %s one %s may have; 0 = no limit", q, q.Holder()),
			})
		}
		all = append(all, limit{
			"max-total-" + q.Label(), &s.limits.World[q], together, 0, help,
		})
	}
	return all
}

// RegisterFlags adds the flags of a host to another flag set.
func RegisterFlags(flags *pflag.FlagSet, a *command.App) { new(serveSettings).register(flags, a) }

// register adds the flags. The environment and the config file can set every one of them
// as well.
func (s *serveSettings) register(flags *pflag.FlagSet, a *command.App) {
	own := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	own.SortFlags = false // The flags of the command are sorted; here each group would sort them again.
	s.store.Register(own, a)
	own.StringVar(&s.runDir, runDirFlag, "", runDirUsage)
	own.DurationVar(&s.storeWait, "store-wait", time.Minute, "how long a starting host waits for its store to answer; 0 = do not wait")
	own.BoolVar(&s.ephemeral, "ephemeral", false, "keep the world in memory only; it is lost when the host ends")
	own.BoolVar(&s.demo, "demo", false, "create a world with demo agents; its store is temporary unless --data-dir is given (with --store, the folder has its credentials)")
	command.GroupFlags(own, "The world")

	own.StringVar(&s.rootFile, "root-file", "", "the root key `file` (default: ~/.playctl/root, else ./.root; created for a new world if there is none; an existing world keeps its own)")
	own.StringVar(&s.adminTokenFile, "admin-token-file", "", "a `file` with the administrator's token; without it there is no administrator")
	own.StringVar((*string)(&s.options.APIKeys), "api-keys", "", "when API keys are checked: required (the default), optional (the default with --compat) or off")
	own.StringVar((*string)(&s.options.Registration), "registration", "open", "who may create main nodes: open, token or closed")
	own.StringVar(&s.registrationTokenFile, "registration-token-file", "", "a `file` with the token that --registration token requires")
	own.BoolVar(&s.options.MainNodesInvite, "main-nodes-invite", false, "let main nodes create invitations, besides the administrator")
	own.BoolVar(&s.options.NoRepository, "no-repository", false, "no nodes and no API keys: anybody may do anything; for play on one machine")
	own.StringVar((*string)(&s.options.Compat), "compat", "", "also serve existing clients of a `service`: agent-play")
	own.Var(&s.bridgeURL, "bridge-url", "post every public event to this `URL` plus /events; set a URL with a password in the environment or the config file")
	own.BoolVar(&s.options.AllowOwnerHash, "allow-owner-hash", false, "accept a main node's hash in place of its agents' hashes beyond loopback as well")
	command.GroupFlags(own, "Who may do what")

	own.StringVar((*string)(&s.options.WatchAccess), "watch-access", "local", "who may use the watch page without a token: local (on loopback), public (and everybody may watch) or token (nobody)")
	own.StringSliceVar(&s.options.WatchNames, "watch-name", nil, "an additional `name` of this machine under which the watch page is allowed without a token, when listening on loopback; may be repeated")
	own.StringSliceVar(&s.options.WatchEmbed, "watch-embed", nil, "an `origin` whose pages may embed the watch page or the map alone, for watching only, such as https://example.com; may be repeated")
	own.StringVar(&s.options.WorldName, "world-name", "", "the `name` of the world on its watch page and on cards of links to it")
	command.GroupFlags(own, "The watch page")

	own.StringVar(&s.options.Address, "listen", "127.0.0.1:7420", "the `address` to listen on; port 0 picks a free one")
	own.StringSliceVar(&s.options.AllowHosts, "allow-host", nil, "an additional host `name` that requests may use with --no-repository, besides addresses, names without a dot and the one in --public-url; may be repeated")
	own.StringVar(&s.options.PublicURL, "public-url", "", "the `URL` that links start with (default: the listener's)")
	own.StringSliceVar(&s.trustedProxies, "trusted-proxy", nil, "an `address` or network whose X-Forwarded-For is trusted; may be repeated")
	own.StringSliceVar(&s.options.CORSOrigins, "cors-origin", nil, "an `origin` whose pages may send requests, such as https://example.com; may be repeated")
	own.StringVar(&s.options.CertFile, "tls-cert", "", "serve TLS with this certificate `file` (PEM); SIGHUP reloads it")
	own.StringVar(&s.options.KeyFile, "tls-key", "", "the `file` of the certificate's key (PEM)")
	own.BoolVar(&s.options.HSTS, "hsts", false, "tell browsers to use TLS only, for a year; with --tls-cert")
	own.StringVar(&s.options.OpsAddress, "metrics-listen", "", "serve /healthz, /readyz and /metrics on a separate listener at this `address`")
	own.BoolVar(&s.options.Profiling, "pprof", false, "serve profiles at --metrics-listen")
	command.GroupFlags(own, "The listener")

	for _, l := range s.limitFlags() {
		own.IntVar(l.to, l.flag, l.value, l.help)
	}
	command.GroupFlags(own, "Limits")

	const limitLoopback = "limit-loopback"
	own.BoolVar(&s.options.LimitLoopback, limitLoopback, false, "for tests: limits for each address hold for loopback as well")
	// MarkHidden fails for an unknown flag only.
	_ = own.MarkHidden(limitLoopback)

	own.StringVar(&s.logLevel, "log-level", "info", "the lowest level that is logged: debug, info, warn or error")
	own.StringVar(&s.logFormat, "log-format", "text", "the format of the log: text or json")
	own.BoolVar(&s.options.AccessLog, "access-log", false, "log every request")
	command.GroupFlags(own, "The log")

	own.VisitAll(func(flag *pflag.Flag) { command.Configurable(own, flag.Name) })
	flags.AddFlagSet(own)
}

// checkTogether refuses combinations of flags that contradict each other.
func (s *serveSettings) checkTogether() error {
	switch {
	case (s.options.CertFile == "") != (s.options.KeyFile == ""):
		return command.Usagef("--tls-cert and --tls-key must be used together")
	case s.options.HSTS && s.options.CertFile == "":
		return command.Usagef("--hsts requires --tls-cert and --tls-key")
	case s.demo && s.options.NoRepository:
		return command.Usagef("--demo creates nodes, which a host with --no-repository does not have: use one of them")
	case s.demo && s.options.Registration != host.RegistrationOpen:
		return command.Usagef("--demo creates a main node, so registration must be open")
	case s.options.Compat != "" && s.options.APIKeys == host.APIKeysRequired:
		return command.Usagef("clients that need --compat send no API key: omit --api-keys, or set it to optional or off")
	case s.options.Registration == host.RegistrationToken && s.registrationTokenFile == "":
		return command.Usagef("--registration token requires --registration-token-file")
	case s.registrationTokenFile != "" && s.options.Registration != host.RegistrationToken:
		return command.Usagef("--registration-token-file requires --registration token")
	}
	return nil
}

// check refuses settings with which a host cannot run.
func (s *serveSettings) check(ctx context.Context, from *command.Sources) error {
	if err := s.checkTogether(); err != nil {
		return err
	}
	for flag, address := range map[string]string{"listen": s.options.Address, "metrics-listen": s.options.OpsAddress} {
		if err := command.CheckListenAddress(ctx, address); err != nil {
			return command.BadSetting(from.Where(flag), err)
		}
	}
	for _, l := range s.limitFlags() {
		if *l.to < l.least {
			return command.Usagef("--%s must be at least %d", l.flag, l.least)
		}
		if *l.to > greatestLimit {
			return command.Usagef("--%s must be at most %d", l.flag, greatestLimit)
		}
	}
	if s.journalBudget != 0 && s.journalBudget < leastJournal {
		return command.Usagef("--journal-budget must be at least %d, or 0 for the default", leastJournal)
	}
	if s.bridgeURL.Text != "" {
		if err := bridge.CheckURL(s.bridgeURL.Text); err != nil {
			return command.Usagef("--bridge-url: %w", err)
		}
	}
	switch s.options.WatchAccess {
	case host.WatchLocal, host.WatchPublic, host.WatchToken:
		return nil
	}
	return command.Usagef("--watch-access is %q: it must be local, public or token", s.options.WatchAccess)
}

// checkStore refuses two settings for the location of the world; a flag on the command
// line overrides a setting from elsewhere.
func (s *serveSettings) checkStore(from *command.Sources) error {
	switch {
	case s.storeWait < 0:
		return command.Usagef("--store-wait cannot be negative: 0 = do not wait")
	case s.store.Address.Text == "":
	case from.ByFlag("ephemeral") && from.ByFlag("store") && s.ephemeral:
		return command.Usagef("--ephemeral keeps nothing and --store keeps the world on a server: use one of them")
	case from.ByFlag("store") && from.ByFlag("data-dir") && !s.demo:
		return command.Hintf(command.Usagef("--data-dir keeps the world in a file and --store on a server: use one of them"),
			"--%s is the folder of the log of a host in the background", runDirFlag)
	case s.ephemeral && from.ByFlag("store"):
		s.ephemeral = false
	}
	if s.demo && !s.ephemeral && s.store.DataDir == "" && s.store.OnServer(from) {
		return command.Usagef("--demo creates accounts that stay on the server: set a folder for their credentials with --data-dir")
	}
	return nil
}
