package node

import (
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// A host accepts each of these names, even if the machine's name is not valid for a key.
func TestKeyNames(t *testing.T) {
	t.Parallel()
	for machine, want := range map[string]string{
		"mill.example.com":      "mill.example.com",
		"Ada's mill":            "Ada-s-mill",
		"小明":                    "machine",
		"小明-2":                  "2",
		"":                      "machine",
		"default":               "machine",
		strings.Repeat("a", 70): strings.Repeat("a", 64),
	} {
		if got := keyName(machine); got != want {
			t.Errorf("the key of the machine %q is called %q, want %q", machine, got, want)
		}
	}
}

// The credentials file accepts the context name of every host.
func TestContextNamesOfHosts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	file := creds.NewFile()
	taken, err := creds.NewContext(command.DefaultContext, "https://play.example.com", protocol.ServicePlay, now)
	if err != nil {
		t.Fatal(err)
	}
	taken.Main = &creds.MainNode{NodeID: strings.Repeat("a", 64), PasswHash: creds.HashPhrase("a phrase"), CreatedAt: now}
	if err := file.Put(taken); err != nil {
		t.Fatal(err)
	}
	for server, want := range map[string]string{
		"https://other.example.com": "other.example.com",
		"http://127.0.0.1:7420":     "127.0.0.1-7420",
		"http://[::1]:7420":         "1-7420",
		"https://пример.рф":         "host",
		"https://пример.рф:8443":    "8443",
	} {
		made := &accountPlace{}
		err := made.find(t.Context(), &command.App{Program: &command.Program{Now: time.Now}}, file, "", server, protocol.ServicePlay, false)
		if err != nil || made.Name != want {
			t.Errorf("the context of %s is %+v with %v, want the name %q", server, made, err, want)
		}
	}
}
