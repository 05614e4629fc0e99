package fieldorder

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestWriteAddsOrder(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"to":{"type":"string"},"by":{"x-order":7},"at":{}}}`: `{"type":"object","properties":{"to":{"type":"string","x-order":0},"by":{"x-order":7},"at":{"x-order":2}}}`,
		`{"properties":{"b":true,"a":{"items":{"properties":{"y":{},"x":{}}}}}}`:             `{"properties":{"b":true,"a":{"items":{"properties":{"y":{"x-order":0},"x":{"x-order":1}}},"x-order":1}}}`,
		`{"properties":{"a":{},"b":{}}}`:                                                     `{"properties":{"a":{},"b":{}}}`,
		`{"properties":{"only":{}}}`:                                                         `{"properties":{"only":{}}}`,
		`{"$ref":"#/$defs/b","$defs":{"b":{"properties":{"y":{},"x":{}}},"a":{}}}`:           `{"$ref":"#/$defs/b","$defs":{"b":{"properties":{"y":{"x-order":0},"x":{"x-order":1}}},"a":{}}}`,
		`{"definitions":{"T":{"properties":{"b":{},"a":{}}}}}`:                               `{"definitions":{"T":{"properties":{"b":{"x-order":0},"a":{"x-order":1}}}}}`,
		`{"properties":3,"items":[1]}`:                                                       `{"properties":3,"items":[1]}`,
		`{"properties":{"b":{},"a":{}}`:                                                      `{"properties":{"b":{},"a":{}}`,
		`{"type":"OBJECT","properties":{"type":{"type":"STRING","default":"OBJECT"}}}`:       `{"type":"object","properties":{"type":{"type":"string","default":"OBJECT"}}}`,
		`{"anyOf":[{"properties":{"b":{},"a":{}}},true]}`:                                    `{"anyOf":[{"properties":{"b":{"x-order":0},"a":{"x-order":1}}},true]}`,
		`[]`:                                    `[]`,
		``:                                      ``,
		`{"properties":{"\u00e9":{},"e":null}}`: `{"properties":{"é":{"x-order":0},"e":null}}`,
	} {
		if got := string(Write(json.RawMessage(schema))); got != want {
			t.Errorf("%s gives\n%s, want\n%s", schema, got, want)
		}
	}
}

func TestNumberAlwaysAddsOrder(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"properties":{"a":{},"b":{"properties":{"c":{},"d":{}}}}}`: `{"properties":{"a":{"x-order":0},"b":{"properties":{"c":{"x-order":0},"d":{"x-order":1}},"x-order":1}}}`,
		`{"properties":{"only":{}},"$defs":{"a":{},"b":{}}}`:         `{"properties":{"only":{}},"$defs":{"a":{},"b":{}}}`,
	} {
		if got := string(Number(json.RawMessage(schema))); got != want {
			t.Errorf("%s gives\n%s, want\n%s", schema, got, want)
		}
	}
}

func TestDeepSchemaIsUnchanged(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"items":`, 5000) + `{}` + strings.Repeat(`}`, 5000)
	if got := Write(json.RawMessage(deep)); string(got) != deep {
		t.Error("a deep schema was changed")
	}
}
