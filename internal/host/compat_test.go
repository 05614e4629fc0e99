package host

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func compatible(s *setup) { s.host.Compat = CompatAgentPlay }

// Every route of the world answers under both names, with the same rules.
func TestCompatibleHostMountsEveryWorldRouteTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t, compatible)
	mounted := map[string]int{}
	for _, rt := range f.host.mounted() {
		mounted[rt.method+" "+strings.Replace(rt.path, "/agent-play/", "/play/", 1)]++
	}
	for _, rt := range f.host.routes() {
		want := 1
		if strings.Contains(rt.path, "/play/") {
			want = 2
		}
		if got := mounted[rt.method+" "+rt.path]; got != want {
			t.Errorf("%s %s is mounted %d times, want %d", rt.method, rt.path, got, want)
		}
	}
	if got := f.do(http.MethodPut, protocol.ServiceAgentPlay.Session(), "x").refused(protocol.CodeMethodNotAllowed); got.RequestID == "" {
		t.Error("no request id")
	}
}

// A client with the paths and conventions of the older service, without an API
// key, sends its usual requests and meets clients of the contract.
func TestCompatibleHostServesOlderPaths(t *testing.T) {
	t.Parallel()
	f := newFixture(t, compatible)
	n := f.serve()
	owner := f.main()
	owner.apiKey = ""
	agent := f.agent(owner)
	f.service = protocol.ServiceAgentPlay
	var session protocol.SessionReply
	f.get(f.play("/session"), as(owner)).into(&session)
	sub := n.subscribe(as(owner), "")
	defer sub.close()

	var registered protocol.RegisterReply
	f.post(f.play("/players"), registration(agent.id), as(agent)).into(&registered)
	if want := f.host.URL() + protocol.ServiceAgentPlay.Watch(); registered.PreviewURL != want {
		t.Errorf("the preview URL is %q, want %q", registered.PreviewURL, want)
	}
	f.say(agent, "hello")
	for _, want := range []string{"world:player_added", "world:interaction"} {
		if got := sub.next(); got.event != want {
			t.Errorf("the stream has %q, want %q", got.event, want)
		}
	}
	older := f.get(f.play("/snapshot"), as(owner)).ok()
	f.get(f.play("/snapshot")).refused(protocol.CodeCredentialsMissing)
	f.service = protocol.ServicePlay
	if plain := f.get(f.play("/snapshot"), as(owner)).ok(); string(plain.body) != string(older.body) {
		t.Errorf("the snapshots differ:\n%s\n%s", older.body, plain.body)
	}
}

// A key that is sent must be valid there as well.
func TestCompatibleHostChecksSentAPIKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t, compatible)
	owner := f.main()
	owner.apiKey = "a-key-of-nobody"
	f.get(protocol.ServiceAgentPlay.Session(), as(owner)).refused(protocol.CodeAPIKeyInvalid)
}

func TestOlderPathsRequireCompat(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	rec := httptest.NewRecorder()
	f.handler.ServeHTTP(rec, f.request(http.MethodGet, protocol.ServiceAgentPlay.Session(), nil, as(f.main())))
	if rec.Code != http.StatusNotFound {
		t.Errorf("the status is %d, want 404", rec.Code)
	}
}
