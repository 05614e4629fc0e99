package creds

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

var sampleTime = time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)

// sampleID returns a text of the form of a node id.
func sampleID(name string) string {
	sum := sha256.Sum256([]byte("the id of " + name))
	return hex.EncodeToString(sum[:])
}

func sampleContext(t testing.TB, name string) *Context {
	t.Helper()
	c, err := NewContext(name, "http://localhost:7420", protocol.ServicePlay, sampleTime)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sampleAgent(name, label string) Agent {
	return Agent{NodeID: sampleID(name), Label: label, PasswHash: HashPhrase(name), CreatedAt: sampleTime}
}

// fullFile returns a file with every possible entry.
func fullFile(t testing.TB) *File {
	t.Helper()
	f := NewFile()
	local, remote := sampleContext(t, "local"), sampleContext(t, "remote")
	remote.ServerURL, remote.Service = "https://play.example.com/base", protocol.ServiceAgentPlay
	local.Main = &MainNode{
		NodeID: sampleID("main"), PasswHash: HashPhrase("main phrase"), Phrase: protocol.NewSecret("main phrase"),
		APIKey: protocol.NewSecret("pk_key"), CreatedAt: sampleTime,
	}
	kept := sampleAgent("kept phrase", "barista")
	kept.Phrase = protocol.NewSecret("kept phrase")
	for _, a := range []Agent{kept, sampleAgent("second", "Зоя 2"), sampleAgent("third", "")} {
		if err := local.AddAgent(a); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*Context{local, remote} {
		if err := f.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	return f
}
