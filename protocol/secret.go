package protocol

import "log/slog"

// Secret is a text that proves something: a passwHash, an API key, a phrase, a
// token. It travels as the plain text, but prints and logs as a placeholder, so
// that a request can be printed without giving it away.
type Secret string

const redacted = "[secret]"

// String hides the secret from fmt.
func (Secret) String() string { return redacted }

// GoString hides the secret from fmt's %#v.
func (Secret) GoString() string { return redacted }

// LogValue hides the secret from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// Reveal gives the text itself.
func (s Secret) Reveal() string { return string(s) }
