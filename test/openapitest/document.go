package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/playctl/playctl/internal/host/openapi"
	"github.com/playctl/playctl/protocol"
)

// resource is the document's name among schemas; nothing is fetched from it.
const resource = "https://host.invalid/api/openapi.json"

// document is the OpenAPI document with the schemas used so far. The schemas are
// compiled by a separate JSON Schema library: they are compiled once, and its
// errors can be printed without the values, some of which are secrets.
type document struct {
	root map[string]any

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by their pointers
}

var shared = sync.OnceValues(func() (*document, error) { return newDocument(openapi.JSON()) })

func newDocument(text []byte) (*document, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	root, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("the OpenAPI document is no object")
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(resource, root); err != nil {
		return nil, fmt.Errorf("take the OpenAPI document as a schema: %w", err)
	}
	return &document{root: root, compiler: compiler, schemas: map[string]*jsonschema.Schema{}}, nil
}

// at returns a member of the document and follows references; nil if it does not
// exist. The returned pointer is the actual location of the member.
func (d *document) at(pointer ...string) (value any, where []string) {
	value = d.root
	for i := 0; ; i++ {
		if ref, refers := reference(value); refers {
			return d.at(append(ref, pointer[i:]...)...)
		}
		if i == len(pointer) {
			return value, pointer
		}
		if value = member(value, pointer[i]); value == nil {
			return nil, nil
		}
	}
}

// member returns a member of an object or an element of an array; nil if it does
// not exist.
func member(value any, name string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[name]
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}

// object is like at, for members that are objects.
func (d *document) object(pointer ...string) map[string]any {
	value, _ := d.at(pointer...)
	object, _ := value.(map[string]any)
	return object
}

// reference returns the target of a value that is a reference.
func reference(value any) ([]string, bool) {
	object, _ := value.(map[string]any)
	ref, ok := object["$ref"].(string)
	if !ok {
		return nil, false
	}
	return strings.Split(strings.TrimPrefix(ref, "#/"), "/"), true
}

// escape converts a member's name to a part of a JSON Pointer (RFC 6901).
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// schema compiles the schema at a place of the document.
func (d *document) schema(pointer ...string) (*jsonschema.Schema, error) {
	place := strings.Join(pointer, "\x00")
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[place]; s != nil {
		return s, nil
	}
	value, where := d.at(pointer...)
	if value == nil {
		return nil, fmt.Errorf("the OpenAPI document has no schema at %s", strings.Join(pointer, " "))
	}
	escaped := make([]string, len(where))
	for i, p := range where {
		escaped[i] = escape.Replace(p)
	}
	s, err := d.compiler.Compile(resource + "#/" + strings.Join(escaped, "/"))
	if err != nil {
		return nil, fmt.Errorf("compile the schema at %s: %w", strings.Join(where, " "), err)
	}
	d.schemas[place] = s
	return s, nil
}

// validate checks a JSON text against the schema at a place.
func (d *document) validate(text []byte, pointer ...string) error {
	s, err := d.schema(pointer...)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	return reported(s.Validate(value))
}

// reported returns where a value fails and at which keyword, without the value.
func reported(err error) error {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return err
	}
	var places []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			keyword := strings.Join(e.ErrorKind.KeywordPath(), "/")
			places = append(places, fmt.Sprintf("/%s fails %s of %s", strings.Join(e.InstanceLocation, "/"), keyword,
				strings.TrimPrefix(e.SchemaURL, resource)))
		}
	}
	walk(failed)
	return errors.New(strings.Join(places, "; "))
}

// operationOf returns the op of an rpc body, "" if there is none.
func operationOf(body []byte) string {
	var envelope struct {
		Op protocol.Op `json:"op"`
	}
	if json.Unmarshal(body, &envelope) != nil {
		return ""
	}
	return string(envelope.Op)
}
