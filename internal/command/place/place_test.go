package place

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/store/redis"
)

// The page for operators has exactly the rules that a test of the store checks.
func TestDocsContainRules(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/redis.md")
	if err != nil {
		t.Fatal(err)
	}
	one, many := redis.Rules("default", false), redis.Rules("default", true)
	for _, rules := range [][]string{one, many[len(one):]} {
		if text := strings.Join(rules, " "); !strings.Contains(string(page), text) {
			t.Errorf("docs/redis.md lacks:\n%s", text)
		}
	}
}

// "config show" prints no password of an address, even if a part of the address is
// missing.
func TestSecretURLHidesPasswords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "",
		"redis://redis:6379/1":             "redis://redis:6379/1",
		"redis://user:secret@redis:6379/1": "redis://user:xxxxx@redis:6379/1",
		"redis+unix://:secret@/run/r.sock": "redis+unix://:xxxxx@/run/r.sock",
		"redis+unix:///run/r.sock":         "redis+unix:///run/r.sock",
		"user:secret@redis:6379":           "(not a URL)",
		"redis:user:secret@redis:6379":     "(not a URL)",
		"redis:/user:secret@redis:6379":    "(not a URL)",
		"redis://user:secret@redis:x":      "(not a URL)",
	} {
		if got := (&SecretURL{Text: text}).String(); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// A world that changed, or was trimmed, while it was read is read again, a few times.
func TestWhileItStandsRetriesRead(t *testing.T) {
	t.Parallel()
	j := memory.Open(store.DefaultRetention())
	reads := 0
	err := WhileItStands(t.Context(), j, func() error {
		if reads++; reads < AttemptsToRead {
			return []error{store.ErrTrimmed, store.ErrConflict}[reads%2]
		}
		return nil
	})
	if err != nil || reads != AttemptsToRead {
		t.Errorf("after %d reads: %v", reads, err)
	}
	reads = 0
	err = WhileItStands(t.Context(), j, func() error { reads++; return store.ErrTrimmed })
	if !errors.Is(err, store.ErrConflict) || reads != AttemptsToRead {
		t.Errorf("after %d reads: %v, want %v", reads, err, store.ErrConflict)
	}
}
