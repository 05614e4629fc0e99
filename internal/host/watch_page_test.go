package host

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/playctl/playctl/protocol"
)

// assetReference matches the page's references to its files.
var assetReference = regexp.MustCompile(`(?:src|href)="(?:\./)?watch/assets/([^"]+)"`)

// TestWatchPageAndAssetsAreServed loads the page and everything it names, as a browser would.
func TestWatchPageAndAssetsAreServed(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.host.Compat = CompatAgentPlay })
	for _, base := range []string{"/play/watch", "/agent-play/watch"} {
		r := f.get(base).ok()
		if r.header.Get("Cache-Control") != cachePage || r.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s has the headers %v", base, r.header)
		}
		for name, want := range pageHeaders {
			if r.header.Get(name) != want {
				t.Errorf("%s: %s is %q", base, name, r.header.Get(name))
			}
		}
		names := assetReference.FindAllStringSubmatch(string(r.body), -1)
		if len(names) == 0 {
			t.Fatalf("the page names no file below watch/assets: %s", r.body)
		}
		for _, name := range names {
			if a := f.get(base + "/assets/" + name[1]).ok(); a.header.Get("Cache-Control") != cacheAsset || len(a.body) == 0 {
				t.Errorf("the file %s has the headers %v", name[1], a.header)
			}
		}
	}
	built, err := page()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"0123456789abcdef/index.js", built.build + "/none.js", built.build + "/index.html", built.build + "/town.js", "index.js", ""} {
		r := f.get("/play/watch/assets/" + path)
		r.refused(protocol.CodeNotFound)
		if cache := r.header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("that %q does not exist has Cache-Control %q", path, cache)
		}
	}
	f.post("/play/watch", `{}`).refused(protocol.CodeMethodNotAllowed)
}

// Every change of an asset gives all assets another address, so that a browser never loads
// an older file that it keeps.
func TestAssetsHaveAddressOfTheirBuild(t *testing.T) {
	t.Parallel()
	files := func(script, icon string) fstest.MapFS {
		return fstest.MapFS{
			"index.html": {Data: []byte(`<script src="watch/assets/a.js"></script><img src="watch/assets/icon.svg">`)},
			"town.js":    {}, "assets/a.js": {Data: []byte(script)}, "assets/icon.svg": {Data: []byte(icon)},
		}
	}
	renamed := files("one", "two")
	renamed["assets/b.js"] = renamed["assets/a.js"]
	delete(renamed, "assets/a.js")
	builds := map[string]bool{}
	for _, built := range []fstest.MapFS{files("one", "two"), files("one", "two"), files("one!", "two"), files("onet", "wo"), renamed} {
		p, err := readPage(built)
		if err != nil {
			t.Fatal(err)
		}
		builds[p.build] = true
		want := fmt.Sprintf(`<script src="watch/assets/%s/a.js"></script><img src="watch/assets/%[1]s/icon.svg">`, p.build)
		if string(p.index) != want {
			t.Errorf("got  %s\nwant %s", p.index, want)
		}
	}
	if len(builds) != 4 {
		t.Errorf("4 different builds have the hashes %v", builds)
	}
}

func TestWatchPageHasNoInlineScript(t *testing.T) {
	f := newFixture(t)
	body := string(f.get("/play/watch").ok().body)
	if regexp.MustCompile(`(?is)<script[^>]*>[^<]+</script>`).MatchString(body) ||
		regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=`).MatchString(body) {
		t.Errorf("the page has inline code, which its policy forbids: %s", body)
	}
	if regexp.MustCompile(`(?i)(src|href)="(https?:)?//`).MatchString(body) {
		t.Errorf("the page loads from another host: %s", body)
	}
}

func TestWatchPageCompressionAndCaching(t *testing.T) {
	f := newFixture(t)
	plain := f.get("/play/watch").ok()
	compressed := f.get("/play/watch", with("Accept-Encoding", "gzip, deflate, br, zstd")).ok()
	if compressed.header.Get("Content-Encoding") != "gzip" || compressed.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("compressed: %v", compressed.header)
	}
	if text := f.decoded(compressed.header, compressed.body); !bytes.Equal(text, plain.body) {
		t.Error("the compressed page differs")
	}
	if compressed.header.Get("Etag") == plain.header.Get("Etag") || plain.header.Get("Content-Encoding") != "" {
		t.Errorf("the headers of the compressed page are %v, of the plain one %v", compressed.header, plain.header)
	}
	same := f.get("/play/watch", with("If-None-Match", plain.header.Get("Etag")))
	if same.status != http.StatusNotModified || len(same.body) > 0 {
		t.Errorf("If-None-Match with its tag: %d with %d bytes", same.status, len(same.body))
	}
	head := f.do(http.MethodHead, "/play/watch", nil).ok()
	if head.header.Get("Content-Length") != plain.header.Get("Content-Length") || head.header.Get("Etag") != plain.header.Get("Etag") {
		t.Errorf("HEAD returned %v", head.header)
	}
}

func TestTrailingSlashRedirectsToWatchPage(t *testing.T) {
	f := newFixture(t)
	for _, target := range []string{"/play/watch/", "/agent-play/watch/", "/agent-play/watch"} {
		rec := httptest.NewRecorder()
		f.handler.ServeHTTP(rec, f.request(http.MethodGet, target, nil))
		want := http.StatusPermanentRedirect
		if strings.HasPrefix(target, "/agent") {
			want = http.StatusNotFound
		}
		if rec.Code != want || (want == http.StatusPermanentRedirect && rec.Header().Get("Location") != "../watch") {
			t.Errorf("%s: %d to %q, want %d", target, rec.Code, rec.Header().Get("Location"), want)
		}
	}
}

func TestClientsThatAcceptGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"gzip": true, "br, gzip": true, "GZIP": true, "gzip;q=0.001": true, "gzip; q=1": true, "gzip;q=": true, "zstd;q=1, gzip;q=0.5": true,
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.0": false, "x-gzip": false, "zstd": false,
	} {
		if got := acceptsGzip([]string{header}); got != want {
			t.Errorf("%q: %t", header, got)
		}
	}
}

func TestMediaTypesOfPageFiles(t *testing.T) {
	t.Parallel()
	built, err := readPage(fstest.MapFS{"index.html": {}, "assets/a.js": {}, "assets/b.svg": {}, "assets/c.unknown": {}})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{built.town.mediaType}
	for _, name := range []string{"a.js", "b.svg", "c.unknown"} {
		got = append(got, built.assets[name].mediaType)
	}
	if want := []string{"text/javascript; charset=utf-8", "text/javascript; charset=utf-8", "image/svg+xml", "application/octet-stream"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
