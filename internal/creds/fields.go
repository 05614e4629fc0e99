package creds

import "time"

// timeLayout is the protocol's form of a time: RFC 3339 in UTC with
// milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// The types below are single values of the credentials file. Checking them as
// they are read gives every complaint its line and column.

// nodeIDField is a derived id.
type nodeIDField string

func (f *nodeIDField) UnmarshalText(text []byte) error {
	if !IsNodeID(string(text)) {
		return fieldError("must be a node id: exactly 64 lower-case hex digits")
	}
	*f = nodeIDField(text)
	return nil
}

// hashField is a PasswHash that is meant to be written.
type hashField PasswHash

func (f hashField) MarshalText() ([]byte, error) { return []byte(f.Reveal()), nil }

func (f *hashField) UnmarshalText(text []byte) error {
	hash, err := ParsePasswHash(string(text))
	if err != nil {
		return fieldError("must be a passwHash: exactly 64 lower-case hex digits")
	}
	*f = hashField(hash)
	return nil
}

// secretField is a Secret that is meant to be written.
type secretField Secret

func (f secretField) MarshalText() ([]byte, error) { return []byte(f.Reveal()), nil }

func (f *secretField) UnmarshalText(text []byte) error {
	*f = secretField(NewSecret(string(text)))
	return nil
}

// timeField is a time of the protocol; reading takes any RFC 3339 time.
type timeField time.Time

func (f timeField) IsZero() bool { return time.Time(f).IsZero() }

func (f timeField) MarshalText() ([]byte, error) {
	return []byte(formatTime(time.Time(f))), nil
}

func (f *timeField) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.RFC3339, string(text))
	at = at.UTC()
	// In UTC a time near the ends can have a year that RFC 3339 cannot write.
	if err != nil || at.Year() < 0 || at.Year() > 9999 {
		return fieldError("must be a time like 2026-01-02T03:04:05.678Z")
	}
	*f = timeField(at)
	return nil
}

func formatTime(at time.Time) string { return at.UTC().Format(timeLayout) }

// serverField is the base URL of a host.
type serverField string

func (f *serverField) UnmarshalText(text []byte) error {
	base, err := ParseServerURL(string(text))
	if err != nil {
		return fieldError("must be an http or https URL without user, query or fragment")
	}
	*f = serverField(base)
	return nil
}

// serviceField is a service name.
type serviceField string

func (f *serviceField) UnmarshalText(text []byte) error {
	service, err := ParseService(string(text))
	if err != nil {
		return fieldError(`must be "play" or "agent-play"`)
	}
	*f = serviceField(service)
	return nil
}

// phraseField is a phrase in clear.
type phraseField Secret

func (f phraseField) MarshalText() ([]byte, error) { return []byte(f.Reveal()), nil }

func (f *phraseField) UnmarshalText(text []byte) error {
	phrase, err := ParsePhrase(string(text))
	if err != nil {
		return fieldError("must be a phrase of at least one word")
	}
	*f = phraseField(phrase)
	return nil
}
