package sdk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

var chat = sdk.Tool{Name: protocol.ChatTool}

func TestFrameworkRegistration(t *testing.T) {
	r, err := sdk.NewFrameworkRegistration("langchain",
		sdk.Tool{Name: "search"}, chat,
		sdk.Tool{Name: "assist_book", Description: "Book a table", Parameters: []sdk.Parameter{
			{Name: "guests", Type: sdk.TypeInteger, Description: "How many"},
			{Name: "room", Type: sdk.TypeString, Enum: []string{"inside", "outside"}, Optional: true},
		}},
		sdk.Tool{Name: "assist_wave"},
		sdk.Tool{Name: "assist_own", Schema: json.RawMessage(`{"anything":[1]}`)},
		sdk.Tool{Name: "assist_none", Schema: json.RawMessage(`null`)},
		sdk.Tool{Name: "assist_go", Schema: json.RawMessage(`{"properties":{"to":{},"by":{}}}`)},
	)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"search", "chat_tool", "assist_book", "assist_wave", "assist_own", "assist_none", "assist_go"}, r.ToolNames()); diff != "" {
		t.Errorf("tool names: %s", diff)
	}
	want := map[string]string{
		"assist_book": `{"type":"object","properties":{"guests":{"type":"integer","description":"How many","x-order":0},"room":{"type":"string","enum":["inside","outside"],"x-order":1}},"required":["guests"]}`,
		"assist_wave": `{"type":"object","properties":{}}`,
		"assist_own":  `{"anything":[1]}`,
		"assist_none": `{"type":"object","properties":{}}`,
		"assist_go":   `{"properties":{"to":{"x-order":0},"by":{"x-order":1}}}`,
	}
	if len(r.AssistTools()) != len(want) || r.Framework() != "langchain" {
		t.Errorf("%d assist tools of %s", len(r.AssistTools()), r.Framework())
	}
	for name, schema := range want {
		tool, ok := r.AssistTool(name)
		if !ok || tool.Name != name || string(tool.Parameters) != schema {
			t.Errorf("%s: %v, %+v %s", name, ok, tool, tool.Parameters)
		}
	}
	if _, ok := r.AssistTool("search"); ok {
		t.Error("a tool that people may not call is an assist tool")
	}
}

func TestFrameworkRegistrationRefusesInvalidTools(t *testing.T) {
	parameter := func(p sdk.Parameter) []sdk.Tool {
		return []sdk.Tool{chat, {Name: "assist_x", Parameters: []sdk.Parameter{p}}}
	}
	var many []sdk.Tool
	for i := range protocol.MaxToolNames {
		many = append(many, sdk.Tool{Name: fmt.Sprintf("tool_%d", i)})
	}
	for name, c := range map[string]struct {
		framework string
		tools     []sdk.Tool
	}{
		"no framework":       {"", []sdk.Tool{chat}},
		"a long framework":   {strings.Repeat("f", protocol.MaxTypeChars+1), []sdk.Tool{chat}},
		"an empty name":      {"go", []sdk.Tool{chat, {}}},
		"a long name":        {"go", []sdk.Tool{chat, {Name: strings.Repeat("n", protocol.MaxToolNameChars+1)}}},
		"a duplicate name":   {"go", []sdk.Tool{chat, chat}},
		"too many tools":     {"go", append(many, chat)},
		"no parameter name":  {"go", parameter(sdk.Parameter{Type: sdk.TypeString})},
		"an unknown type":    {"go", parameter(sdk.Parameter{Name: "p", Type: "text"})},
		"no type":            {"go", parameter(sdk.Parameter{Name: "p"})},
		"an enum of numbers": {"go", parameter(sdk.Parameter{Name: "p", Type: sdk.TypeNumber, Enum: []string{"1"}})},
		"two equal names":    {"go", []sdk.Tool{chat, {Name: "assist_x", Parameters: []sdk.Parameter{{Name: "p", Type: sdk.TypeString}, {Name: "p", Type: sdk.TypeString}}}}},
		"two schemas":        {"go", []sdk.Tool{chat, {Name: "assist_x", Schema: json.RawMessage(`{}`), Parameters: []sdk.Parameter{{Name: "p", Type: sdk.TypeString}}}}},
		"a list as schema":   {"go", []sdk.Tool{chat, {Name: "assist_x", Schema: json.RawMessage(`[]`)}}},
		"a schema of a text": {"go", []sdk.Tool{chat, {Name: "assist_x", Schema: json.RawMessage(`{"type":"string"}`)}}},
		"a broken schema":    {"go", []sdk.Tool{chat, {Name: "assist_x", Schema: json.RawMessage(`{`)}}},
	} {
		if _, err := sdk.NewFrameworkRegistration(c.framework, c.tools...); err == nil || errors.Is(err, sdk.ErrChatToolMissing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: "assist_x"}); !errors.Is(err, sdk.ErrChatToolMissing) {
		t.Errorf("without chat_tool: %v", err)
	}
}
