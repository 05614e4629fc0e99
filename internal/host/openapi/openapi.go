// Package openapi holds the OpenAPI 3.1 document of a host's routes. It is
// written by hand in the YAML files of the folder source; go generate composes
// openapi.json from them, and a test keeps the two alike.
package openapi

import _ "embed"

//go:generate go test . -run ^TestDocumentIsComposedOfItsSources$ -update

//go:embed openapi.json
var document string

// JSON is the document as the host serves it. The caller may change what it
// gets.
func JSON() []byte { return []byte(document) }
