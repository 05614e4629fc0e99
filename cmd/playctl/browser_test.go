//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// desktop is a person at a terminal on a desktop, whose opener records its arguments, as
// the list of processes would show them.
type desktop struct {
	*person
	opened string
}

// newDesktop starts a host with some flags. does is what the opener does next.
func newDesktop(t *testing.T, does string, flags ...string) *desktop {
	t.Helper()
	p := newPerson(t)
	server := serveInProcess(t, p.home, flags...)
	d := &desktop{person: p, opened: filepath.Join(p.home, "opened")}
	bin := filepath.Join(p.home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n{ echo \"$@\"; env; } >" + d.opened + "\n" + does + "\n"
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(p.env, "PLAYCTL_SERVER="+server, "DISPLAY=:0", "PATH="+bin+":"+os.Getenv("PATH"))
	return d
}

// reported returns the first argument of the opener, and all of its input.
func (d *desktop) reported() (argument, all string) {
	d.t.Helper()
	text, err := os.ReadFile(d.opened)
	if err != nil {
		d.t.Fatal(err)
	}
	argument, _, _ = strings.Cut(string(text), "\n")
	return argument, string(text)
}

func TestWatchOpensBrowser(t *testing.T) {
	t.Parallel()
	d := newDesktop(t, "")
	shown := d.start("watch").waitExit(command.ExitDone)
	argument, _ := d.reported()
	if !strings.HasPrefix(argument, "http://127.0.0.1:") || !strings.HasSuffix(argument, "/play/watch") {
		t.Errorf("the browser got %q", argument)
	}
	if !strings.Contains(shown, argument+"\n") {
		t.Errorf("the address is not shown:\n%s", shown)
	}
}

func TestWatchHidesTokenFromProcessList(t *testing.T) {
	t.Parallel()
	d := newDesktop(t, "", "--watch-access", "token")
	// The folder does not exist yet.
	d.env = append(d.env, "XDG_STATE_HOME="+filepath.Join(d.home, "state"))
	d.start("create-main-node").waitExit(command.ExitDone)
	shown := d.start("watch").waitExit(command.ExitDone)
	path, all := d.reported()
	if strings.Contains(all, "token=") || strings.Contains(shown, "token=") {
		t.Fatalf("the token is visible to others:\n%s\n%s", all, shown)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "/play/watch#token=pt_") {
		t.Errorf("the file has no valid link:\n%s", page)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
	// On request, the link is printed; nothing opens.
	if err := os.Remove(d.opened); err != nil {
		t.Fatal(err)
	}
	if shown := d.start("watch", "--print").waitExit(command.ExitDone); !strings.Contains(shown, "/play/watch#token=pt_") {
		t.Errorf("--print shows:\n%s", shown)
	}
	if _, err := os.Stat(d.opened); err == nil {
		t.Error("--print opened a browser")
	}
}

func TestWatchPrintsAddressWithoutBrowser(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]string{
		"no desktop": "DISPLAY=",
		"no opener":  "PATH=/nonexistent",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesktop(t, "")
			d.env = append(d.env, env, "SSH_CONNECTION=1 2 3 4")
			shown := withoutSpinner(d.start("watch").waitExit(command.ExitDone))
			if !strings.Contains(shown, "\nhttp://127.0.0.1:") || !strings.HasSuffix(shown, "/play/watch\n") || !strings.Contains(shown, "run there: ssh -L") {
				t.Errorf("watch shows:\n%s", shown)
			}
			if _, err := os.Stat(d.opened); err == nil {
				t.Error("a browser was opened")
			}
		})
	}
	t.Run("a failing opener", func(t *testing.T) {
		t.Parallel()
		d := newDesktop(t, "exit 3")
		shown := d.start("watch").waitExit(command.ExitDone)
		if !strings.Contains(shown, "/play/watch\n") || !strings.Contains(shown, "exit status 3") {
			t.Errorf("watch shows:\n%s", shown)
		}
	})
}

func TestWatchDoesNotWaitForBrowser(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDesktop(t, "exec cat "+gate+" >/dev/null")
	d.start("watch").waitExit(command.ExitDone)
	// The opener still runs: it reads the text, whose write would otherwise block.
	if err := os.WriteFile(gate, []byte("the browser is closed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// For a host that listens at all addresses, the code has an address that a phone can
// reach; a machine without such an address prints an error.
func TestQRFindsAddressForPhone(t *testing.T) {
	t.Parallel()
	reachable := len(lanAddresses(t)) > 0
	for _, listen := range []string{"0.0.0.0:0", "[::]:0"} {
		t.Run(listen, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			server := serveInProcess(t, p.home, "--listen", listen)
			p.env = append(p.env, "PLAYCTL_SERVER="+server)
			p.start("create-main-node").waitExit(command.ExitDone)
			if !reachable {
				if shown := p.start("qr").waitExit(command.ExitFailed); !strings.Contains(shown, "can be reached only from this machine") {
					t.Errorf("qr shows:\n%s", shown)
				}
				return
			}
			link := linkIn(t, p.start("qr", "--output", "ndjson").waitExit(command.ExitDone))
			local, err := url.Parse(server)
			if err != nil {
				t.Fatal(err)
			}
			if addr, err := netip.ParseAddr(link.Hostname()); err != nil || !addr.IsGlobalUnicast() || link.Port() != local.Port() {
				t.Errorf("the code has the address %s", link.Host)
			}
			// The server at that address accepts the token.
			token, err := url.ParseQuery(link.Fragment)
			if err != nil {
				t.Fatal(err)
			}
			link.Fragment = ""
			if scope := scopeFor(t, link.String(), token.Get("token")); scope != protocol.WatchScopeAct {
				t.Errorf("the token has the scope %q", scope)
			}
		})
	}
}

// If everybody may watch, a code needs no account.
func TestQRWithoutTokenAtPublicHost(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+serveInProcess(t, p.home, "--listen", "0.0.0.0:0", "--watch-access", "public"))
	if len(lanAddresses(t)) == 0 {
		p.start("qr").waitExit(command.ExitFailed)
		return
	}
	link := linkIn(t, p.start("qr", "--output", "ndjson").waitExit(command.ExitDone))
	if link.Fragment != "" || command.IsLoopbackURL(link.String()) {
		t.Errorf("the code has the address %s", link)
	}
	if scope := scopeFor(t, link.String(), ""); scope != protocol.WatchScopeWatch {
		t.Errorf("everybody gets the scope %q", scope)
	}
}

// A phone cannot reach a host at loopback, whatever other server has the same port at
// another address.
func TestQRRefusesLoopbackHost(t *testing.T) {
	t.Parallel()
	for _, access := range []string{"local", "token"} {
		p := newPerson(t)
		server := serveInProcess(t, p.home, "--watch-access", access)
		other := otherAt(t, server)
		p.env = append(p.env, "PLAYCTL_SERVER="+server)
		p.start("create-main-node").waitExit(command.ExitDone)
		shown := strings.Join(strings.Fields(p.start("qr").waitExit(command.ExitFailed)), " ")
		if !strings.Contains(shown, "can be reached only from this machine") || strings.Contains(shown, "token=") {
			t.Errorf("qr shows:\n%s", shown)
		}
		if n := other.Load(); n != 0 {
			t.Errorf("another server got %d requests", n)
		}
	}
}

// lanAddresses returns the addresses at which other machines may reach this one.
func lanAddresses(t *testing.T) []netip.Addr {
	t.Helper()
	networks, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	var found []netip.Addr
	for _, network := range networks {
		if prefix, err := netip.ParsePrefix(network.String()); err == nil && prefix.Addr().Unmap().IsGlobalUnicast() {
			found = append(found, prefix.Addr().Unmap())
		}
	}
	return found
}

// otherAt starts another server with a host's port at this machine's other addresses,
// which requires credentials for its page; it counts its requests.
func otherAt(t *testing.T, server string) *atomic.Int64 {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	asked := new(atomic.Int64)
	for _, addr := range lanAddresses(t) {
		var config net.ListenConfig
		ln, err := config.Listen(t.Context(), "tcp", net.JoinHostPort(addr.String(), u.Port()))
		if err != nil {
			continue // another program has the port, which must get no request either
		}
		s := &httptest.Server{Listener: ln, Config: &http.Server{
			ReadHeaderTimeout: time.Minute,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.WriteHeader(http.StatusUnauthorized)
			}),
		}}
		s.Start()
		t.Cleanup(s.Close)
	}
	return asked
}

// linkIn returns the address in the output of qr.
func linkIn(t *testing.T, shown string) *url.URL {
	t.Helper()
	var result struct{ URL string }
	if err := json.Unmarshal([]byte(withoutSpinner(shown)), &result); err != nil {
		t.Fatalf("%v in:\n%s", err, shown)
	}
	link, err := url.Parse(result.URL)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// scopeFor returns the scope that a page's host grants for a token, as to a browser.
func scopeFor(t *testing.T, page, token string) protocol.WatchScope {
	t.Helper()
	body, err := json.Marshal(map[string]string{"token": token})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page+"/session", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", protocol.MediaTypeJSON)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var reply protocol.WatchSessionReply
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", response.Status, err)
	}
	return reply.Scope
}

// A window that is too narrow would wrap the code: it is not drawn there.
func TestQRCodeNeedsWideWindow(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	host := bannerInProcess(t, p.home, "--public-url", "https://play.example.com")
	p.env = append(p.env, "PLAYCTL_SERVER=http://"+host.Listen)
	p.start("create-main-node").waitExit(command.ExitDone)
	for width, drawn := range map[uint16]bool{30: false, 80: true} {
		p.width = width
		shown := p.start("qr", "--color", "never").waitExit(command.ExitDone)
		if strings.Contains(shown, "\u2588\u2588\u2588") != drawn || strings.Contains(shown, "window has") == drawn {
			t.Errorf("in %d columns qr shows:\n%s", width, shown)
		}
		if !strings.Contains(strings.ReplaceAll(shown, "\n", ""), "https://play.example.com/play/watch") {
			t.Errorf("in %d columns the address is missing:\n%s", width, shown)
		}
	}
}
