// Package openapi holds the OpenAPI 3.1 document of a host's routes. It is generated
// from the tables and structs of package protocol, and from the YAML files of the folder
// source for what only the document says: go generate ./protocol writes openapi.json.
package openapi

import _ "embed"

//go:embed openapi.json
var document string

// JSON returns the document as the host serves it. The caller may change the copy.
func JSON() []byte { return []byte(document) }
