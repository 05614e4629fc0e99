// Package openapi holds the OpenAPI 3.1 document of a host's routes. The routes
// are described in the YAML files of the folder source, the schemas of requests,
// replies, rows, events and errors by the structs and tables of package protocol;
// go generate in that package makes openapi.json from both.
package openapi

import _ "embed"

//go:embed openapi.json
var document string

// JSON is the document as the host serves it. The caller may change what it
// gets.
func JSON() []byte { return []byte(document) }
