package host

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// bannerResult is what "playctl serve" prints when it is ready.
type bannerResult struct {
	URL         string   `json:"url"`                       // the address of the host for clients
	WatchURL    string   `json:"watchUrl"`                  // the page that shows the world
	APIURL      string   `json:"apiUrl"`                    // the address with which all routes of the API begin
	EventsURL   string   `json:"eventsUrl"`                 // the stream of events
	ReadyURL    string   `json:"readyUrl"`                  // answers 200 once the host is ready
	MetricsURL  string   `json:"metricsUrl"`                // the metrics
	Listen      string   `json:"listen"`                    // the address and port at which it listens
	Store       string   `json:"store,omitempty"`           // the file or the server that keeps the world; absent with --ephemeral
	RootFile    string   `json:"rootFile"`                  // the file of the root key; empty where only the store has it
	RootMade    bool     `json:"rootMade"`                  // whether that file was created now
	Credentials string   `json:"credentialsFile,omitempty"` // the credentials file of the demo
	Next        []string `json:"next"`                      // commands to type next
}

// newBanner describes a listening host.
func newBanner(a *command.App, served *served, s *serveSettings) *bannerResult {
	h := served.host
	base := h.URL()
	ops := base
	if addr := h.OpsAddr(); addr != nil {
		ops = "http://" + addr.String()
	}
	api := base + strings.TrimSuffix(protocol.ServicePlay.Session(), "/session")
	return &bannerResult{
		URL: base, WatchURL: base + protocol.ServicePlay.Watch(), APIURL: api, EventsURL: base + protocol.ServicePlay.Events(),
		ReadyURL: ops + protocol.PathReady, MetricsURL: ops + protocol.PathMetrics,
		Listen: h.Addr().String(), Store: served.path, RootFile: served.root.Path, RootMade: served.rootMade,
		Next: trusting(a, s.options.CertFile, nextCommands(a, h, s)),
	}
}

// nextCommands returns the first commands for a new host.
func nextCommands(a *command.App, h *host.Host, s *serveSettings) []string {
	server := ""
	if h.URL() != command.DefaultServer {
		server = " --server " + h.URL()
	}
	if s.options.NoRepository {
		return []string{invocation(a) + " add-agent Ada" + server, invocation(a) + " tail" + server}
	}
	switch s.options.Registration {
	case host.RegistrationToken:
		root := ""
		if s.rootFile != "" {
			root = " --root-file " + command.ShellWord(s.rootFile)
		}
		return []string{invocation(a) + " create-main-node" + server + root + " --registration-token-file " + command.ShellWord(s.registrationTokenFile)}
	case host.RegistrationClosed:
		if s.adminTokenFile != "" {
			return []string{invocation(a) + " invite --admin --admin-token-file " + command.ShellWord(s.adminTokenFile) + server}
		}
		return []string{invocation(a) + " login --phrase " + h.URL()}
	case host.RegistrationOpen:
	}
	return []string{
		// Any program that prints an answer will do.
		invocation(a) + " agent run Robin" + server + " -- echo 'Robin is here.'",
		invocation(a) + " intercom send Robin 'Are you there?'" + server,
	}
}

// trusting adds the host's certificate to commands if this machine does not trust it,
// such as a certificate of the operator's own authority.
func trusting(a *command.App, certFile string, commands []string) []string {
	if certFile == "" || runtime.GOOS == "darwin" || runtime.GOOS == "windows" || isTrusted(a.Absolute(certFile)) {
		return commands
	}
	for i := range commands {
		commands[i] = "SSL_CERT_FILE=" + command.ShellWord(certFile) + " " + commands[i]
	}
	return commands
}

// isTrusted reports whether this machine trusts the certificate in a file, whatever name
// it is for. It returns true if the file cannot be read.
func isTrusted(file string) bool {
	text, err := os.ReadFile(file) //nolint:gosec // the file that the operator named
	if err != nil {
		return true
	}
	var chain []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if found, err := x509.ParseCertificate(block.Bytes); err == nil {
			chain = append(chain, found)
		}
	}
	if len(chain) == 0 {
		return true
	}
	between := x509.NewCertPool()
	for _, found := range chain[1:] {
		between.AddCert(found)
	}
	_, err = chain[0].Verify(x509.VerifyOptions{Intermediates: between})
	return err == nil
}

// invocation returns how this program was called, so that a person can copy the command.
func invocation(a *command.App) string {
	switch {
	case a.Name == "", !strings.ContainsRune(a.Name, filepath.Separator):
		return "playctl"
	case strings.Contains(a.Name, "go-build"):
		// "go run" builds the program in a temporary folder.
		return "go run ./cmd/playctl"
	}
	return command.ShellWord(a.Name)
}

func (b *bannerResult) document(look render.Look) render.Document {
	return render.Document{Data: b, Views: b.views(look, "Next, in another terminal:")}
}

// views show the banner of a host, with more fields below it.
func (b *bannerResult) views(look render.Look, next string, more ...render.Field) []render.View {
	store, root := b.Store, b.RootFile
	store = cmp.Or(store, "only in memory; lost when the host stops")
	root = cmp.Or(root, "in the store; commands get it from the host")
	if b.RootMade {
		root += " (created now; keep this file, because node ids derive from it)"
	}
	views := []render.View{
		render.Line(look.Strong("Serving a world at " + b.URL)),
		render.Line(""),
		append(render.Fields{
			{Name: "  watch", Value: b.WatchURL},
			{Name: "  API", Value: b.APIURL},
			{Name: "  events", Value: b.EventsURL},
			{Name: "  ready", Value: b.ReadyURL},
			{Name: "  metrics", Value: b.MetricsURL},
			{Name: "  store", Value: store},
			{Name: "  root key", Value: root},
			{Name: "  credentials", Value: b.Credentials},
		}, more...),
		render.Line(""),
		render.Line(next),
		render.Line(""),
	}
	for _, command := range b.Next {
		views = append(views, render.Line("  "+look.Accent(command)))
	}
	return append(views, render.Line(""))
}
