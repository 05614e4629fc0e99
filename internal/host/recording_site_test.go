package host

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The site of a recording has the page, its files and the recording, and nothing for
// a foreign name that resolves to this machine.
func TestRecordingIsServedOnLoopbackOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), `a "town".ndjson`)
	if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	site, err := RecordingSite(file)
	if err != nil {
		t.Fatal(err)
	}
	get := func(host, path string) (int, string) {
		r := httptest.NewRequest(http.MethodGet, "http://"+host+path, http.NoBody)
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	status, text := get("127.0.0.1:1", "/play/watch")
	if status != http.StatusOK || !strings.Contains(text, `<meta name="playctl-recording" content="a &#34;town&#34;.ndjson">`) {
		t.Errorf("the page: %d %s", status, text)
	}
	_, asset, _ := strings.Cut(text, `src="watch/`)
	asset, _, _ = strings.Cut(asset, `"`)
	if status, text := get("localhost:1", "/play/watch/"+asset); status != http.StatusOK || len(text) < 1000 {
		t.Errorf("%s: %d, %d bytes", asset, status, len(text))
	}
	if status, text := get("localhost:1", "/play/watch/recording"); status != http.StatusOK || text != "{}\n" {
		t.Errorf("the recording: %d %s", status, text)
	}
	for _, path := range []string{"/play/watch", "/play/watch/recording"} {
		if status, _ := get("stranger.example.com", path); status != http.StatusForbidden {
			t.Errorf("%s under a foreign name: %d", path, status)
		}
	}
}

// The page shows the operator's name for the world, and to other programs only
// where it is public.
func TestPageShowsWorldName(t *testing.T) {
	for _, test := range []struct {
		name   string
		access WatchAccess
		has    []string
		lacks  []string
	}{
		{"", WatchLocal, []string{"<title>The town</title>"}, []string{"og:title", "playctl-world"}},
		{`R&D "north"`, WatchLocal, []string{"<title>R&amp;D &#34;north&#34;</title>", `content="R&amp;D &#34;north&#34;"`}, []string{"og:title"}},
		{"", WatchPublic, []string{`property="og:title" content="The town"`}, []string{"playctl-world"}},
		{"$1 Harbor", WatchPublic, []string{`property="og:title" content="$1 Harbor"`, "<title>$1 Harbor</title>", "og:description"}, nil},
	} {
		f := newFixture(t, func(s *setup) { s.host.WorldName, s.host.WatchAccess = test.name, test.access })
		page := string(f.get("/play/watch").ok().body)
		for _, text := range test.has {
			if !strings.Contains(page, text) {
				t.Errorf("%q, %s: the page has no %s:\n%s", test.name, test.access, text, page)
			}
		}
		for _, text := range test.lacks {
			if strings.Contains(page, text) {
				t.Errorf("%q, %s: the page has %s", test.name, test.access, text)
			}
		}
	}
}

// The first lines that the page shows in an empty world depend on it.
func TestPageStatesWhetherAccountsExist(t *testing.T) {
	for _, none := range []bool{false, true} {
		f := newFixture(t, func(s *setup) { s.host.NoRepository, s.world.NoRepository = none, none })
		page := string(f.get("/play/watch").ok().body)
		if got := strings.Contains(page, `<meta name="playctl-accounts" content="none">`); got != none {
			t.Errorf("without accounts %t: stated on the page %t", none, got)
		}
	}
}
