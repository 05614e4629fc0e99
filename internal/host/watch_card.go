package host

import (
	_ "embed"
	"sync"

	"github.com/playctl/playctl/protocol"
)

// The size of the picture in pixels, which sites use for link previews.
const (
	cardWidth  = 1200
	cardHeight = 630
)

// cacheCard lets sites that show a link cache its picture for a week.
const cacheCard = "public, max-age=604800"

//go:embed card.png
var cardPNG []byte

// card is the picture that a link to the page shows.
var card = sync.OnceValue(func() encoded { return encoded{body: cardPNG, tag: tagOf(cardPNG)} })

// sendCard sends the picture where everybody may watch.
func sendCard(c *call) error {
	if c.host.options.WatchAccess != WatchPublic {
		return protocol.Errorf(protocol.CodeNotFound, "there is no such route")
	}
	header := c.w.Header()
	for k, v := range pageHeaders {
		header.Set(k, v)
	}
	// The picture is meant to be shown on other sites.
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	c.sendFile(card(), mediaTypes[".png"], cacheCard)
	return nil
}
