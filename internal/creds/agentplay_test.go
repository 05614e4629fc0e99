package creds

import (
	"errors"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

const agentPlayText = `{
  "serverUrl": "https://agent-play.example.com/",
  "nodeId": "` + keyA + `",
  "passw": "  main  phrase ",
  "secretFilePath": "/somewhere",
  "agentNodes": [
    { "nodeId": "` + keyB + `", "passw": "first phrase", "createdAt": "2026-01-02T03:04:05.678Z" },
    { "nodeId": "` + keyC + `", "passw": "second phrase", "createdAt": "2026-01-02T04:04:05.678+01:00" }
  ]
}
`

func TestImportHashesThePhrases(t *testing.T) {
	c, err := ParseAgentPlay("f", []byte(agentPlayText), ImportOptions{Name: "old", Now: sampleTime})
	if err != nil {
		t.Fatal(err)
	}
	if c.ServerURL != "https://agent-play.example.com" || c.Service != protocol.ServiceAgentPlay || c.Name != "old" {
		t.Errorf("context %s at %s, %s", c.Name, c.ServerURL, c.Service)
	}
	if c.Main.NodeID != keyA || !c.Main.PasswHash.Equal(HashPhrase("main phrase").Secret) || !c.Main.Phrase.IsZero() {
		t.Error("the main node differs from the imported one")
	}
	second, err := c.Agent("agent-2")
	if err != nil || second.NodeID != keyC || !second.PasswHash.Equal(HashPhrase("second phrase").Secret) || !second.Phrase.IsZero() || !second.CreatedAt.Equal(sampleTime) {
		t.Errorf("the second agent differs from the imported one: %v", err)
	}
	f := NewFile()
	if err := f.Add(c); err != nil {
		t.Fatal(err)
	}
	text, err := f.encode()
	if err != nil || strings.Contains(string(text), "phrase") {
		t.Errorf("the file contains a phrase: %v", err)
	}
	_, err = ExportAgentPlay(c)
	if err == nil || !strings.Contains(err.Error(), `context "old"`) || !strings.Contains(err.Error(), "kept for the main node, agent-1, agent-2;") {
		t.Errorf("export without phrases: %v", err)
	}
}

func TestImportAndExportWithPhrases(t *testing.T) {
	c, err := ParseAgentPlay("f", []byte(agentPlayText), ImportOptions{Name: "old", KeepPhrases: true, Now: sampleTime})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "serverUrl": "https://agent-play.example.com",
  "nodeId": "` + keyA + `",
  "passw": "main phrase",
  "agentNodes": [
    {
      "nodeId": "` + keyB + `",
      "passw": "first phrase",
      "createdAt": "2026-01-02T03:04:05.678Z"
    },
    {
      "nodeId": "` + keyC + `",
      "passw": "second phrase",
      "createdAt": "2026-01-02T03:04:05.678Z"
    }
  ]
}
`
	if got, err := ExportAgentPlay(c); err != nil || string(got) != want {
		t.Errorf("exported\n%s\n%v", got, err)
	}
	c.Fingerprint = keyB
	text, err := ExportAgentPlay(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseAgentPlay("f", text, ImportOptions{Name: "old", KeepPhrases: true, Now: sampleTime})
	if err != nil || again.Fingerprint != keyB {
		t.Errorf("the fingerprint was not imported again: %q, %v", again.Fingerprint, err)
	}
	if err := c.AddAgent(sampleAgent("new", "")); err != nil {
		t.Fatal(err)
	}
	_, err = ExportAgentPlay(c)
	if err == nil || !strings.Contains(err.Error(), "kept for "+sampleID("new")+";") {
		t.Errorf("export with one phrase missing: %v", err)
	}
	if _, err := ExportAgentPlay(sampleContext(t, "empty")); !errors.Is(err, ErrNoMainNode) {
		t.Errorf("export without a main node: %v", err)
	}
}

func TestImportErrors(t *testing.T) {
	main := `"serverUrl":"http://a","nodeId":"` + keyA + `","passw":"hunter2"`
	for name, c := range map[string]struct{ text, prefix, message string }{
		"cut":                 {"{" + main, "f:1:", "JSON is broken"},
		"no server":           {`{"nodeId":"` + keyA + `","passw":"hunter2"}`, "f: ", "serverUrl is missing"},
		"no id":               {`{"serverUrl":"http://a","passw":"hunter2"}`, "f: ", "nodeId is missing"},
		"no phrase":           {`{"serverUrl":"http://a","nodeId":"` + keyA + `"}`, "f: ", "passw is missing"},
		"blank phrase":        {"{\n\"passw\":\"\"}", "f:2:", "passw must be a phrase"},
		"phrase as a list":    {"{\n\"passw\":[\"hunter2\"]}", "f:2:", "passw has an invalid value"},
		"bad id":              {"{\n\"nodeId\":\"hunter2\"}", "f:2:", "nodeId must be a node id"},
		"agent without id":    {"{" + main + `,"agentNodes":[{"passw":"hunter2"}]}`, "f: ", "agentNodes.0.nodeId is missing"},
		"agent without passw": {"{" + main + `,"agentNodes":[{"nodeId":"` + keyB + `"}]}`, "f: ", "agentNodes.0.passw is missing"},
		"bad time":            {"{" + main + ",\n\"agentNodes\":[{\"createdAt\":\"hunter2\"}]}", "f:2:", "agentNodes.0.createdAt must be a time"},
		"multi-line key":      {"{" + main + ",\n\"apiKey\":\"hunter2\\n\"}", "f:2:", "apiKey must be an API key without control characters"},
		"duplicate agent": {"{" + main + `,"agentNodes":[{"nodeId":"` + keyB + `","passw":"x"},{"nodeId":"` + keyB + `","passw":"x"}]}`,
			"f: ", "already in the context"},
	} {
		_, err := ParseAgentPlay("f", []byte(c.text), ImportOptions{Name: "a"})
		if err == nil || !strings.HasPrefix(err.Error(), c.prefix) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error quotes a phrase", name)
		}
	}
	if _, err := ParseAgentPlay("f", []byte(agentPlayText), ImportOptions{Name: "no name"}); !errors.Is(err, ErrContextName) {
		t.Errorf("a bad context name: %v", err)
	}
}

func FuzzParseAgentPlay(f *testing.F) {
	f.Add([]byte(agentPlayText))
	for _, seed := range []string{"", "{}", "null", `{"agentNodes":[null]}`, `{"serverUrl":"http://a","nodeId":"` + keyA + `","passw":"x"}`} {
		f.Add([]byte(seed))
	}
	opts := ImportOptions{Name: "a", KeepPhrases: true, Now: sampleTime}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseAgentPlay("f", data, opts)
		if err != nil {
			checkFileError(t, err, data)
			return
		}
		text, err := ExportAgentPlay(c)
		if err != nil {
			t.Fatalf("the import with phrases cannot be exported: %v", err)
		}
		again, err := ParseAgentPlay("f", text, opts)
		if err != nil || !again.Main.PasswHash.Equal(c.Main.PasswHash.Secret) || !equalAgents(again.Agents(), c.Agents()) {
			t.Fatalf("exported and imported again: %v\n%s", err, text)
		}
	})
}
