package host

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func TestLinkPreviewPictureOfPublicWorld(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.host.WatchAccess, s.host.Compat = WatchPublic, CompatAgentPlay })
	for _, path := range []string{"/play/watch/card.png", "/agent-play/watch/card.png"} {
		r := f.get(path).ok()
		picture, err := png.Decode(bytes.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		if size := picture.Bounds().Size(); size.X != cardWidth || size.Y != cardHeight || r.header.Get("Content-Type") != "image/png" {
			t.Errorf("%s is %v of the type %q", path, size, r.header.Get("Content-Type"))
		}
		if cache := r.header.Get("Cache-Control"); cache != cacheCard {
			t.Errorf("%s may be cached as %q, want %q", path, cache, cacheCard)
		}
		same := f.get(path, with("If-None-Match", r.header.Get("Etag")))
		if same.status != http.StatusNotModified || len(same.body) > 0 {
			t.Errorf("If-None-Match with its tag: %d with %d bytes", same.status, len(same.body))
		}
	}
	page := string(f.get("/play/watch").ok().body)
	for _, tag := range []string{`"og:image" content="watch/card.png"`, `"og:image:width" content="1200"`, `content="summary_large_image"`} {
		if !strings.Contains(page, tag) {
			t.Errorf("the page has no %s", tag)
		}
	}
}

func TestPictureRequiresPublicWatching(t *testing.T) {
	f := newFixture(t, func(s *setup) {
		s.host.WatchAccess, s.host.PublicURL = WatchPublic, "https://town.example.com/sub"
	})
	page := string(f.get("/play/watch").ok().body)
	for _, tag := range []string{
		`"og:image" content="https://town.example.com/sub/play/watch/card.png"`, `"og:url" content="https://town.example.com/sub/play/watch"`,
	} {
		if !strings.Contains(page, tag) {
			t.Errorf("the page has no %s:\n%s", tag, page)
		}
	}
	for _, access := range []WatchAccess{WatchLocal, WatchToken} {
		newFixture(t, func(s *setup) { s.host.WatchAccess = access }).get("/play/watch/card.png").refused(protocol.CodeNotFound)
	}
}
