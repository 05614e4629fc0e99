package deploy_test

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
)

// Two hosts of one world behind the proxy: an event arrives immediately whichever
// host accepted the write, and a stream whose host ends continues at the other.
func TestProxyWithTwoHosts(t *testing.T) {
	server := redistest.Start(t, redistest.AOF("everysec")...)
	hosts := map[string]banner{}
	for range 2 {
		b := serve(t, []string{"HOME=" + t.TempDir()}, playctl, "serve", "--no-repository", "--store", server.URL())
		hosts[b.Listen] = b
	}
	url, client := startProxy(t, addresses(hosts)...)
	sid := session(t, client, url)
	register(t, client, url, sid, "ada")
	stream := openStream(t, client, url, sid, "0")
	last := untilLine(t, stream, "id: 1")
	untilLine(t, stream, "event: world:player_added")

	// The host that has the stream is the one that ends.
	for address, host := range hosts {
		if status, text := call(t, http.DefaultClient, http.MethodGet, host.URL+"/metrics", nil); status == http.StatusOK &&
			strings.Contains(string(text), "\nplayctl_stream_subscribers 1\n") {
			host.stop()
			delete(hosts, address)
		}
	}
	if len(hosts) != 1 {
		t.Fatalf("%d hosts remain: the stream was on none, or on both", len(hosts))
	}
	untilEnd(t, stream)
	// Each request finds the host that is left, whichever was its turn.
	for _, name := range []string{"bob", "eve", "kim"} {
		register(t, client, url, sid, name)
	}
	stream = openStream(t, client, url, sid, strings.TrimPrefix(last, "id: "))
	for _, id := range []string{"id: 1", "id: 2", "id: 3", "id: 4"} {
		if got := untilLine(t, stream, "id: "); got != id {
			t.Fatalf("the stream continues with %q, want %q", got, id)
		}
	}
}

func addresses(hosts map[string]banner) (all []string) {
	for address := range hosts {
		all = append(all, address)
	}
	return all
}

func register(t *testing.T, c *http.Client, url, sid, name string) {
	t.Helper()
	status, text := call(t, c, http.MethodPost, url+"/api/play/players?sid="+sid, []byte(
		`{"name":"`+name+`","type":"test","agent":{"type":"test","toolNames":["chat_tool"]},"agentId":"`+name+`","mainNodeId":"owner"}`))
	if status != http.StatusOK {
		t.Fatalf("registering gives status %d: %s", status, text)
	}
}

// openStream opens the stream of events after a cursor, until the test ends.
func openStream(t *testing.T, c *http.Client, url, sid, after string) *bufio.Scanner {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/play/events?sid="+sid, http.NoBody)
	must(t, err)
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Last-Event-ID", after)
	stream, err := c.Do(request)
	must(t, err)
	t.Cleanup(func() { _ = stream.Body.Close() })
	if kind := stream.Header.Get("Content-Type"); kind != "text/event-stream" || stream.Header.Get("Content-Encoding") != "" {
		t.Fatalf("the stream is %q, encoded as %q", kind, stream.Header.Get("Content-Encoding"))
	}
	return bufio.NewScanner(stream.Body)
}

// untilEnd reads a stream until its host ends it.
func untilEnd(t *testing.T, lines *bufio.Scanner) {
	t.Helper()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: ") {
			t.Fatalf("the stream had %q before its end", lines.Text())
		}
	}
}

// The Deployment's pods serve one world with the settings of the manifest and the
// Redis from its Secret, and store nothing else.
func TestReplicasServeOneWorld(t *testing.T) {
	user := append([]string{"--user", "playctl", "on", ">from-a-secret"}, redis.Rules("default", false)...)
	server := redistest.Start(t, append(user, "--user", "default", "on", "nopass", "+ping")...)
	set := readWorkload(t, "kubernetes/playctl-redis.yaml", "Deployment")
	if set.Spec.Replicas < 2 {
		t.Errorf("there are %d replicas", set.Spec.Replicas)
	}
	pod, folder := set.Spec.Template.Spec.Containers[0], makeSecret(t)
	secrets := map[string]string{"address": server.URL(), "username": "playctl", "password": "from-a-secret"}
	sids := map[string]bool{}
	for range set.Spec.Replicas {
		b := servePod(t, pod, folder, secrets)
		if !strings.HasPrefix(b.Store, server.URL()) {
			t.Errorf("the pod keeps its world at %s", b.Store)
		}
		_, text := call(t, http.DefaultClient, http.MethodGet, "http://"+b.Listen+"/api/play/session", nil, "Authorization", "Bearer "+strings.Repeat("t", 40))
		sids[string(text)] = true
	}
	if len(sids) != 1 {
		t.Errorf("the pods have different sessions: %v", sids)
	}
}

// With its drop-in the unit's command serves the world on a Redis server.
func TestUnitServesFromRedis(t *testing.T) {
	server := redistest.Start(t, "--requirepass", "secret")
	credentials, state := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(credentials, "store"), []byte("password=secret\n"), 0o400))
	unit, more := readText(t, "systemd/playctl.service"), readText(t, "systemd/playctl.service.d/redis.conf")
	env := strings.Fields(replaceText(t, setting(t, unit, "Environment"), "%S", state) + " " +
		replaceText(t, setting(t, more, "Environment"), "%d", credentials, "rediss://redis.example.com:6379", server.URL()))
	command := strings.Fields(replaceText(t, setting(t, unit, "ExecStart"), "/usr/local/bin/playctl", playctl))
	if b := serve(t, env, command...); !strings.HasPrefix(b.Store, server.URL()) {
		t.Errorf("the unit keeps its world at %s", b.Store)
	}
}

// composeFile is the part of a compose file that the test reads.
type composeFile struct {
	Services map[string]struct {
		Command     []string
		Environment map[string]string
	}
	Networks map[string]struct {
		IPAM struct{ Config []struct{ Subnet string } }
	}
}

// The compose file's Redis server starts with its command and a password created as the file
// describes, and the file's hosts serve one world on that server.
func TestComposeFileServes(t *testing.T) {
	var file composeFile
	must(t, yaml.Unmarshal([]byte(readText(t, "compose.redis.yaml")), &file))
	secrets := makeSecret(t)
	must(t, os.WriteFile(filepath.Join(secrets, "redis.acl"), []byte("user default on >secret ~* &* +@all\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(secrets, "store"), []byte("password=secret\n"), 0o600))
	command := file.Services["redis"].Command
	for i := range command {
		command[i] = strings.ReplaceAll(command[i], "/run/secrets", secrets)
	}
	server := redistest.Start(t, command[1:]...)
	for _, name := range []string{"host-1", "host-2"} {
		env := []string{"HOME=" + t.TempDir()}
		for variable, value := range file.Services[name].Environment {
			value = strings.NewReplacer("/run/secrets", secrets, "redis://redis:6379", server.URL()).Replace(value)
			if !strings.HasPrefix(value, "${") { // The public URL is said outside.
				env = append(env, variable+"="+value)
			}
		}
		if b := serve(t, env, playctl, "serve"); !strings.HasPrefix(b.Store, server.URL()) || !strings.HasPrefix(b.RootFile, secrets) {
			t.Errorf("%s keeps its world at %s with the root key of %s", name, b.Store, b.RootFile)
		}
	}
}
