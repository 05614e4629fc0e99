package client

import (
	"errors"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

func TestNewRefusesInvalidAddresses(t *testing.T) {
	for _, text := range []string{
		"", "127.0.0.1:7420", "ftp://h", "http://", "http://:80", "/api", "http://h?x=1", "http://h#f", "http://[::1", "http://h:port",
	} {
		if _, err := New(Options{BaseURL: text}); !errors.Is(err, ErrBaseURL) {
			t.Errorf("New(%q) = %v, want ErrBaseURL", text, err)
		}
	}
	if _, err := New(Options{BaseURL: "http://h/play/watch"}); !errors.Is(err, creds.ErrServerPath) {
		t.Errorf("the address of a page: %v, want ErrServerPath", err)
	}
}

// A password in an address is a secret like any other: no error contains it, even
// if the address cannot be parsed.
func TestNewErrorsContainNoPassword(t *testing.T) {
	for _, text := range []string{"http://me:hunter2@h", "http://me:hunter2@h:port", "ftp://me:hunter2@h", "http://me:hunter2@[::1"} {
		_, err := New(Options{BaseURL: text})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("New(%q) = %v", text, err)
		}
	}
	if _, err := New(Options{BaseURL: "http://me@h"}); !errors.Is(err, ErrBaseURLUserinfo) {
		t.Errorf("a user name: %v, want ErrBaseURLUserinfo", err)
	}
}

func TestNewRefusesOtherInvalidOptions(t *testing.T) {
	if _, err := New(Options{BaseURL: "http://h", Service: "a/b"}); err == nil {
		t.Error("a service name with a slash is accepted")
	}
	if _, err := New(Options{BaseURL: "http://h", Credentials: Credentials{NodeID: "x"}}); err == nil {
		t.Error("an id without a hash is accepted")
	}
	if _, err := New(Options{BaseURL: "http://h", Credentials: Credentials{Hash: testHashValue(t)}}); err == nil {
		t.Error("a hash without an id is accepted")
	}
}

func TestExposed(t *testing.T) {
	for text, want := range map[string]bool{
		"http://127.0.0.1:7420": false, "http://localhost": false, "http://[::1]:1": false, "http://127.9.9.9": false,
		"https://example.com": false, "http://example.com": true, "http://192.0.2.1": true, "http://localhost.example.com": true,
	} {
		c, err := New(Options{BaseURL: text})
		if err != nil {
			t.Fatal(err)
		}
		if c.Exposed() != want {
			t.Errorf("%s: Exposed() = %v", text, !want)
		}
		c.Close()
	}
}

func TestPathsAreAppendedToBaseURL(t *testing.T) {
	c, err := New(Options{BaseURL: " https://example.com/worlds/one/ ", APIKey: protocol.NewSecret("k"), Service: "agent-play"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, want := c.url(c.Service().Session(), nil), "https://example.com/worlds/one/api/agent-play/session"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if c.Host() != "https://example.com" || c.BaseURL() != "https://example.com/worlds/one" {
		t.Errorf("Host %s, BaseURL %s", c.Host(), c.BaseURL())
	}
}
