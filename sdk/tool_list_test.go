package sdk_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/sdk"
)

// Each file has a list in the form of one framework or vendor, with the tools that it
// describes, or with words of the error.
func TestReadTools(t *testing.T) {
	files, err := filepath.Glob("testdata/tools/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			List  json.RawMessage
			Tools []struct {
				Name, Description string
				Parameters        any
			}
			Refused []string
		}
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		tools, err := sdk.ReadTools(c.List)
		if (err != nil) != (c.Refused != nil) || len(tools) != len(c.Tools) {
			t.Errorf("%s gives %+v, %v", file, tools, err)
			continue
		}
		for _, word := range c.Refused {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: the error lacks %q: %v", file, word, err)
			}
		}
		for i, want := range c.Tools {
			var parameters any
			if err := json.Unmarshal(tools[i].Schema, &parameters); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Parameters, parameters); diff != "" || tools[i].Name != want.Name || tools[i].Description != want.Description {
				t.Errorf("%s: tool %d is %q, %q: %s", file, i+1, tools[i].Name, tools[i].Description, diff)
			}
		}
		if _, err := sdk.NewFrameworkRegistration("test", append(tools, chat)...); err != nil {
			t.Errorf("%s cannot be registered: %v", file, err)
		}
	}
}

func FuzzReadTools(f *testing.F) {
	files, err := filepath.Glob("testdata/tools/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`null`))
	f.Add([]byte(`{"tools":`))
	f.Fuzz(func(t *testing.T, list []byte) {
		tools, err := sdk.ReadTools(list)
		for _, tool := range tools {
			if err != nil || tool.Name == "" || !json.Valid(tool.Schema) {
				t.Errorf("%s gives %+v, %v", list, tool, err)
			}
		}
	})
}
