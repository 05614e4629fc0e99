package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// source is the information that is only in the source text of package protocol:
// its comments, and its constants for headers, paths and query parameters.
type source struct {
	// docs are by type or constant, and by type and field with a point between.
	docs map[string]string
	// values are the comments of constants that are words, by the words: the part
	// after the colon.
	values map[string]string
	// names are the constants of names.go, by the first word of their names.
	names map[string][]constant
}

type constant struct{ name, value string }

func readSource(folder string) (*source, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list the sources of the contract: %w", err)
	}
	s := &source{docs: map[string]string{}, values: map[string]string{}, names: map[string][]constant{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read a source of the contract: %w", err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				s.declaration(g, filepath.Base(name) == "names.go")
			}
		}
	}
	return s, nil
}

func (s *source) declaration(g *ast.GenDecl, names bool) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc := spec.Doc.Text() + g.Doc.Text()
			s.docs[spec.Name.Name] = sentence(doc)
			if fields, ok := spec.Type.(*ast.StructType); ok {
				s.fields(spec.Name.Name, fields)
			}
		case *ast.ValueSpec:
			if g.Tok == token.CONST && len(spec.Values) == 1 {
				s.constant(spec, spec.Doc.Text()+alone(g), names)
			}
		}
	}
}

// alone returns the comment of a declaration of one name.
func alone(g *ast.GenDecl) string {
	if g.Lparen.IsValid() {
		return ""
	}
	return g.Doc.Text()
}

func (s *source) constant(spec *ast.ValueSpec, doc string, names bool) {
	name, doc := spec.Names[0].Name, sentence(doc)
	s.docs[name] = doc
	value, ok := spec.Values[0].(*ast.BasicLit)
	if !ok || value.Kind != token.STRING {
		return
	}
	text, _ := strconv.Unquote(value.Value)
	if _, meaning, ok := strings.Cut(doc, ": "); ok {
		s.values[text] = strings.TrimSuffix(meaning, ".")
	}
	for _, first := range []string{"Header", "Path", "Query"} {
		if rest, ok := strings.CutPrefix(name, first); ok && names {
			s.names[first] = append(s.names[first], constant{rest, text})
		}
	}
}

// servicePaths returns the paths that the methods of protocol.Service return, without
// patterns.
func servicePaths() []constant {
	var paths []constant
	service := reflect.ValueOf(protocol.Service("{service}"))
	for i := range service.NumMethod() {
		path, ok := reflect.TypeAssert[func() string](service.Method(i))
		if ok && strings.HasPrefix(path(), "/") && !strings.HasSuffix(path(), "}") {
			paths = append(paths, constant{service.Type().Method(i).Name, path()})
		}
	}
	return paths
}

func (s *source) fields(name string, t *ast.StructType) {
	for _, f := range t.Fields.List {
		for _, n := range f.Names {
			s.docs[name+"."+n.Name] = sentence(f.Doc.Text())
		}
	}
}

func sentence(doc string) string { return strings.Join(strings.Fields(doc), " ") }

// doc returns the comment of a type, with the names that the contract has for the
// type and its fields.
func (s *source) doc(t reflect.Type) string {
	text := wireNames(s.docs[t.Name()], t)
	return replaceWord(text, t.Name(), typeName(t))
}

// fieldDoc returns the comment of a field of a type; empty if it has none.
func (s *source) fieldDoc(t reflect.Type, f *protocol.Field) string {
	return wireNames(s.docs[t.Name()+"."+f.Go], t)
}

func wireNames(text string, t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return text
	}
	for _, f := range protocol.FieldsOf(t) {
		text = replaceWord(text, f.Go, f.Name)
	}
	return text
}

func replaceWord(text, word, other string) string {
	return regexp.MustCompile(`\b`+word+`\b`).ReplaceAllString(text, other)
}

// typeName returns the contract's name of a Go type.
func typeName(t reflect.Type) string {
	switch name := t.Name(); name {
	case "Agent", "MCP", "Human", "Structure":
		return camel(name) + "Row"
	case "Snapshot":
		return "WorldSnapshot"
	case "IntercomEvent":
		return "IntercomEventData"
	default:
		return camel(name)
	}
}

// camel writes the initialisms of Go as words.
func camel(name string) string {
	for _, word := range []string{"API", "MCP", "RPC", "URL", "SID", "TTL", "OK", "ID", "TS"} {
		name = regexp.MustCompile(word+`([A-Z]|s?$|s[A-Z])`).ReplaceAllString(name, word[:1]+strings.ToLower(word[1:])+"$1")
	}
	return name
}

// lower returns a name of Go as the name of a JSON member.
func lower(name string) string {
	name = camel(name)
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}
