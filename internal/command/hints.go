package command

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// hintFlags are the flags for host and account that the commands in a hint take over from
// the command line.
type hintFlags int

const (
	// flagsOfRun: all of them.
	flagsOfRun hintFlags = iota
	// flagsOfFile: only the credentials file, for commands that name the rest.
	flagsOfFile
	// flagsOfNobody: none, for commands that another person runs.
	flagsOfNobody
)

// HintFor returns what to do about an error: the error's own hint, else one that depends
// on this run, else the hint for its code. The commands in the hint are for the host and
// the account of this run, unless another person runs them.
func (a *App) HintFor(err error) string {
	takes := flagsOfRun
	if hinted, ok := errors.AsType[*hintedError](err); ok {
		takes = hinted.takes
	} else if slices.Contains(forOthers, protocol.CodeOf(err)) || a.identity != nil && a.identity.AgentsOnly() && protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
		takes = flagsOfNobody
	}
	return a.withFlags(a.hintFor(err), takes)
}

// Hinted adds the cause and the hint of this run to an error that another run reports.
func (a *App) Hinted(ctx context.Context, err error) error {
	err = a.Explain(ctx, err)
	if hint := a.HintFor(err); hint != "" {
		return &hintedError{err, hint, flagsOfNobody}
	}
	return err
}

func (a *App) hintFor(err error) string {
	if hinted, ok := errors.AsType[*hintedError](err); ok {
		return hinted.hint
	}
	if _, lacks := errors.AsType[*client.UnsupportedError](err); lacks {
		return "hosts of the agent-play service do not support this; if this is not one of them, check --server and --service"
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "allow more time with --timeout"
	case errors.Is(err, client.ErrTooLarge):
		return "if the world may be that large, set a higher --max-size"
	case errors.Is(err, syscall.EADDRINUSE):
		return "another program listens there: stop it, or use another address; port 0 picks a free one"
	case errors.Is(err, creds.ErrRootFileMissing):
		return "omit --root-file and PLAYCTL_ROOT_FILE to get the root key from the host; \"playctl create-root-key --root-file FILE\" creates the file for a new world"
	case errors.Is(err, client.ErrFingerprint):
		return "nothing was sent: get the right fingerprint from the host's operator through another channel; if the certificate was replaced, \"playctl context edit NAME --fingerprint HEX\" trusts the new one"
	case isDistrusted(err):
		return distrustHint(err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return "use http:// if that is intended"
	case isGateway(err):
		return "a proxy answered, but it cannot reach the host: is the host behind it running?"
	case IsUnreachable(err):
		return "is the host running? Start one with \"playctl serve\", or set another address with --server"
	case isNoHost(err):
		return "is that the address of a playctl host? " + a.answered() + "--server sets it, with https:// if it uses TLS, and --service sets the word in its paths"
	}
	if a.identity != nil {
		if hint := a.identity.hintFor(err); hint != "" {
			return hint
		}
	}
	return hints[protocol.CodeOf(err)]
}

// IsUnreachable reports whether a host did not answer. An answer of a proxy in front of
// it does not count.
func IsUnreachable(err error) bool { return errors.Is(err, client.ErrUnreachable) || isGateway(err) }

// isGateway reports whether a proxy answered that it cannot reach the host: no
// host sends these statuses.
func isGateway(err error) bool {
	refused, ok := errors.AsType[*protocol.Error](err)
	return ok && (refused.HTTPStatus == http.StatusBadGateway || refused.HTTPStatus == http.StatusGatewayTimeout)
}

// isDistrusted reports whether the certificate of a host is not trusted.
func isDistrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// distrustHint returns what to do about a certificate that is not trusted.
func distrustHint(err error) string {
	const trust = "\"playctl context add NAME --server URL --fingerprint HEX\" trusts one certificate everywhere, and so does an invitation to the host, " +
		"used or not: \"playctl login --invite-file FILE\", with --phrase for an existing account"
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
		return "if your own authority issued it, set SSL_CERT_FILE to the authority's file (not on macOS and Windows); " + trust
	}
	if _, other := errors.AsType[x509.HostnameError](err); other {
		return "use a name in the certificate with --server; " + trust
	}
	return "the host's operator has to replace it, if this machine's clock is right; " + trust
}

// isNoHost reports whether the server that answered is not the host of a world: it sent a
// page, or only a status, from which the error is generated. The errors of a host have a
// text and a request id.
func isNoHost(err error) bool {
	_, refused := errors.AsType[*protocol.Error](err)
	return errors.Is(err, client.ErrNotHost) || !refused && errors.Is(err, client.ErrReply)
}

// answered returns the server that answered, if it is known.
func (a *App) answered() string {
	if a.identity == nil {
		return ""
	}
	return a.identity.Server + " answered; "
}

// hintFor returns what to do about an error that depends on the called host and on the
// available credentials.
func (c *Caller) hintFor(err error) string {
	switch {
	case protocol.HasCode(err, protocol.CodeNodeNotDerivable):
		return fmt.Sprintf("your root key is not the host's: omit --root-file and PLAYCTL_ROOT_FILE to get it from %s", c.Server)
	case c.admin && protocol.HasCode(err, protocol.CodeCredentialsInvalid):
		return "the token must be the one that the host was started with (\"playctl serve --admin-token-file FILE\"): pass that file with --admin-token-file or put the token into " + envAdminToken
	case protocol.HasCode(err, protocol.CodeAPIKeyInvalid):
		return c.wrongKey()
	case protocol.HasCode(err, protocol.CodeCredentialsMissing):
		return c.missing()
	case protocol.HasCode(err, protocol.CodeCredentialsInvalid) && c.NodeFromEnv != "":
		return fmt.Sprintf("they came from %s and %s in the environment: correct them there, or unset %s to use the account of a context", EnvNodeID, c.NodeFromEnv, EnvNodeID)
	case protocol.HasCode(err, protocol.CodeCredentialsInvalid) && c.Context != nil && c.Context.ServerURL != c.Server:
		return fmt.Sprintf("these are the credentials of context %q, which are for %s: omit --server to use them there", c.Context.Name, c.Context.ServerURL)
	}
	return ""
}

// wrongKey returns what to do when a host refuses the caller's API key.
func (c *Caller) wrongKey() string {
	hint := fmt.Sprintf("%q creates another key, and the account's other keys stay valid", c.NewKey())
	switch {
	case c.KeyFromEnv:
		hint += ": put it into " + EnvAPIKey + ", which has the refused one"
	case c.Main.IsZero():
		hint += ": the account's owner runs it; put the new key into " + EnvAPIKey + " here"
	case c.Service != protocol.ServicePlay:
		hint = fmt.Sprintf("%q replaces the account's key and saves the new one with your credentials", c.NewKey())
	case c.SavesCredentials():
		hint += "; it is saved in the context"
	}
	return hint
}

// NewKey returns the command that creates an API key for the caller, in addition to the
// existing ones if the host supports several.
func (c *Caller) NewKey() string {
	flag := ""
	if c.Context != nil && !c.AgentsOnly() && (c.file == nil || c.file.Current() != c.Context.Name) {
		flag = " --context " + c.Context.Name
	}
	switch {
	case c.Service != protocol.ServicePlay:
		return "playctl create-api-key" + flag
	case c.SavesCredentials() && !c.KeyFromEnv:
		return "playctl key create NAME --use" + flag
	}
	return "playctl key create NAME --api-key-file FILE" + flag
}

// SignIn returns the command for a person with an account at the called host whose
// credentials are not available.
func (c *Caller) SignIn() string {
	if c.AgentsOnly() {
		return "playctl login --phrase --context NAME " + c.Server // a context of its own
	}
	if c.Context != nil && c.Context.Main == nil && c.Context.ServerURL == c.Server {
		return "playctl login --phrase --context " + c.Context.Name
	}
	return "playctl login --phrase " + c.Server
}

// missing returns what to do if a host requires credentials and there are none for it.
func (c *Caller) missing() string {
	elsewhere, sameMachine := c.elsewhere()
	flags := ""
	switch {
	case c.AgentsOnly():
		return fmt.Sprintf("context %q has only agents: sign in to their account with %q", c.Context.Name, c.SignIn())
	case c.Context != nil:
		flags = " --context " + c.Context.Name
	case c.Server != DefaultServer:
		flags = " --server " + c.Server
	}
	switch {
	case len(elsewhere) == 0 || c.Context != nil:
		return fmt.Sprintf("create an account with \"playctl create-main-node%s\", sign in to one that you have with %q, or set %s and %s",
			flags, c.SignIn(), EnvNodeID, EnvPhrase)
	case sameMachine != "":
		return fmt.Sprintf("your credentials are for %s: if that is the same host, add --context %s", strings.Join(elsewhere, ", "), sameMachine)
	}
	return fmt.Sprintf("your credentials are for %s: choose a context with --context, create an account on this host with "+
		"\"playctl create-main-node --context NAME --server %s\", or sign in with the phrase of one: %q", strings.Join(elsewhere, ", "), c.Server, c.SignIn())
}

// elsewhere lists the hosts for which there are credentials, with their contexts.
// sameMachine is the context of a host whose address differs from the called one only in
// another name of this machine.
func (c *Caller) elsewhere() (hosts []string, sameMachine string) {
	for _, name := range c.file.Names() {
		other, err := c.file.Context(name)
		if err != nil || other.Main == nil || other.ServerURL == c.Server {
			continue
		}
		hosts = append(hosts, fmt.Sprintf("%s (context %s)", other.ServerURL, name))
		if IsLoopbackURL(c.Server) && IsLoopbackURL(other.ServerURL) && schemeAndPort(c.Server) == schemeAndPort(other.ServerURL) {
			sameMachine = name
		}
	}
	if more := len(hosts) - mostNamed; more > 0 {
		hosts = append(hosts[:mostNamed], fmt.Sprintf("and %d more that \"playctl context list\" shows", more))
	}
	return hosts, sameMachine
}

// mostNamed limits the number of contexts in a hint.
const mostNamed = 3

// schemeAndPort returns the scheme and the port of a URL, as in http:7420.
func schemeAndPort(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Scheme + ":" + u.Port()
}

// hints say what to do about the refusals of a host that a person can resolve.
var hints = map[protocol.Code]string{
	protocol.CodeCredentialsInvalid:  "\"playctl whoami\" shows who you are here; \"playctl context list\" shows your other hosts",
	protocol.CodeForbidden:           "\"playctl whoami\" shows who you are; you may act for your own agents only",
	protocol.CodeRegistrationClosed:  "ask the host's operator for an invitation and use it with \"playctl login --invite-file FILE\"; if you have an account there, sign in with \"playctl login --phrase\"",
	protocol.CodeInvitationUsed:      "ask the person who invited you for another: \"playctl invite --uses N\" creates one for several accounts",
	protocol.CodeInvitationExpired:   "ask the person who invited you for another: \"playctl invite --expires 72h\" creates one that lasts longer",
	protocol.CodeInvitationLimit:     "\"playctl invite list\" shows them, \"playctl invite revoke ID\" revokes one",
	protocol.CodeNodeNotDerivable:    "your root key is not the host's: omit --root-file and PLAYCTL_ROOT_FILE to get the root key from the host",
	protocol.CodeHostUnknown:         "use the host's address, or start it with --allow-host NAME",
	protocol.CodeOccupantLimit:       "remove an agent or an MCP placement first; \"playctl snapshot\" lists them",
	protocol.CodeAgentLimit:          "delete an agent node you no longer need; \"playctl list-agent-nodes\" lists them",
	protocol.CodeSpaceLimit:          "remove a space with \"playctl remove-space\"; \"playctl list-spaces\" lists them",
	protocol.CodeMCPLimit:            "remove an MCP placement with \"playctl unregister-mcp\"; \"playctl snapshot\" lists them",
	protocol.CodeIntercomLimit:       "wait until requests are answered or time out, which they do after two minutes",
	protocol.CodeAgentNotAnswering:   "its owner starts one with \"playctl agent run NAME -- COMMAND\"",
	protocol.CodePlayerUnknown:       "put the agent on the map first with \"playctl add-agent\"",
	protocol.CodeRepositoryOff:       "the host runs with --no-repository and needs no nodes: use \"playctl add-agent\" directly",
	protocol.CodeRecordDamaged:       "the host's operator finds what is damaged in its log and with \"playctl store check\", and can restore a backup",
	protocol.CodeStoreUnavailable:    "the host cannot use its store now: try again, and tell its operator if this continues",
	protocol.CodeShuttingDown:        "the host is being stopped or restarted: try again in a moment",
	protocol.CodeOverloaded:          "the host is overloaded: try again in a moment",
	protocol.CodeRateLimited:         "wait a moment and try again",
	protocol.CodeIdempotencyConflict: "run the command again",
}

// forOthers are the codes whose hints are about another person's commands, for the host
// and the account of that person.
var forOthers = []protocol.Code{
	protocol.CodeAgentNotAnswering, protocol.CodeInvitationUsed, protocol.CodeInvitationExpired, protocol.CodeHostUnknown,
}

// IsLoopbackURL reports whether a URL names this machine, also by the unspecified
// address, at which a connection reaches this machine.
func IsLoopbackURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return creds.IsLoopbackName(u.Hostname()) || err == nil && addr.IsUnspecified()
}

// suggested finds the commands in a hint: in double quotes, as a person types them.
var suggested = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"playctl [^"]*"`)
})

// otherWords finds where the words of another program or of the shell begin.
var otherWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` (--|<) `) })

// elsewhereCommands are the commands that call no host, or choose it in another way.
var elsewhereCommands = []string{"serve", "stop", "logs", "store", "create-root-key", "help", "init", "mcp", "completion", "version"}

// callsHost reports whether a command may call the host of a context to finish what an
// interrupted one left. "status" does not: a prompt or a health check waits for it.
func callsHost(cmd *cobra.Command) bool {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	name := cmd.Name()
	return (name == "mcp" || !slices.Contains(elsewhereCommands, name)) && !slices.Contains([]string{"context", "credentials", "whoami", "config", "replay", "status"}, name)
}

// LikeThis adds the flags for host and account from the command line to the commands in a
// text, so that the suggested commands are for the same host and account.
func (a *App) LikeThis(text string) string { return a.withFlags(text, flagsOfRun) }

func (a *App) withFlags(text string, takes hintFlags) string {
	if a.Sources == nil || takes == flagsOfNobody {
		return text
	}
	return suggested().ReplaceAllStringFunc(text, func(quoted string) string {
		return `"` + a.likeThis(strings.Trim(quoted, `"`), takes) + `"`
	})
}

// likeThis adds the flags to one command, before the words after --, which belong to
// another program, and those after <, which belong to the shell.
func (a *App) likeThis(line string, takes hintFlags) string {
	words := strings.Fields(line)
	if len(words) < 2 || slices.Contains(elsewhereCommands, words[1]) || slices.Contains(words, "--help") {
		return line
	}
	hasHost := words[1] == "context" || slices.Contains(words, "--context")
	hasServer := words[1] == "login" || strings.Contains(line, "://")
	end := len(line)
	if rest := otherWords().FindStringIndex(line); rest != nil {
		end = rest[0]
	}
	var added strings.Builder
	for _, flag := range a.hostFlags() {
		switch {
		case !a.Sources.ByFlag(flag.name), slices.Contains(words, "--"+flag.name):
		case flag.name != "credentials-file" && (hasHost || takes == flagsOfFile):
		case flag.name == "server" && hasServer:
		default:
			added.WriteString(" --" + flag.name + " " + ShellWord(flag.value))
		}
	}
	return line[:end] + added.String() + line[end:]
}

// SameAccount returns the flags with which another run of the program, started in another
// folder, uses the host and the account of this run.
func (a *App) SameAccount() []string {
	var flags []string
	for _, flag := range a.hostFlags() {
		switch {
		case flag.value == "":
			continue
		case flag.name == "credentials-file":
			flag.value = a.Absolute(flag.value)
		}
		flags = append(flags, "--"+flag.name, flag.value)
	}
	return flags
}

// hostFlags returns the flags that select the host and the account of a run, with the
// values of this run.
func (a *App) hostFlags() []struct{ name, value string } {
	return []struct{ name, value string }{
		{"context", a.Settings.Context}, {"server", a.Settings.Server},
		{"service", a.Settings.Service}, {"credentials-file", a.Settings.credentials},
	}
}
