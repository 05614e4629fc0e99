package deploy_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The unit's command serves with the unit's settings alone, and writes files in the
// unit's own folder only.
func TestUnitServes(t *testing.T) {
	unit := readText(t, "systemd/playctl.service")
	state := t.TempDir()
	env := strings.Fields(replaceText(t, setting(t, unit, "Environment"), "%S", state))
	command := strings.Fields(replaceText(t, setting(t, unit, "ExecStart"), "/usr/local/bin/playctl", playctl))
	b := serve(t, env, command...)
	for _, path := range []string{b.Store, b.RootFile} {
		if !strings.HasPrefix(path, filepath.Join(state, "playctl")+"/") {
			t.Errorf("%s is outside the unit's folder", path)
		}
	}
}

// setting returns the value of a setting that the unit has once.
func setting(t *testing.T, unit, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^`+name+`=(.*)$`).FindAllStringSubmatch(unit, -1)
	if len(found) != 1 {
		t.Fatalf("the unit has %s %d times", name, len(found))
	}
	return found[0][1]
}

// systemd accepts every line of the unit, and reports few rights that the process
// could lose.
func TestUnitPassesSystemdAnalyze(t *testing.T) {
	unit := replaceText(t, readText(t, "systemd/playctl.service"), "/usr/local/bin/playctl", playctl)
	path := filepath.Join(t.TempDir(), "playctl.service")
	must(t, os.WriteFile(path, []byte(unit), 0o600))
	must(t, os.CopyFS(path+".d", os.DirFS("systemd/playctl.service.d")))
	for _, args := range [][]string{{"verify", path}, {"security", "--offline=true", "--threshold=15", path}} {
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", args...).CombinedOutput()
		if err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
	}
}

// The image's command serves with the image's settings, and its health check
// finds it healthy without credentials.
func TestImageServes(t *testing.T) {
	file := replaceText(t, readText(t, "Dockerfile"), "\\\n", " ")
	state := t.TempDir()
	env := strings.Fields(replaceText(t, instruction(t, file, "ENV"), "/var/lib/playctl", state))
	command := append(words(t, instruction(t, file, "ENTRYPOINT")), words(t, instruction(t, file, "CMD"))...)
	command[0] = replaceText(t, command[0], "/usr/local/bin/playctl", playctl)
	b := serve(t, env, command...)

	_, check, _ := strings.Cut(instruction(t, file, "HEALTHCHECK"), "CMD ")
	health := words(t, replaceText(t, check, "/usr/local/bin/playctl", playctl, "http://127.0.0.1:7420", b.URL))
	probe := exec.CommandContext(t.Context(), health[0], health[1:]...)
	probe.Env = env
	if out, err := probe.CombinedOutput(); err != nil {
		t.Errorf("the health check: %v\n%s", err, out)
	}
}

// instruction returns the arguments of the last such instruction of a Dockerfile.
func instruction(t *testing.T, file, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^`+name+` +(.*)$`).FindAllStringSubmatch(file, -1)
	if len(found) == 0 {
		t.Fatalf("the Dockerfile has no %s", name)
	}
	return found[len(found)-1][1]
}

func words(t *testing.T, array string) (result []string) {
	t.Helper()
	must(t, json.Unmarshal([]byte(array), &result))
	return result
}

// All sources of the binary are sent to the image's build.
func TestImageContainsItsSources(t *testing.T) {
	ignored := readText(t, "Dockerfile.dockerignore")
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", "../cmd/playctl").Output()
	must(t, err)
	for name := range strings.FieldsSeq(string(out)) {
		folder, _, _ := strings.Cut(strings.TrimPrefix(name, "github.com/playctl/playctl/"), "/")
		if !strings.Contains(ignored, "\n!"+folder+"\n") {
			t.Errorf("%s is left out by Dockerfile.dockerignore", name)
		}
	}
}

// workload is the part of a manifest with pods that tests read.
type workload struct {
	Kind string
	Spec struct {
		Replicas int
		Template struct {
			Spec struct {
				Containers []container
			}
		}
	}
}

type container struct {
	Args []string
	Env  []struct {
		Name, Value string
		ValueFrom   struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
}

// readWorkload finds the manifest of a kind in a file.
func readWorkload(t *testing.T, file, kind string) *workload {
	t.Helper()
	documents := yaml.NewDecoder(strings.NewReader(readText(t, file)))
	for {
		var found workload
		err := documents.Decode(&found)
		if errors.Is(err, io.EOF) {
			t.Fatalf("there is no %s in %s", kind, file)
		}
		must(t, err)
		if found.Kind == kind {
			return &found
		}
	}
}

// The pod's command serves with the pod's settings and a Secret created as described
// in the manifest.
func TestPodServes(t *testing.T) {
	folder := makeSecret(t)
	b := servePod(t, readWorkload(t, "kubernetes/playctl.yaml", "StatefulSet").Spec.Template.Spec.Containers[0], folder, nil)
	if !strings.HasPrefix(b.Store, folder) || !strings.HasPrefix(b.RootFile, folder) {
		t.Errorf("the pod writes %s and %s, outside its volumes", b.Store, b.RootFile)
	}
}

// makeSecret creates the files of a pod's Secret.
func makeSecret(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	made := exec.CommandContext(t.Context(), playctl, "create-root-key", "--root-file", filepath.Join(folder, "root"))
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("make a root key: %v\n%s", err, out)
	}
	must(t, os.WriteFile(filepath.Join(folder, "admin-token"), []byte(strings.Repeat("t", 40)+"\n"), 0o600))
	return folder
}

// servePod runs a pod's command with its settings; secrets are the values of the
// keys that its variables refer to.
func servePod(t *testing.T, c container, folder string, secrets map[string]string) banner {
	t.Helper()
	var env []string
	for _, v := range c.Env {
		value := strings.NewReplacer("/etc/playctl", folder, "/var/lib/playctl", folder, ":7421", "127.0.0.1:0").Replace(v.Value)
		if key := v.ValueFrom.SecretKeyRef.Key; key != "" {
			value = secrets[key]
		}
		env = append(env, v.Name+"="+value)
	}
	b := serve(t, env, append([]string{playctl}, c.Args...)...)
	if strings.HasPrefix(b.ReadyURL, b.URL) {
		t.Errorf("the pod shows its health to everybody, at %s", b.ReadyURL)
	}
	return b
}
