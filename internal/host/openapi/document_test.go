package openapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/host/openapi"
	"github.com/playctl/playctl/protocol"
)

// document is the served document, read by a library that knows OpenAPI.
func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.JSON())
	if err != nil {
		t.Fatalf("load the document: %v", err)
	}
	return doc
}

func TestDocumentIsOpenAPI31(t *testing.T) {
	t.Parallel()
	doc := document(t)
	if !doc.IsOpenAPI31OrLater() {
		t.Errorf("the document is OpenAPI %s, want 3.1", doc.OpenAPI)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Errorf("the document is not valid: %v", err)
	}
}

func TestEveryOperationIsDescribed(t *testing.T) {
	t.Parallel()
	ids := map[string]string{}
	for path, item := range document(t).Paths.Map() {
		for method, operation := range item.Operations() {
			at := method + " " + path
			if operation.Summary == "" || len(operation.Tags) != 1 || operation.Security == nil {
				t.Errorf("%s lacks its summary, its one tag or its security", at)
			}
			if other, taken := ids[operation.OperationID]; taken || operation.OperationID == "" {
				t.Errorf("%s has the operationId %q, as %q", at, operation.OperationID, other)
			}
			ids[operation.OperationID] = at
		}
	}
}

// Generators of clients make one name of a language of each parameter's: those of one
// operation must stay different.
func TestParametersHaveUniqueNames(t *testing.T) {
	t.Parallel()
	for path, item := range document(t).Paths.Map() {
		for method, operation := range item.Operations() {
			taken := map[string]string{}
			for _, parameter := range operation.Parameters {
				name := parameter.Value.Name
				if given, ok := parameter.Value.Extensions["x-go-name"].(string); ok {
					name = given
				}
				short := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
				if other, ok := taken[short]; ok {
					t.Errorf("%s %s has the parameters %s and %s, which are one name in Go: give one an x-go-name", method, path, other, parameter.Value.Name)
				}
				taken[short] = parameter.Value.Name
			}
		}
	}
}

// A generator of Go clients makes a type without a way to write it of a body that is
// described in place: what it sends is {}.
func TestBodiesHaveNames(t *testing.T) {
	t.Parallel()
	for path, item := range document(t).Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for kind, content := range operation.RequestBody.Value.Content {
				if content.Schema.Ref == "" {
					t.Errorf("the body %s of %s %s is not a component", kind, method, path)
				}
			}
		}
	}
}

// Generators give a value without a type the type of anything.
func TestConstantsHaveTypes(t *testing.T) {
	t.Parallel()
	var whole any
	if err := json.Unmarshal(openapi.JSON(), &whole); err != nil {
		t.Fatal(err)
	}
	var look func(at string, value any)
	look = func(at string, value any) {
		switch value := value.(type) {
		case map[string]any:
			if _, constant := value["const"]; constant && value["type"] == nil {
				t.Errorf("%s has a const and no type", at)
			}
			for name, inner := range value {
				look(at+"/"+name, inner)
			}
		case []any:
			for i, inner := range value {
				look(fmt.Sprintf("%s/%d", at, i), inner)
			}
		}
	}
	look("", whole)
}

// Generators of clients need the property that distinguishes the forms of a union; those of
// two replies of routes have none.
func TestUnionsHaveDiscriminators(t *testing.T) {
	t.Parallel()
	unions := 0
	for name, schema := range document(t).Components.Schemas {
		forms := schema.Value.OneOf
		if len(forms) == 0 {
			continue
		}
		unions++
		d := schema.Value.Discriminator
		if d == nil {
			t.Errorf("%s has no discriminator", name)
			continue
		}
		mapped := map[string]bool{}
		for value, target := range d.Mapping {
			mapped[target.Ref] = true
			i := slices.IndexFunc(forms, func(form *openapi3.SchemaRef) bool { return form.Ref == target.Ref })
			if i < 0 {
				t.Errorf("%s maps %s to %s, which is no form of it", name, value, target.Ref)
				continue
			}
			property := forms[i].Value.Properties[d.PropertyName]
			if property == nil || !slices.Contains(append(slices.Clone(property.Value.Enum), property.Value.Const), any(value)) {
				t.Errorf("%s maps %s to %s, which has another %s", name, value, target.Ref, d.PropertyName)
			}
		}
		if len(mapped) != len(forms) {
			t.Errorf("%s has %d forms, of which %d are mapped", name, len(forms), len(mapped))
		}
	}
	if unions < 8 {
		t.Errorf("the document has %d unions", unions)
	}
}

// Generators of clients make no field of a required name without a schema, and no way to send
// credentials that no operation takes.
func TestRequiredNamesAndSecuritySchemesAreUsed(t *testing.T) {
	t.Parallel()
	var whole struct {
		Paths      map[string]map[string]struct{ Security []map[string]any }
		Components struct{ SecuritySchemes map[string]any }
	}
	var document any
	if err := errors.Join(json.Unmarshal(openapi.JSON(), &whole), json.Unmarshal(openapi.JSON(), &document)); err != nil {
		t.Fatal(err)
	}
	var look func(at string, value any)
	look = func(at string, value any) {
		object, _ := value.(map[string]any)
		properties, _ := object["properties"].(map[string]any)
		required, _ := object["required"].([]any)
		for _, name := range required {
			if properties[name.(string)] == nil {
				t.Errorf("%s requires %v and does not describe it", at, name)
			}
		}
		for name, inner := range object {
			look(at+"/"+name, inner)
		}
		list, _ := value.([]any)
		for i, inner := range list {
			look(fmt.Sprintf("%s/%d", at, i), inner)
		}
	}
	look("", document)
	used := map[string]bool{}
	for _, methods := range whole.Paths {
		for _, operation := range methods {
			for _, way := range operation.Security {
				for scheme := range way {
					used[scheme] = true
				}
			}
		}
	}
	same(t, "security schemes", slices.Collect(maps.Keys(whole.Components.SecuritySchemes)), slices.Collect(maps.Keys(used)))
}

// TestDocumentCoversContract compares what the document lists with what
// the protocol package does.
func TestDocumentCoversContract(t *testing.T) {
	t.Parallel()
	doc := document(t)
	rpc := doc.Paths.Value(protocol.ServicePlay.RPC()).Post
	var ops, kinds []string
	for _, op := range protocol.Operations() {
		ops = append(ops, string(op.Op))
	}
	for _, kind := range protocol.EventKinds() {
		kinds = append(kinds, string(kind))
	}
	same(t, "operations", names(t, rpc.Extensions["x-operations"]), ops)
	events := doc.Paths.Value(protocol.ServicePlay.Events()).Get.Responses.Status(http.StatusOK).Value
	same(t, "events", names(t, events.Content.Get(protocol.MediaTypeSSE).Extensions["x-events"]), kinds)
	requests := rpc.RequestBody.Value.Content.Get(protocol.MediaTypeJSON).Schema.Value.OneOf
	if len(requests) != len(ops) {
		t.Errorf("the rpc route accepts one of %d requests, want %d", len(requests), len(ops))
	}
}

// TestDocumentHasEveryErrorCode compares the codes of each status.
func TestDocumentHasEveryErrorCode(t *testing.T) {
	t.Parallel()
	want, got := map[string][]string{}, map[string][]string{}
	for _, code := range protocol.Codes() {
		name := fmt.Sprintf("Error%d", protocol.Status(code))
		want[name] = append(want[name], string(code))
	}
	for name, schema := range document(t).Components.Schemas {
		code := schema.Value.Properties["code"]
		if !strings.HasPrefix(name, "Error") || code == nil {
			continue
		}
		values := code.Value.Enum
		if code.Value.Const != nil {
			values = []any{code.Value.Const}
		}
		for _, v := range values {
			got[name] = append(got[name], v.(string))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		same(t, name, got[name], want[name])
		delete(got, name)
	}
	if len(got) != 0 {
		t.Errorf("the document has errors that the protocol does not have: %v", got)
	}
}

// names are the members of an extension.
func names(t *testing.T, extension any) []string {
	t.Helper()
	members, ok := extension.(map[string]any)
	if !ok {
		t.Fatalf("the extension is %T, want an object", extension)
	}
	return slices.Collect(maps.Keys(members))
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document's %s (-protocol +document):\n%s", what, diff)
	}
}
