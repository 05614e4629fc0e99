package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// These are the limits of a server over HTTP.
const (
	headerTimeout  = 10 * time.Second
	idleConnection = 2 * time.Minute
	idleSession    = 30 * time.Minute
	drainTimeout   = 5 * time.Second
	mostCalls      = 256
	keptForResumes = 4 << 20
	mostBody       = 4 << 20
	// mostConnections allows for connections without a request in progress.
	mostConnections = 2 * mostCalls
)

// listening is what "playctl mcp --http" prints.
type listening struct {
	URL       string `json:"url"`       // where MCP clients connect to
	TokenFile string `json:"tokenFile"` // the file of the bearer token
}

func serveHTTP(ctx context.Context, a *command.App, server *sdkmcp.Server, flags *serveFlags) error {
	token, err := a.TokenFile(flags.tokenFile)
	if err != nil {
		return err
	}
	address := flags.http
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	listener, err := command.Listen(ctx, address, mostConnections)
	if err != nil {
		return err
	}
	kept := sdkmcp.NewMemoryEventStore(nil)
	kept.SetMaxBytes(keptForResumes)
	handler := sdkmcp.NewStreamableHTTPHandler(func(*http.Request) *sdkmcp.Server { return server }, &sdkmcp.StreamableHTTPOptions{
		SessionTimeout: idleSession, EventStore: kept, MaxRequestBodyBytes: mostBody,
		// It would refuse the names of --allow-host; guarded checks the name instead.
		DisableLocalhostProtection: true,
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", guarded(http.NewCrossOriginProtection().Handler(exactIDs(handler)), token, flags.allowHosts))
	web := webServer(ctx, mux)
	url := "http://" + listener.Addr().String() + "/mcp"
	err = a.PrintSentence(listening{URL: url, TokenFile: flags.tokenFile}, "MCP clients connect to %s with the bearer token in %s", url, flags.tokenFile)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	// Streams stay open until their clients close them.
	if err := web.Shutdown(late); err != nil {
		_ = web.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return command.UnlessTerminated(ctx, context.Cause(ctx))
}

// webServer returns the server of a run. It has no timeout for reading a whole request,
// which would end streams.
func webServer(ctx context.Context, handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleConnection,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
}

// guarded accepts only requests to a name of this machine or to an allowed host, with the
// token.
func guarded(next http.Handler, token protocol.Secret, allowed []string) http.Handler {
	calls := make(chan struct{}, mostCalls)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !command.NamesThisMachine(r.Host, allowed):
			http.Error(w, "this server does not accept that host name: allow it with --allow-host", http.StatusForbidden)
			return
		case r.Header.Get("Origin") != "" && !isOrigin(r.Header.Get("Origin"), allowed):
			http.Error(w, "requests from pages of other origins are not allowed", http.StatusForbidden)
			return
		case !command.ShowsToken(r.Header.Get("Authorization"), token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
			return
		}
		select {
		case calls <- struct{}{}:
			defer func() { <-calls }()
			next.ServeHTTP(w, r)
		default:
			http.Error(w, fmt.Sprintf("%d requests are in progress, which is the limit", mostCalls), http.StatusServiceUnavailable)
		}
	})
}

func isOrigin(origin string, allowed []string) bool {
	rest, ok := strings.CutPrefix(origin, "http://")
	if !ok {
		rest, ok = strings.CutPrefix(origin, "https://")
	}
	return ok && command.NamesThisMachine(rest, allowed)
}
