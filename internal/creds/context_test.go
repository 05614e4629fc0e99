package creds

import (
	"errors"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func TestParseServerURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:7420":                           "http://localhost:7420",
		" https://play.example.com/":                      "https://play.example.com",
		"http://[::1]:7420/base//":                        "http://[::1]:7420/base",
		"http://api/watch":                                "http://api/watch",
		"localhost:7420":                                  "http://localhost:7420",
		"[::1]:7420/base":                                 "http://[::1]:7420/base",
		"play.example.com":                                "https://play.example.com",
		"192.0.2.5:7420/":                                 "https://192.0.2.5:7420",
		"http://a/play/watch":                             "http://a",
		"a.example/below/agent-play/watch/?x=1#token=y":   "https://a.example/below",
		"http://a/events/api":                             "http://a/events/api",
		"http://a/" + strings.Repeat("b", maxServerURL-9): "http://a/" + strings.Repeat("b", maxServerURL-9),
	} {
		if got, err := ParseServerURL(in); err != nil || got != want {
			t.Errorf("ParseServerURL(%q) = %q, %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", "ada", "world.txt/a b", "ftp://a", "http://", "http://:80", "/play", "http://a?b=c", "http://a?", "http://a#b", "http://a#",
		"http://me:hunter2@a", "me:hunter2@a.example", "http://a b", "http://a/b c", "http://a\\b", "http://a/\xff", "http://a:port",
		"http://a/" + strings.Repeat("b", maxServerURL-8),
	} {
		got, err := ParseServerURL(in)
		if !errors.Is(err, ErrServerURL) || got != "" {
			t.Errorf("ParseServerURL(%q) = %q, %v", in, got, err)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Error("the error quotes a password")
		}
	}
	for _, in := range []string{
		"http://a/other/watch", "http://a/api/play", "http://a/api/play/events", "http://a/api/agents",
	} {
		if got, err := ParseServerURL(in); !errors.Is(err, ErrServerPath) || got != "" {
			t.Errorf("ParseServerURL(%q) = %q, %v, want ErrServerPath", in, got, err)
		}
	}
}

func FuzzParseServerURL(f *testing.F) {
	for _, seed := range []string{"http://localhost:7420/", "https://[::1]/ /", "http://a@b", "http://a//", "HTTP://A"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		base, err := ParseServerURL(text)
		if err != nil {
			return
		}
		if again, err := ParseServerURL(base); err != nil || again != base {
			t.Fatalf("%q became %q, which becomes %q, %v", text, base, again, err)
		}
	})
}

func TestNewContextErrors(t *testing.T) {
	for name, c := range map[string]struct {
		name, url string
		service   protocol.Service
		want      error
	}{
		"empty name":      {"", "http://a", protocol.ServicePlay, ErrContextName},
		"a path":          {"../a", "http://a", protocol.ServicePlay, ErrContextName},
		"a long name":     {strings.Repeat("a", 65), "http://a", protocol.ServicePlay, ErrContextName},
		"an option":       {"-a", "http://a", protocol.ServicePlay, ErrContextName},
		"a line break":    {"a\n", "http://a", protocol.ServicePlay, ErrContextName},
		"no URL":          {"a", "", protocol.ServicePlay, ErrServerURL},
		"no service":      {"a", "http://a", "", ErrService},
		"unknown service": {"a", "http://a", "Play", ErrService},
		"valid":           {"a.b-c_9", "http://a", protocol.ServiceAgentPlay, nil},
	} {
		if _, err := NewContext(c.name, c.url, c.service, sampleTime); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestContextChecksMainNode(t *testing.T) {
	good := MainNode{NodeID: sampleID("main"), PasswHash: HashPhrase("main")}
	for name, c := range map[string]struct {
		change func(*MainNode)
		want   error
	}{
		"good":           {func(*MainNode) {}, nil},
		"upper-case id":  {func(m *MainNode) { m.NodeID = strings.ToUpper(m.NodeID) }, ErrNodeID},
		"no id":          {func(m *MainNode) { m.NodeID = "" }, ErrNodeID},
		"no hash":        {func(m *MainNode) { m.PasswHash = PasswHash{} }, ErrPasswHash},
		"another phrase": {func(m *MainNode) { m.Phrase = protocol.NewSecret("other") }, ErrPhraseMismatch},
		"multi-line key": {func(m *MainNode) { m.APIKey = protocol.NewSecret("pk_a\nb") }, ErrAPIKey},
		"its own phrase": {func(m *MainNode) { m.Phrase = protocol.NewSecret("main") }, nil},
	} {
		ctx, node := sampleContext(t, "a"), good
		c.change(&node)
		ctx.Main = &node
		if err := NewFile().Add(ctx); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
