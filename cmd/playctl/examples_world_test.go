//go:build full && unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/test/hostprocess"
)

// exampleWorld is a world for the examples, and the home folder of one of its users, to be
// copied.
type exampleWorld struct{ data, home, url, mcp, space, program string }

// quickProgram builds playctl as for scripts, but without the race detector, which takes
// most of the time of a short command, and returns its folder. Scripts check the same
// commands for races.
func quickProgram(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", filepath.Join(folder, "playctl"), ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building playctl: %v\n%s", err, out)
	}
	return folder
}

func makeExampleWorld(t *testing.T) exampleWorld {
	t.Helper()
	w := exampleWorld{data: t.TempDir(), home: t.TempDir(), program: quickProgram(t)}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(w.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("admin.token", "the-administrators-own-token\n", 0o600)
	write("passphrase.txt", "not much of a secret\n", 0o600)
	write("question.txt", "Where is the mill?\n", 0o644)
	write("town.aql", "CREATE SPACE \"Aisle\" DESIGN \"d\" OWNER \"Ada\" KEYFILE \"aisle.txt\"\n", 0o644)
	write("journey.json", `{"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:06Z","steps":[{"type":"origin","content":"Where?","messageId":"1"}]}`, 0o644)
	write("agent.sh", "#!/bin/sh\necho hello\n", 0o755)
	write("agent.py", "import json, sys\nfor line in sys.stdin:\n    print(json.dumps({'id': json.loads(line)['id'], 'message': 'hello'}), flush=True)\n", 0o644)
	write("tools.json", `[{"name":"assist_route","description":"A route","parameters":{"type":"object"}}]`, 0o644)
	write("agents.yaml", "agents:\n  - {match: \"support-*\", name: Support}\n", 0o644)
	write("Makefile", "test:\n\t@echo all is well\n", 0o644)
	write("bin/agent", "#!/bin/sh\ncat journey.json\n", 0o755)
	write("bin/xdg-open", "#!/bin/sh\nexit 0\n", 0o755)
	if err := writeCertificate(filepath.Join(w.home, "cert.pem"), filepath.Join(w.home, "key.pem")); err != nil {
		t.Fatal(err)
	}
	write("bin/git", "#!/bin/sh\necho 'Mend the mill'\n", 0o755)
	theirs := `{"serverUrl":"https://play.example.com","nodeId":"` + strings.Repeat("1", 64) + `","passw":"correct horse battery staple"}`
	write("credentials.json", theirs, 0o600)
	write(".agent-play/credentials.json", theirs, 0o600)

	host := w.serve(t, w.data)
	w.url = host.URL()
	run := func(line string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir, cmd.Env = w.home, w.env(w.home, w.url)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, errs.String())
		}
		return string(out)
	}
	text := func(line, field string) string {
		t.Helper()
		var fields map[string]any
		if err := json.Unmarshal([]byte(run(line)), &fields); err != nil {
			t.Fatal(err)
		}
		value, _ := fields[field].(string)
		return value
	}
	for _, name := range []string{"", " --context home", " --context work", " --context old"} {
		run("playctl create-main-node --keep-phrase" + name + " && mv main.txt was.txt 2>/dev/null; true")
	}
	run(`jq -r '.contexts.default.mainNode.phrase' "$PLAYCTL_CREDENTIALS_FILE" > main.txt && chmod 600 main.txt`)
	for _, name := range []string{"Ada", "Bob"} {
		run("playctl create-agent-node " + name + " --keep-phrase --phrase-file " + strings.ToLower(name) + ".txt && playctl add-agent " + name)
	}
	run(`playctl record-interaction Ada --role user "Is it?" && playctl record-interaction Ada "It is done."`)
	w.mcp = text("playctl register-mcp weather -o json", "id")
	w.space = text(`playctl create-space "Corner shop" --design bazaar --owner Ada --amenity shop --amenity supermarket --phrase-file shop.txt -o json`, "spaceId")
	run("playctl snapshot -o json > world.json && playctl chain prove __header__ > proof.json")
	run("playctl tail --from-start --follow=false --record monday.ndjson > /dev/null && gzip -k monday.ndjson")
	run("playctl context show -o json | jq -r .rootKey > world.root")
	// A copy of the store is complete only after its host has ended.
	host.Stop()
	return w
}

// env returns the environment of an example.
func (w *exampleWorld) env(home, url string) []string {
	return []string{
		"HOME=" + home, "PATH=" + filepath.Join(home, "bin") + ":" + w.program + ":" + os.Getenv("PATH"), "TERM=xterm", nodeIDs + "=" + cheapIDs,
		"PLAYCTL_SERVER=" + url, "PLAYCTL_TIMEOUT=" + patience, "PLAYCTL_ADMIN_TOKEN_FILE=admin.token",
		"DISPLAY=:0", // the browser is bin/xdg-open
		"PLAYCTL_CREDENTIALS_FILE=" + filepath.Join(home, "mine.json"),
	}
}

// serve hosts the world in a folder until the test ends.
func (w *exampleWorld) serve(t *testing.T, data string, flags ...string) *hostprocess.Host {
	t.Helper()
	token := filepath.Join(data, "admin.token")
	if err := os.WriteFile(token, []byte("the-administrators-own-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(token, 0o600); err != nil {
		t.Fatal(err)
	}
	return hostprocess.Start(t, hostprocess.Options{
		Program: filepath.Join(w.program, "playctl"),
		Args: append([]string{
			"--data-dir", filepath.Join(data, "world"), "--admin-token-file", token, "--main-nodes-invite", "--log-level", "error",
		}, flags...),
		Env: []string{nodeIDs + "=" + cheapIDs},
	})
}
