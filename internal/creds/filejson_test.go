package creds

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

// The file on disk is a contract with later versions: a change of it appears as a
// change of testdata/file-v1.json.
func TestFileFormat(t *testing.T) {
	want, err := os.ReadFile("testdata/file-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := fullFile(t).encode()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("encoded as\n%s\n%v", got, err)
	}
	f, err := ParseFile("file-v1.json", want)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := f.encode(); err != nil || !bytes.Equal(again, want) {
		t.Errorf("read and written again:\n%s\n%v", again, err)
	}
	local, err := f.Select("")
	if err != nil {
		t.Fatal(err)
	}
	barista, err := local.Agent("barista")
	if err != nil || barista.Phrase.Reveal() != "kept phrase" || !barista.PasswHash.Equal(HashPhrase("kept phrase").Secret) || !barista.CreatedAt.Equal(sampleTime) {
		t.Errorf("the agent was not read back: %v", err)
	}
	if local.Main.APIKey.Reveal() != "pk_key" || local.Main.Phrase.Reveal() != "main phrase" {
		t.Error("the main node was not read back")
	}
}

// A later playctl may add members to version 1; an older one that changes an entry
// must not lose them.
func TestUnknownMembersAreKept(t *testing.T) {
	const text = `{
  "version": 1,
  "currentContext": "a",
  "contexts": {
    "a": {
      "serverUrl": "http://a",
      "service": "play",
      "mainNode": {
        "nodeId": "` + keyA + `",
        "passwHash": "` + keyB + `",
        "later": [
          1.50,
          null
        ]
      },
      "agents": [
        {
          "nodeId": "` + keyC + `",
          "passwHash": "` + keyD + `",
          "later": {
            "x": true
          }
        }
      ],
      "later": "c"
    }
  },
  "later": "d"
}
`
	f, err := ParseFile("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Select("")
	if err != nil {
		t.Fatal(err)
	}
	i, err := c.find(keyC)
	if err != nil {
		t.Fatal(err)
	}
	c.agents[i].Label = "x"
	if err := f.Rename("a", "b"); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(text, `"a"`, `"b"`)
	want = strings.Replace(want, `"nodeId": "`+keyC+`",`, `"nodeId": "`+keyC+`",`+"\n"+`          "label": "x",`, 1)
	if got, err := f.encode(); err != nil || string(got) != want {
		t.Errorf("written as\n%s\n%v, want\n%s", got, err, want)
	}
}

func TestParseFileErrors(t *testing.T) {
	const head = `{"version":1,"contexts":{"a":{"serverUrl":"http://a","service":"play"`
	for name, c := range map[string]struct {
		text    string
		prefix  string
		message string
	}{
		"empty":              {"", "f: ", "it is empty"},
		"cut":                {"{\n \"version\": 1,\n \"contexts\": {", "f:3:15: ", "JSON is broken"},
		"not JSON":           {"{\n  version: 1}", "f:2:3: ", "invalid character 'v'"},
		"trailing data":      {"{\"version\":1,\"contexts\":{}}\n{}", "f:2:1: ", "JSON is broken"},
		"duplicate":          {"{\"version\":1,\n\"é\":1,\"version\":1}", "f:2:7: ", "duplicate"},
		"not UTF-8":          {"{\"version\":1,\"x\":\"\xff\"}", "f:1:", "invalid UTF-8"},
		"an array":           {"[]", "f:1:", "the document has an invalid value (an array)"},
		"no version":         {`{"contexts":{}}`, "f: ", `no "version"`},
		"agent-play's file":  {`{"serverUrl":"http://a","nodeId":"x","passw":"y"}`, "f: ", "playctl credentials import"},
		"version as text":    {`{"version":"1"}`, "f:1:", "version has an invalid value (a string)"},
		"version 0":          {`{"version":0}`, "f: ", "version is 0"},
		"contexts as list":   {"{\"version\":1,\n\"contexts\":[]}", "f:2:", "contexts has an invalid value (an array)"},
		"current is unknown": {`{"version":1,"currentContext":"b","contexts":{}}`, "f: ", `current context: "b"`},
		"bad name":           {`{"version":1,"contexts":{"a b":{"serverUrl":"http://a","service":"play"}}}`, "f: ", "context's name"},
		"null context":       {`{"version":1,"contexts":{"a":null}}`, "f: ", "server must be"},
		"bad URL":            {"{\"version\":1,\"contexts\":{\"a\":{\n\"serverUrl\":\"a\"}}}", "f:2:", "contexts.a.serverUrl must be"},
		"bad service":        {"{\"version\":1,\"contexts\":{\"a\":{\n\"service\":\"Play\"}}}", "f:2:", "contexts.a.service must be"},
		"bad time":           {head + ",\n\"createdAt\":\"yesterday\"}}}", "f:2:", "contexts.a.createdAt must be a time"},
		"year -1":            {head + ",\n\"createdAt\":\"0000-01-01T00:00:00+01:00\"}}}", "f:2:", "contexts.a.createdAt must be a time"},
		"bad id":             {head + ",\n\"mainNode\":{\n\"nodeId\":\"hunter2\"}}}}", "f:3:", "contexts.a.mainNode.nodeId must be a node id"},
		"no id":              {head + `,"mainNode":{"passwHash":"` + keyA + `"}}}}`, "f: ", "main node: the nodeId"},
		"phrase as hash":     {head + ",\n\"mainNode\":{\n\"passwHash\":\"hunter2\"}}}}", "f:3:", "passwHash must be a passwHash"},
		"hash as number":     {head + ",\n\"mainNode\":{\n\"passwHash\":1234567}}}}", "f:3:", "passwHash has an invalid value (a number)"},
		"no hash":            {head + `,"mainNode":{"nodeId":"` + keyA + `"}}}}`, "f: ", "main node: the passwHash"},
		"blank phrase":       {head + ",\n\"mainNode\":{\"phrase\":\" \"}}}}", "f:2:", "phrase must be"},
		"other phrase": {head + `,"mainNode":{"nodeId":"` + keyA + `","passwHash":"` + keyB + `","phrase":"hunter2"}}}}`,
			"f: ", "does not belong"},
		"multi-line key":         {head + ",\n\"mainNode\":{\"apiKey\":\"hunter2\\n\"}}}}", "f:2:", "contexts.a.mainNode.apiKey must be an API key without control characters"},
		"multi-line account key": {head + ",\n\"apiKey\":\"\\u007fhunter2\"}}}", "f:2:", "contexts.a.apiKey must be an API key without control characters"},
		"same agent twice":       {head + `,"agents":[` + agentText(keyA, "") + "," + agentText(keyA, "") + `]}}}`, "f: ", "already in the context"},
		"same label twice":       {head + `,"agents":[` + agentText(keyA, "x") + "," + agentText(keyB, "x") + `]}}}`, "f: ", "has this label"},
	} {
		f, err := ParseFile("f", []byte(c.text))
		var fileErr *FileError
		if !errors.As(err, &fileErr) || f != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.prefix) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "1234567") {
			t.Errorf("%s: the error quotes a value", name)
		}
	}
}

func agentText(id, label string) string {
	return `{"nodeId":"` + id + `","label":"` + label + `","passwHash":"` + keyC + `"}`
}

// A newer file may have any shape; it is recognized by its version alone.
func TestNewerFileIsRefused(t *testing.T) {
	_, err := ParseFile("f", []byte(`{"contexts": ["another shape"], "version": 2}`))
	if !errors.Is(err, ErrNewerFile) || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("got %v", err)
	}
}

func FuzzParseFile(f *testing.F) {
	sample, err := os.ReadFile("testdata/file-v1.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	for _, seed := range []string{"", "{}", `{"version":1}`, `{"version":1,"contexts":{"a":{}}}`, `{"version":9}`, "[[[[", `{"version":1e999}`,
		`{"version":1,"contexts":{"a":{"serverUrl":"http://a","service":"play","x":{"y":1.0}}},"z":"\u00e9"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ParseFile("f", data)
		if err != nil {
			checkFileError(t, err, data)
			return
		}
		text, err := file.encode()
		if err != nil {
			t.Fatalf("the parsed file cannot be written: %v", err)
		}
		again, err := ParseFile("f", text)
		if err != nil {
			t.Fatalf("the written file cannot be read: %v\n%s", err, text)
		}
		if stable, err := again.encode(); err != nil || !bytes.Equal(stable, text) {
			t.Fatalf("written twice:\n%s\n%s\n%v", text, stable, err)
		}
	})
}

// checkFileError fails unless err has a path and a place inside data.
func checkFileError(t *testing.T, err error, data []byte) {
	t.Helper()
	var fileErr *FileError
	if !errors.As(err, &fileErr) {
		t.Fatalf("not a FileError: %v", err)
	}
	lines := bytes.Split(data, []byte("\n"))
	if fileErr.Line > len(lines) || fileErr.Line > 0 && fileErr.Column > len(lines[fileErr.Line-1])+1 {
		t.Fatalf("%v: there is no such position", err)
	}
}

func isKey(text string) bool { return FitsHeader(text) }

// Everything that a program stores in a file is read back unchanged.
func TestFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := NewFile()
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][a-z0-9._-]{0,8}`), 0, 3, rapid.ID[string]).Draw(rt, "contexts") {
			c := sampleContext(t, name)
			if rapid.Bool().Draw(rt, "has a main node") {
				phrase := rapid.StringMatching(`\pL{1,5}( \pL{1,5}){0,2}`).Draw(rt, "phrase")
				c.Main = &MainNode{NodeID: sampleID(phrase), PasswHash: HashPhrase(phrase), Phrase: protocol.NewSecret(phrase), APIKey: protocol.NewSecret(rapid.String().Filter(isKey).Draw(rt, "key"))}
			}
			for i, label := range rapid.SliceOfNDistinct(rapid.String().Filter(isLabel), 0, 3, rapid.ID[string]).Draw(rt, "labels") {
				if err := c.AddAgent(sampleAgent(string(rune('a'+i)), label)); err != nil {
					rt.Fatal(err)
				}
			}
			if err := f.Add(c); err != nil {
				rt.Fatal(err)
			}
		}
		text, err := f.encode()
		if err != nil {
			rt.Fatal(err)
		}
		got, err := ParseFile("f", text)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		compareFiles(rt, got, f)
	})
}

func compareFiles(t *rapid.T, got, want *File) {
	if strings.Join(got.Names(), " ") != strings.Join(want.Names(), " ") || got.Current() != want.Current() {
		t.Fatalf("contexts %v, want %v", got.Names(), want.Names())
	}
	for name, w := range want.contexts {
		g := got.contexts[name]
		if g.ServerURL != w.ServerURL || g.Service != w.Service || !g.CreatedAt.Equal(w.CreatedAt) || !equalAgents(g.agents, w.agents) || (g.Main == nil) != (w.Main == nil) {
			t.Fatalf("context %q was read back differently", name)
		}
		if w.Main != nil && (g.Main.NodeID != w.Main.NodeID || !g.Main.PasswHash.Equal(w.Main.PasswHash.Secret) || !g.Main.Phrase.Equal(w.Main.Phrase) || !g.Main.APIKey.Equal(w.Main.APIKey)) {
			t.Fatalf("the main node of %q was read back differently", name)
		}
	}
}
