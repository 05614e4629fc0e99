package host

import (
	"net/http"

	"github.com/playctl/playctl/internal/host/openapi"
	"github.com/playctl/playctl/protocol"
)

// openapiRoute gives the document that describes all the others. It is the same
// for everybody, so nobody has to say who they are.
func openapiRoute() route {
	document := openapi.JSON()
	return route{
		method: http.MethodGet, path: protocol.PathOpenAPI,
		order: []step{func(c *call) error {
			c.write(http.StatusOK, document)
			return nil
		}},
	}
}
