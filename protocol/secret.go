package protocol

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Redacted is the placeholder that every secret prints as.
const Redacted = "[redacted]"

// ErrSecretMarshal is returned when an encoder meets a Secret: writing a
// placeholder to a wire or a file would silently lose the value, writing the value
// would leak it.
var ErrSecretMarshal = errors.New("a secret is not encoded: use the result of Secret.Wire in the field that is meant to carry it")

// Secret is a text that proves something: a phrase, a passwHash, an API key, a
// token. It prints and logs as a placeholder, even inside a struct, and no encoder
// writes it. The zero Secret means "none". Equal compares two.
type Secret struct {
	// _ keeps == from comparing addresses.
	_ [0]func()
	// The text is behind a pointer because fmt prints the unexported fields of a
	// struct without calling their methods: it then shows an address.
	text *string
}

// NewSecret wraps text; "" gives the zero Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal returns the text itself, "" for the zero Secret.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return *s.text
}

// Equal reports whether both have the same text. Its time depends only on the lengths.
func (s Secret) Equal(other Secret) bool {
	return s.IsZero() == other.IsZero() && subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// IsZero reports whether there is no text.
func (s Secret) IsZero() bool { return s.text == nil }

// Wire returns the secret for a field that carries it to another side.
func (s Secret) Wire() WireSecret { return WireSecret{s} }

// String returns the placeholder.
func (s Secret) String() string { return Redacted }

// GoString returns the placeholder.
func (s Secret) GoString() string { return Redacted }

// Format writes the placeholder for every verb, %x and %q included.
func (s Secret) Format(state fmt.State, _ rune) {
	// A fmt.State cannot report a failed write.
	_, _ = io.WriteString(state, Redacted)
}

// LogValue returns the placeholder.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText always fails with ErrSecretMarshal.
func (s Secret) MarshalText() ([]byte, error) { return nil, ErrSecretMarshal }

// WireSecret is a Secret in a field of a request, a reply or a file that is
// meant to carry it: it is encoded as the plain text, and prints and logs as a
// placeholder like every other secret.
type WireSecret struct{ Secret }

// MarshalText returns the plain text.
func (s WireSecret) MarshalText() ([]byte, error) { return []byte(s.Reveal()), nil }

// UnmarshalText takes the plain text.
func (s *WireSecret) UnmarshalText(text []byte) error {
	s.Secret = NewSecret(string(text))
	return nil
}
