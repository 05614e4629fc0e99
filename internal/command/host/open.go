package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/playctl/playctl/internal/bridge"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
)

// served is a host with its world, store and bridge.
type served struct {
	host *host.Host
	// standby listens in place of the host while the store does not answer; nil if the store
	// answered immediately.
	standby *host.Standby
	world   *world.World
	journal store.Journal
	// bridge is nil if there is none.
	bridge *bridge.Bridge

	// memoryBudget is in bytes.
	memoryBudget int
	// unused is the memory of reserveHeap.
	unused []byte

	root     creds.RootFile
	rootMade bool
	// at is the place of the store; the zero Place for a store in memory.
	at place.Place
	// path names the store for people, "" for a store in memory.
	path string
	// folder is the folder of the demo's files.
	folder string
	// temporary is removed at the end, "" for nothing.
	temporary string
}

// openServed opens the store, recovers the world and creates its host. If one step fails
// it closes everything again.
func openServed(ctx context.Context, a *command.App, s *serveSettings) (result *served, err error) {
	result = &served{}
	defer func() {
		if err != nil {
			err = errors.Join(err, result.close(context.WithoutCancel(ctx)))
		}
	}()
	options, err := hostOptions(a, s)
	if err != nil {
		return result, err
	}
	options.Metrics = host.NewMetrics()
	options.Metrics.Add(host.BuildInfo(a.ThisVersion().Version))
	result.memoryBudget = s.limitMemory(options.Logger, memlimit.FromCgroup)
	s.fitLimits(options.Logger, a.Sources.Made)
	options.BodyBudget, options.ReplyBudget = s.bodyBudget<<20, s.replyBudget<<20
	if err := awaitWorld(ctx, a, s, options, result); err != nil {
		return result, err
	}
	options.Standby = result.standby
	options.Processors = processors()
	options.World = result.world
	options.Deriver = creds.NewDeriver(creds.DeriverOptions{Derive: a.Derive, Running: creds.DefaultRunning(options.Processors)})
	if err := s.openBridge(ctx, result, options); err != nil {
		return result, err
	}
	result.host, err = host.New(*options)
	return result, err
}

// openBridge starts the bridge, which posts the world's events to another service.
func (s *serveSettings) openBridge(ctx context.Context, into *served, options *host.Options) (err error) {
	if s.bridgeURL.Text == "" {
		return nil
	}
	into.bridge, err = bridge.Open(ctx, bridge.Options{World: into.world, URL: s.bridgeURL.Text, Logger: options.Logger})
	if err != nil {
		return err
	}
	options.Metrics.Add(into.bridge.WriteMetrics)
	return nil
}

// openWorld opens the store and recovers the world.
func openWorld(ctx context.Context, a *command.App, s *serveSettings, options *host.Options, into *served) error {
	if err := openStore(ctx, a, s, options.Logger, into); err != nil {
		return err
	}
	opened, err := world.Open(ctx, world.Options{
		Journal: into.journal, Name: processName(), RootKey: into.root.Key, Now: a.Now, Random: rand.Reader,
		Limits: s.limits, MemoryBudget: into.memoryBudget, NoRepository: s.options.NoRepository, Observer: options.Metrics,
		Damaged: func(err error) {
			options.Logger.Error("a part of the store is damaged: what needs it is refused, the rest is served; \"playctl store check\" lists everything that is damaged", "error", err)
		},
	})
	if err != nil {
		return err
	}
	into.world = opened
	s.logMemory(options.Logger, into.memoryBudget)
	return nil
}

// processName returns a name that distinguishes this host from others of its world in
// logs.
func processName() string {
	machine, _ := os.Hostname()
	return fmt.Sprintf("process %d on %s", os.Getpid(), cmp.Or(machine, "an unnamed machine"))
}

// openStore opens the journal: on a server, in memory, in a temporary folder for a
// demo, or in the data folder.
func openStore(ctx context.Context, a *command.App, s *serveSettings, logger *slog.Logger, into *served) (err error) {
	located := s.store
	if located.DataDir == "" && s.demo {
		if into.temporary, err = os.MkdirTemp("", "playctl-demo-*"); err != nil {
			return fmt.Errorf("create a folder for the demo: %w", err)
		}
		located.DataDir = into.temporary
	}
	into.folder = a.Absolute(located.DataDir)
	if s.ephemeral {
		if into.root, err = findRootKey(a, s); err != nil {
			return err
		}
		into.journal = memory.Open(s.retention())
		return makeRootKey(a, s, into)
	}
	if into.at, err = place.Of(a, &located); err != nil {
		return err
	}
	if into.root, err = findRootKey(a, s); err != nil {
		return err
	}
	return openAt(ctx, a, s, logger, into)
}

// hostOptions returns the options of the host from the flags.
func hostOptions(a *command.App, s *serveSettings) (*host.Options, error) {
	admin, err := a.ReadToken(s.adminTokenFile)
	if err != nil {
		return nil, noToken(s.adminTokenFile, fmt.Errorf("--admin-token-file: %w", err))
	}
	registration, err := a.ReadToken(s.registrationTokenFile)
	if err != nil {
		return nil, noToken(s.registrationTokenFile, fmt.Errorf("--registration-token-file: %w", err))
	}
	proxies, err := parseProxies(a, s.trustedProxies)
	if err != nil {
		return nil, err
	}
	logger, err := logger(a, s)
	if err != nil {
		return nil, err
	}
	options := s.options
	options.AdminToken, options.RegistrationToken = admin, registration
	options.TrustedProxies, options.Logger = proxies, logger
	options.CertFile, options.KeyFile = a.Absolute(options.CertFile), a.Absolute(options.KeyFile)
	return &options, checkOptions(a, &options)
}

// optionFlags are the flags of the options that the host validates.
var optionFlags = map[string]string{
	"Address": "listen", "OpsAddress": "metrics-listen", "Profiling": "pprof", "PublicURL": "public-url",
	"CORSOrigins": "cors-origin", "AllowHosts": "allow-host", "Registration": "registration", "APIKeys": "api-keys", "Compat": "compat",
	"WatchAccess": "watch-access", "WatchNames": "watch-name", "WatchEmbed": "watch-embed", "WorldName": "world-name",
}

// checkOptions adds to the host's refusal of an option the name of its flag, or of the
// other place where it was set.
func checkOptions(a *command.App, options *host.Options) error {
	err := options.Check()
	if wrong, ok := errors.AsType[*host.OptionError](err); ok {
		return command.BadSetting(a.Sources.Where(optionFlags[wrong.Option]), wrong.Err)
	}
	return err
}

// noToken adds how to create the file of a token if it is missing.
func noToken(file string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return command.Hintf(err, "\"(umask 077; openssl rand -hex 32 > %s)\" creates one", command.ShellWord(file))
}

// parseProxies reads addresses and networks.
func parseProxies(a *command.App, texts []string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for _, text := range texts {
		if addr, err := netip.ParseAddr(text); err == nil {
			proxies = append(proxies, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, command.BadSetting(a.Sources.Where("trusted-proxy"), fmt.Errorf("%q is neither an address nor a network such as 192.0.2.0/24", text))
		}
		proxies = append(proxies, network)
	}
	return proxies, nil
}

// logger returns the logger, which writes to standard error.
func logger(a *command.App, s *serveSettings) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil || strings.ContainsAny(s.logLevel, "+-") {
		return nil, command.BadSetting(a.Sources.Where("log-level"), fmt.Errorf("%q is not a level: use debug, info, warn or error", s.logLevel))
	}
	options := &slog.HandlerOptions{Level: level}
	switch s.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(a.Stderr, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(escapedLog{a.Stderr}, options)), nil
	}
	return nil, command.BadSetting(a.Sources.Where("log-format"), fmt.Errorf("%q is not a format: use text or json", s.logFormat))
}

// escapedLog writes lines of JSON, with escapes for control characters that a terminal
// acts on, which the path in a request may contain. The text handler quotes them already.
type escapedLog struct{ out io.Writer }

// Write implements io.Writer.
func (l escapedLog) Write(line []byte) (int, error) {
	if _, err := l.out.Write(render.Escaped(line)); err != nil {
		return 0, err //nolint:wrapcheck // The handler's caller drops it.
	}
	return len(line), nil
}

// closeTimeout limits the time of close; an orchestrator kills a process after 10 s, most
// of which the host needs for its streams.
const closeTimeout = 2 * time.Second

// errCloseTimeout is the error of close after closeTimeout. It is not about --timeout.
var errCloseTimeout = fmt.Errorf("it took longer than %s", closeTimeout)

// close closes everything that was opened, in reverse order.
func (s *served) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, closeTimeout, errCloseTimeout)
	defer cancel()
	var failed []error
	if s.host != nil {
		failed = append(failed, s.host.Close(ctx))
	}
	if s.standby != nil {
		failed = append(failed, s.standby.Close())
	}
	if s.bridge != nil {
		failed = append(failed, s.bridge.Close(ctx))
	}
	if s.world != nil {
		failed = append(failed, s.world.Close(ctx))
	}
	if s.journal != nil {
		failed = append(failed, closeJournal(ctx, s.journal))
	}
	if s.temporary != "" {
		failed = append(failed, os.RemoveAll(s.temporary))
	}
	runtime.KeepAlive(s.unused)
	return errors.Join(failed...)
}

// closeJournal closes a journal. It does not wait longer than the context for a disk that
// does not answer: what was acknowledged is in the store already.
func closeJournal(ctx context.Context, journal store.Journal) error {
	closed := make(chan error, 1)
	go func() { closed <- journal.Close() }()
	select {
	case err := <-closed:
		return err
	case <-ctx.Done():
		return fmt.Errorf("close the store: %w", context.Cause(ctx))
	}
}

// findRootKey finds the named root key file, or one in the usual places. The key in a
// file that was not named may belong to another world.
func findRootKey(a *command.App, s *serveSettings) (creds.RootFile, error) {
	root, err := a.Surroundings().FindRootFile(s.rootFile)
	if errors.Is(err, creds.ErrNoRootFile) {
		return creds.RootFile{}, nil
	}
	if errors.Is(err, creds.ErrRootFileMissing) {
		return root, command.Hintf(err, "\"playctl create-root-key --root-file FILE\" creates one for a new world; an existing one has its key in its store: omit --root-file and "+creds.EnvRootFile)
	}
	return root, err
}

// makeRootKey generates a root key for a new world, if no file has one for it. The key of
// a demo is removed with its store, and a world in memory needs no file if none can be
// written.
func makeRootKey(a *command.App, s *serveSettings, into *served) error {
	if into.root.Key != "" {
		return nil
	}
	key := creds.GenerateRootKey()
	if into.temporary != "" {
		into.root = creds.RootFile{Key: key}
		return nil
	}
	err := keepRootKey(a, into, key)
	if errors.Is(err, creds.ErrRootFileExists) {
		// Another host that started at the same time has created the file.
		into.root, err = findRootKey(a, s)
	}
	if s.ephemeral {
		withoutRootFile(a, err)
		return nil
	}
	return command.Hintf(err, "create one where you may write, with \"playctl create-root-key --root-file FILE\", and start with --root-file FILE")
}

// takeRootKey uses the root key of a store: it is not a secret, and in every snapshot. If
// no file has a key, it is saved in one, as after a restore of a backup on a new machine.
func takeRootKey(a *command.App, into *served, key string) {
	switch into.root.Key {
	case key:
	case "":
		withoutRootFile(a, keepRootKey(a, into, key))
	default:
		a.Note("The root key in %s belongs to another world. The key of this world is in its store, and commands get it from the host.", into.root.Path)
		into.root = creds.RootFile{Key: key}
	}
}

// keepRootKey sets the root key of a host, and saves it in this user's own file, where
// commands look for it.
func keepRootKey(a *command.App, into *served, key string) error {
	into.root = creds.RootFile{Key: key}
	path, err := a.Surroundings().DefaultRootFile()
	if err == nil {
		err = creds.WriteRootFile(path, key, false)
	}
	if err == nil {
		into.root.Path, into.rootMade = path, true
	}
	return err
}

// withoutRootFile warns that the root key could not be saved. The host works without the
// file, for which a container may have no place.
func withoutRootFile(a *command.App, err error) {
	if err != nil {
		a.Warn("the world's root key could not be saved here: "+err.Error(), "the host does not need the file; commands that create nodes do")
	}
}
