package creds

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCredentialsPath(t *testing.T) {
	p := newDirectories(t)
	config := t.TempDir()
	absolute := filepath.Join(t.TempDir(), "c.json")
	for _, c := range []struct {
		name, file, xdg, want string
	}{
		{"default", "", "", filepath.Join(p.env.Home, ".config", "playctl", "credentials.json")},
		{"XDG", "", config, filepath.Join(config, "playctl", "credentials.json")},
		{"relative XDG is ignored", "", "config", filepath.Join(p.env.Home, ".config", "playctl", "credentials.json")},
		{"named", absolute, config, absolute},
		{"named, relative", "c.json", config, filepath.Join(p.env.Dir, "c.json")},
	} {
		p.vars[EnvCredentialsFile], p.vars["XDG_CONFIG_HOME"] = c.file, c.xdg
		if got, err := p.env.CredentialsPath(); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
	}
	if got, err := (Environment{}).CredentialsPath(); err == nil || !strings.Contains(err.Error(), EnvCredentialsFile) {
		t.Errorf("without a home folder: %q, %v", got, err)
	}
	if got, err := (Environment{}).DefaultRootFile(); err == nil || !strings.Contains(err.Error(), EnvRootFile) {
		t.Errorf("root file without a home folder: %q, %v", got, err)
	}
}
