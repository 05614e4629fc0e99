package host

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/web/watch"
)

// pageHeaders isolate the page: it runs scripts and loads files of the host only,
// cannot be framed by other pages, and sends no referrer.
var pageHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	"Referrer-Policy":              "no-referrer",
	"X-Frame-Options":              "DENY",
}

// headersOfPage returns the headers of the page where pages of the origins in embed may
// show it in a frame.
func headersOfPage(embed []string) map[string]string {
	if len(embed) == 0 {
		return pageHeaders
	}
	headers := maps.Clone(pageHeaders)
	policy := headers["Content-Security-Policy"]
	headers["Content-Security-Policy"] = strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors "+strings.Join(embed, " "), 1)
	// This header cannot list origins.
	delete(headers, "X-Frame-Options")
	return headers
}

const (
	// cachePage makes browsers revalidate the page each time, cacheAsset lets files in
	// a folder named by a hash of their content be cached for a year, the longest time
	// in common use.
	cachePage  = "no-cache"
	cacheAsset = "public, max-age=31536000, immutable"
)

// pageFile is one file of the page, or another that never changes. It is read and
// compressed when it is first requested.
type pageFile struct {
	mediaType     string
	plain, zipped func() encoded
}

// encoded is a file as it is sent, with its entity tag.
type encoded struct {
	body   []byte
	tag    string
	zipped bool
	err    error
}

// builtPage is the page as it was built, the same for every host of the process.
type builtPage struct {
	// build is the folder in which the assets are served: a hash of all of them. So
	// their references to one another are to files of the same build, and a browser may
	// keep them.
	build  string
	index  []byte
	assets map[string]*pageFile
	town   *pageFile
}

var page = sync.OnceValues(func() (*builtPage, error) { return readPage(watch.Files()) })

// readPage reads the index, in which the assets are named with their build, and the
// list of assets.
func readPage(files fs.FS) (*builtPage, error) {
	index, err := fs.ReadFile(files, pageIndex)
	if err != nil {
		return nil, fmt.Errorf("read the watch page: %w", err)
	}
	names, err := fs.Glob(files, "assets/*")
	if err != nil {
		return nil, fmt.Errorf("list the watch page's files: %w", err)
	}
	p := &builtPage{assets: map[string]*pageFile{}, town: newPageFile(files, townScript)}
	all := sha256.New()
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read the watch page's file %s: %w", name, err)
		}
		_, _ = fmt.Fprintf(all, "%s %d\n%s", name, len(text), text) // Writing to a hash does not fail.
		p.assets[path.Base(name)] = newPageFile(files, name)
	}
	p.build = hex.EncodeToString(all.Sum(nil)[:8])
	p.index = bytes.ReplaceAll(index, []byte(assetFolder), []byte(assetFolder+p.build+"/"))
	return p, nil
}

// assetFolder is how the built index refers to the folder of the assets.
const assetFolder = "watch/assets/"

func newPageFile(files fs.FS, name string) *pageFile {
	return encodedFile(name, func() ([]byte, error) { return fs.ReadFile(files, name) })
}

// indexFile is the page itself, which names the world, says if there are no
// accounts and, if everybody may watch, describes itself to programs that show a link
// to it.
func indexFile(o *Options) *pageFile {
	name, public, address := o.WorldName, o.WatchAccess == WatchPublic, o.PublicURL
	return encodedFile(pageIndex, func() ([]byte, error) {
		built, err := page()
		if err != nil {
			return nil, err
		}
		b := built.index
		shown := html.EscapeString(cmp.Or(name, unnamedWorld))
		var head string
		if name != "" {
			head = `<meta name="playctl-world" content="` + shown + `">`
		}
		if o.NoRepository {
			head += `<meta name="playctl-accounts" content="none">`
		}
		if public {
			head += cardTags(shown, html.EscapeString(address))
		}
		if name != "" || public {
			b = pageTitle().ReplaceAllLiteral(b, []byte("<title>"+shown+"</title>"))
		}
		return bytes.Replace(b, []byte("</head>"), []byte(head+"</head>"), 1), nil
	})
}

// unnamedWorld is the name shown for a world without one.
const unnamedWorld = "The town"

// cardTags returns the tags that sites read to show a link as a card (the Open
// Graph protocol). Title and address must be escaped.
func cardTags(title, address string) string {
	const what = "A town of AI agents, live. Everything on it is verified in your browser."
	// Without a public address the picture is named relative to the page.
	picture := "watch/card.png"
	if address != "" {
		picture = address + protocol.ServicePlay.WatchCard()
	}
	var b strings.Builder
	for _, tag := range [][2]string{
		{"og:type", "website"}, {"og:title", title}, {"og:description", what}, {"og:image", picture}, {"og:image:type", "image/png"},
		{"og:image:width", strconv.Itoa(cardWidth)}, {"og:image:height", strconv.Itoa(cardHeight)}, {"og:image:alt", "The map of a town with its agents"},
	} {
		b.WriteString(`<meta property="` + tag[0] + `" content="` + tag[1] + `">`)
	}
	if address != "" {
		b.WriteString(`<meta property="og:url" content="` + address + protocol.ServicePlay.Watch() + `">`)
	}
	b.WriteString(`<meta name="twitter:card" content="summary_large_image">`)
	return b.String()
}

// pageIndex is the page's file that the others are loaded from.
const pageIndex = "index.html"

var pageTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<title>[^<]*</title>`)
})

func encodedFile(name string, read func() ([]byte, error)) *pageFile {
	f := &pageFile{mediaType: mediaTypeOf(name)}
	f.plain = sync.OnceValue(func() encoded {
		b, err := read()
		if err != nil {
			return encoded{err: fmt.Errorf("read the watch page's file %s: %w", name, err)}
		}
		return encoded{body: b, tag: tagOf(b)}
	})
	f.zipped = sync.OnceValue(func() encoded {
		e := f.plain()
		if e.err != nil {
			return e
		}
		body := compressWith(newCompressor(gzip.BestCompression), slices.Values([][]byte{e.body}))
		return encoded{body: body, tag: strings.TrimSuffix(e.tag, `"`) + `-gzip"`, zipped: true}
	})
	return f
}

// fileFor returns a file as the caller accepts it.
func (c *call) fileFor(f *pageFile) encoded {
	if c.acceptsGzip() {
		return f.zipped()
	}
	return f.plain()
}

// tagOf returns the entity tag of a text.
func tagOf(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// mediaTypes are the types of the page's files; a system's own table may differ,
// and a script under another type does not run.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".json": protocol.MediaTypeJSON,
}

func mediaTypeOf(name string) string {
	if t, known := mediaTypes[path.Ext(name)]; known {
		return t
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

func sendPage(c *call) error { return c.sendPageFile(c.host.index, cachePage) }

// sendAsset sends a file of this build only: under the name of another build, a browser
// would keep it as the file of that build.
func sendAsset(c *call) error {
	built, err := page()
	if err != nil {
		return err
	}
	file := built.assets[c.r.PathValue(protocol.AssetName)]
	if file == nil || c.r.PathValue(protocol.AssetBuild) != built.build {
		return protocol.Errorf(protocol.CodeNotFound, "there is no such route")
	}
	return c.sendPageFile(file, cacheAsset)
}

func sendTown(c *call) error {
	built, err := page()
	if err != nil {
		return err
	}
	return c.sendPageFile(built.town, cachePage)
}

func (c *call) sendPageFile(file *pageFile, cache string) error {
	header := c.w.Header()
	e := c.fileFor(file)
	if e.err != nil {
		return e.err
	}
	for k, v := range c.host.pageHeaders {
		header.Set(k, v)
	}
	if c.r.TLS != nil || creds.IsLoopbackName(hostName(c.r.Host)) {
		// Elsewhere browsers ignore it, with a warning in their console.
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	c.sendFile(e, file.mediaType, cache)
	return nil
}

// sendFile sends a file, or 304 where the caller has it already.
func (c *call) sendFile(e encoded, mediaType, cache string) {
	header := c.w.Header()
	header.Set("Cache-Control", cache)
	header.Set("Etag", e.tag)
	if matchesTag(c.r.Header.Values("If-None-Match"), e.tag) {
		c.begin(http.StatusNotModified)
		return
	}
	if e.zipped {
		header["Content-Encoding"] = gzipped
	}
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(len(e.body)))
	c.begin(http.StatusOK)
	// A failure to write means that the client is gone.
	c.written, _ = c.w.Write(e.body)
}
