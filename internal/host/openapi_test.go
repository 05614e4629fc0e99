package host

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/host/openapi"
	"github.com/playctl/playctl/protocol"
)

// recordBody records the bytes that a handler reads of a request's body.
func recordBody(r *http.Request) *bytes.Buffer {
	received := &bytes.Buffer{}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, received), r.Body}
	}
	return received
}

// TestOpenAPIHasEveryRoute compares the document with the table of routes: every
// served route is described, and every described route is served.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	served := []string{
		"GET " + protocol.PathHealth, "GET " + protocol.PathReady, "GET " + protocol.PathMetrics,
	}
	for _, rt := range f.host.routes() {
		served = append(served, rt.method+" "+rt.path)
	}
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	f.get(protocol.PathOpenAPI).into(&document)
	var described []string
	for path, item := range document.Paths {
		for method := range item {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(served)
	slices.Sort(described)
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("the routes and the OpenAPI document differ (-served +described):\n%s", diff)
	}
}

func TestRoutesAndAnswersMatch(t *testing.T) {
	t.Parallel()
	public := answer{order: []step{sendPage}}
	described := []protocol.Route{{Method: http.MethodGet, Path: "/a", Anyone: true}}
	for _, c := range []struct {
		name string
		sets []routeAnswers
	}{
		{"no answer", nil},
		{"two answers", []routeAnswers{{"GET /a": public}, {"GET /a": public}}},
		{"an answer for no route", []routeAnswers{{"GET /a": public, "GET /b": public}}},
		{"an answer that does nothing", []routeAnswers{{"GET /a": {}}}},
		{"the usual order for everybody", []routeAnswers{{"GET /a": {plan: planReset}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("the routes were accepted")
				}
			}()
			newRoutes(protocol.ServicePlay, described, c.sets...)
		})
	}
}

// TestOpenAPIHasEveryOperation compares the operations likewise.
func TestOpenAPIHasEveryOperation(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			Operations map[protocol.Op]any `json:"x-operations"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(openapi.JSON(), &document); err != nil {
		t.Fatal(err)
	}
	described := slices.Sorted(maps.Keys(document.Paths[protocol.ServicePlay.RPC()]["post"].Operations))
	served := slices.Sorted(maps.Keys(operations()))
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("the operations and the OpenAPI document differ (-served +described):\n%s", diff)
	}
}

func TestOpenAPINeedsNoCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if got := f.get(protocol.PathOpenAPI).ok(); !bytes.Equal(got.body, openapi.JSON()) {
		t.Error("the route does not return the embedded document")
	}
	f.post(protocol.PathOpenAPI, map[string]any{}).refused(protocol.CodeMethodNotAllowed)
}
