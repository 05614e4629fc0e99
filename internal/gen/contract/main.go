// Command contract generates files from the tables and structs of package protocol:
// the OpenAPI document, the tables of the protocol page, and the constants, types
// and field lists of the TypeScript client. Run it with go generate ./protocol.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/playctl/playctl/internal/gen"
)

func main() {
	if err := gen.Run(generate); err != nil {
		fmt.Fprintln(os.Stderr, "contract:", err) //nolint:forbidigo // this is main
		os.Exit(1)                                //nolint:forbidigo // as above
	}
}

// protocolPage is prose with generated tables.
const protocolPage = "docs/protocol.md"

func generate(root string) (*gen.Output, error) {
	source, err := readSource(filepath.Join(root, "protocol"))
	if err != nil {
		return nil, err
	}
	openapi, err := document(source, filepath.Join(root, "internal", "host", "openapi", "source"))
	if err != nil {
		return nil, err
	}
	page, err := markdown(source, filepath.Join(root, protocolPage))
	if err != nil {
		return nil, err
	}
	return &gen.Output{Files: map[string][]byte{
		protocolPage:                         page,
		"internal/host/openapi/openapi.json": openapi,
		"web/sdk/src/protocol/contract.ts":   typescript(source),
	}}, nil
}
