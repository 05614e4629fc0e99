package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
)

const module = "github.com/playctl/playctl"

// everywhere is the meaning of a field that is the same in all results, by its name
// in JSON. A comment of the field takes precedence.
var everywhere = map[string]string{
	"agentId":          "the node id of the agent",
	"context":          "the context that was used; absent where there was none",
	"createdAt":        "when it was created",
	"expiresAt":        "when it ends",
	"genesisNodeId":    "the root key of the world",
	"label":            "its label in the account",
	"merkleLeafCount":  "the number of leaves of the chain",
	"merkleRootHex":    "the root of the chain in hex",
	"nodeId":           "the id of the node",
	"phrase":           "its phrase, with --show-phrase",
	"phraseFile":       "the file that has its phrase",
	"playerId":         "the id of the agent",
	"requestId":        "the id of the question",
	"rev":              "the rev of the world; absent where the host gives none",
	"rootKey":          "the root key of the world",
	"seq":              "the number of the world's last event; absent where the host gives none",
	"server":           "the address of the host",
	"service":          "the service that the host is of: play or agent-play",
	"sid":              "the session of the world",
	"spaceId":          "the id of the space",
	"stableKey":        "the key of the node in the chain",
	"unconfirmedHosts": "how many hosts of the world had not confirmed it when the reply came, and may accept deleted credentials until they do; absent if all had",
}

// comments are the comments of struct fields, read from the sources of their
// packages.
type comments struct {
	// root is the folder of the module.
	root string
	// packages are by import path; the comments of one are by type and field,
	// separated by a point.
	packages map[string]map[string]string
}

// of returns the comment of a field, with names as in JSON, or "" if there is none.
func (c *comments) of(typ reflect.Type, name, jsonName string) (string, error) {
	path := typ.PkgPath()
	if c.packages[path] == nil {
		read, err := readComments(filepath.Join(c.root, strings.TrimPrefix(path, module)))
		if err != nil {
			return "", err
		}
		c.packages[path] = read
	}
	text := c.packages[path][typ.Name()+"."+name]
	if text == "" {
		return everywhere[jsonName], nil
	}
	for other := range typ.Fields() {
		if inJSON, _, _ := strings.Cut(other.Tag.Get("json"), ","); inJSON != "" && inJSON != "-" {
			text = regexp.MustCompile(`\b`+other.Name+`\b`).ReplaceAllString(text, inJSON)
		}
	}
	return text, nil
}

// readComments reads the comments of the package in a folder.
func readComments(folder string) (map[string]string, error) {
	docs := map[string]string{}
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list the sources of results: %w", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read a source of results: %w", err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if fields, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range fields.Fields.List {
					for _, ident := range f.Names {
						docs[spec.Name.Name+"."+ident.Name] = meaning(f, ident.Name)
					}
				}
			}
			return true
		})
	}
	return docs, nil
}

// meaning returns the comment after or above a field as one line, without the words
// "Name is" at its beginning.
func meaning(f *ast.Field, name string) string {
	text := strings.Join(strings.Fields(f.Comment.Text()), " ")
	if text == "" {
		text = strings.Join(strings.Fields(f.Doc.Text()), " ")
	}
	for _, verb := range []string{" is ", " are "} {
		text = strings.TrimPrefix(text, name+verb)
	}
	return strings.TrimSuffix(text, ".")
}
