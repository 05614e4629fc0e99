// Command contract generates files from the tables and structs of package protocol:
// the OpenAPI document, the tables of the protocol page, and the constants, types
// and field lists of the TypeScript client. Run it with go generate ./protocol.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	// go generate runs it in the folder of the protocol.
	if err := run(".."); err != nil {
		fmt.Fprintln(os.Stderr, "contract:", err) //nolint:forbidigo // this is main
		os.Exit(1)                                //nolint:forbidigo // as above
	}
}

// protocolPage is prose with generated tables.
const protocolPage = "docs/protocol.md"

// run writes every file that is generated from the contract, under the module's
// root.
func run(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o600); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// generate generates the files, by their names under the module's root.
func generate(root string) (map[string][]byte, error) {
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
	return map[string][]byte{
		protocolPage:                         page,
		"internal/host/openapi/openapi.json": openapi,
		"web/sdk/src/protocol/contract.ts":   typescript(source),
	}, nil
}
