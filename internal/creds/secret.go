package creds

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// redacted is what every secret prints as.
const redacted = "[redacted]"

// errSecretMarshal is returned when an encoder meets a secret: writing
// "[redacted]" to a wire or a file would lose the value without a word, writing
// the value would leak it.
var errSecretMarshal = errors.New("creds: a secret is never marshalled by itself: put the result of Reveal into the field that is meant to carry it")

// secret is the shared body of Secret and PasswHash. The text sits behind a
// handle because fmt prints the unexported fields of a struct without calling
// their methods: it then shows an address and not the text. Handles of equal
// texts are equal, so both types stay comparable.
type secret struct {
	handle unique.Handle[string]
}

func newSecret(text string) secret {
	if text == "" {
		return secret{}
	}
	return secret{handle: unique.Make(text)}
}

// Reveal returns the text itself, "" for the zero value.
func (s secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.handle.Value()
}

// IsZero reports whether there is no text.
func (s secret) IsZero() bool { return s == secret{} }

// String returns a fixed placeholder.
func (s secret) String() string { return redacted }

// GoString returns a fixed placeholder.
func (s secret) GoString() string { return redacted }

// Format writes a fixed placeholder for every verb, %x and %q included.
func (s secret) Format(state fmt.State, _ rune) {
	// A fmt.State has nowhere to report a failed write to.
	_, _ = io.WriteString(state, redacted)
}

// LogValue returns a fixed placeholder.
func (s secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText always fails, so that encoders stop instead of leaking.
func (s secret) MarshalText() ([]byte, error) { return nil, errSecretMarshal }

// Secret is a text that must not be printed by accident: a phrase, an API key
// or a token. The zero value is "none". Secrets with equal texts are equal.
type Secret struct {
	secret
}

// NewSecret wraps text; "" gives the zero Secret.
func NewSecret(text string) Secret { return Secret{newSecret(text)} }
