package openapitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"

	"github.com/playctl/playctl/protocol"
)

// request checks the parameters and the body of an accepted request: the document
// must not require more than the host does.
func (d *document) request(x *Exchange, operation []string) error {
	for _, parameter := range d.parameters(operation) {
		if err := d.parameter(x.Request, parameter); err != nil {
			return err
		}
	}
	body := d.object(with(operation, "requestBody")...)
	if body == nil {
		return nil
	}
	if len(x.Sent) == 0 {
		if required, _ := body["required"].(bool); required {
			return errors.New("it has no body")
		}
		return nil
	}
	pointer := with(operation, "requestBody", "content", protocol.MediaTypeJSON, "schema")
	if d.object(with(operation, "x-operations")...) != nil {
		pointer = with(operation, "x-operations", operationOf(x.Sent), "request")
	}
	if err := d.validate(x.Sent, pointer...); err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	return nil
}

// parameters returns the locations of an operation's parameters in the document.
func (d *document) parameters(operation []string) [][]string {
	list, _ := d.object(operation...)["parameters"].([]any)
	pointers := make([][]string, 0, len(list))
	for i, p := range list {
		if where, refers := reference(p); refers {
			pointers = append(pointers, where)
			continue
		}
		pointers = append(pointers, with(operation, "parameters", strconv.Itoa(i)))
	}
	return pointers
}

func (d *document) parameter(r *http.Request, pointer []string) error {
	p := d.object(pointer...)
	name, _ := p["name"].(string)
	var values []string
	switch p["in"] {
	case "query":
		values = r.URL.Query()[name]
	case "header":
		values = r.Header.Values(name)
	case "path":
		// The only path with a parameter has it at its end.
		values = []string{path.Base(r.URL.Path)}
	default:
		return fmt.Errorf("the parameter %s of the document is in %v, which no check knows", name, p["in"])
	}
	if len(values) == 0 {
		if required, _ := p["required"].(bool); required {
			return fmt.Errorf("it lacks the parameter %s", name)
		}
		return nil
	}
	return d.text("the parameter "+name, values[0], with(pointer, "schema"))
}

// text checks a text against a schema: as a number if the schema requires an
// integer, otherwise as a string.
func (d *document) text(what, text string, schema []string) error {
	encoded, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if d.object(schema...)["type"] == "integer" {
		encoded = []byte(text)
	}
	if err := d.validate(encoded, schema...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
