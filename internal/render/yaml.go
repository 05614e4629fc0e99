package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// encodeYAML writes data as the YAML of its JSON: the same names, the same
// order, the same numbers.
func encodeYAML(data any) ([]byte, error) {
	text, err := encodeJSON(data, "")
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	root, err := yamlNode(decoder)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return nil, fmt.Errorf("encode the result as YAML: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("encode the result as YAML: %w", err)
	}
	return Escaped(out.Bytes()), nil
}

// yamlNode reads the next JSON value. It builds nodes instead of reading the
// JSON as YAML, because JSON may hold characters that a YAML text must escape.
func yamlNode(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("read the result's JSON: %w", err)
	}
	switch value := token.(type) {
	case json.Delim:
		return yamlCollection(decoder, value)
	case json.Number:
		return yamlNumber(value), nil
	case string:
		node := &yaml.Node{}
		if err := node.Encode(value); err != nil {
			return nil, fmt.Errorf("encode a text as YAML: %w", err)
		}
		if needsCleaning(value) {
			// Only double quotes allow escapes.
			node.Style = yaml.DoubleQuotedStyle
		}
		return node, nil
	case bool:
		return scalar("!!bool", strconv.FormatBool(value)), nil
	}
	return scalar("!!null", "null"), nil
}

func yamlCollection(decoder *json.Decoder, open json.Delim) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if open == '{' {
		node = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	for decoder.More() {
		// In an object names and values follow each other, as they do in a
		// mapping node's content.
		child, err := yamlNode(decoder)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("read the result's JSON: %w", err)
	}
	if len(node.Content) == 0 {
		node.Style = yaml.FlowStyle
	}
	return node, nil
}

// yamlNumber keeps the number's text. A number with an exponent but no point is a
// string in YAML 1.1, so it gets a point, and so does a whole number that exceeds
// 64 bits.
func yamlNumber(number json.Number) *yaml.Node {
	text := number.String()
	if !strings.ContainsAny(text, ".eE") {
		_, tooSmall := strconv.ParseInt(text, 10, 64)
		_, tooLarge := strconv.ParseUint(text, 10, 64)
		if tooSmall != nil && tooLarge != nil {
			return scalar("!!float", text+".0")
		}
		return scalar("!!int", text)
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 && !strings.Contains(text, ".") {
		text = text[:at] + ".0" + text[at:]
	}
	return scalar("!!float", text)
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}
