package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Arguments are read as models and clients send them.
func TestArgumentsAreRead(t *testing.T) {
	t.Parallel()
	type inner struct {
		Tool   string         `json:"tool" jsonschema:"the tool"`
		Args   map[string]any `json:"args,omitempty"`
		Result any            `json:"result,omitempty"`
	}
	type args struct {
		Name  string   `json:"name" jsonschema:"the name"`
		Limit int      `json:"limit,omitempty"`
		After *uint64  `json:"after,omitempty"`
		Share float64  `json:"share,omitempty"`
		Loud  bool     `json:"loud,omitempty"`
		Kinds []string `json:"kinds,omitempty"`
		Steps []inner  `json:"steps,omitempty"`
	}
	s, exact := schemaOf[args](), uint64(9007199254740993)
	for text, want := range map[string]args{
		`{"name":"a"}`:               {Name: "a"},
		`{"name":"a","other":1}`:     {Name: "a"},
		`"{\"name\":\"a\"}"`:         {Name: "a"},
		`{"name":5}`:                 {Name: "5"},
		`{"name":9007199254740993}`:  {Name: "9007199254740993"},
		`{"name":true,"loud":true}`:  {Name: "true", Loud: true},
		`{"name":"","loud":"False"}`: {},
		`{"name":"a","limit":null,"after":null,"share":null,"loud":null,"kinds":null,"steps":null}`: {Name: "a"},
		`{"name":"a","limit":"","after":"null","share":" ","loud":"","kinds":"","steps":""}`:        {Name: "a"},
		`{"name":"a","limit":"5","after":"9007199254740993","share":"0.5","loud":"true"}`:           {Name: "a", Limit: 5, After: &exact, Share: 0.5, Loud: true},
		`{"name":"a","limit":5.0,"after":9007199254740993,"share":1e-1}`:                            {Name: "a", Limit: 5, After: &exact, Share: 0.1},
		`{"name":"a","limit":5e2}`:                                             {Name: "a", Limit: 500},
		`{"name":"a","kinds":["x",null,7]}`:                                    {Name: "a", Kinds: []string{"x", "7"}},
		`{"name":"a","kinds":"x"}`:                                             {Name: "a", Kinds: []string{"x"}},
		`{"name":"a","kinds":"[\"x\",\"y\"]"}`:                                 {Name: "a", Kinds: []string{"x", "y"}},
		`{"name":"a","steps":[{"tool":"t","args":"{\"n\":1}","id":"call"}]}`:   {Name: "a", Steps: []inner{{Tool: "t", Args: map[string]any{"n": 1.0}}}},
		`{"name":"a","steps":{"tool":"t","args":{"n":null},"result":[1,"2"]}}`: {Name: "a", Steps: []inner{{Tool: "t", Args: map[string]any{"n": nil}, Result: []any{1.0, "2"}}}},
		`{"name":"a","steps":["{\"tool\":\"t\",\"result\":null}"]}`:            {Name: "a", Steps: []inner{{Tool: "t"}}},
	} {
		var got args
		if err := s.read(json.RawMessage(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for text, want := range map[string]string{
		``:                              "the argument name is missing: the name",
		`null`:                          "the argument name is missing: the name",
		`[]`:                            "the argument name is missing: the name",
		`{"name":null}`:                 "the argument name is missing: the name",
		`{"name":{"text":"a"}}`:         `the argument name is {"text":"a"}: it must be a text`,
		`{"name":"a","limit":"five"}`:   `the argument limit is "five": it must be a whole number`,
		`{"name":"a","limit":1.5}`:      `the argument limit is 1.5: it must be a whole number`,
		`{"name":"a","limit":1e999999}`: `it must be a whole number`,
		`{"name":"a","limit":1e18000}`:  `it must be a whole number`,
		`{"name":"a","after":"-1"}`:     `the argument after is -1: it must be a whole number, 0 or more`,
		`{"name":"a","share":"much"}`:   `the argument share is "much": it must be a number`,
		`{"name":"a","loud":"yes"}`:     `the argument loud is "yes": it must be true or false`,
		`{"name":"a","steps":[1]}`:      `the argument steps[0] is 1: it must be an object`,
		`{"name":"a","steps":[{}]}`:     "the argument steps[0].tool is missing: the tool",
		`[1]`:                           "the arguments are [1]: they must be an object",
		`"a"`:                           `the arguments are "a": they must be an object`,
		`{"name":["` + strings.Repeat("x", 1000) + `"]}`: `x…: it must be a text`,
	} {
		var got args
		if err := s.read(json.RawMessage(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", text, err, want)
		}
	}
}
