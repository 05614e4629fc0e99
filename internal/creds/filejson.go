package creds

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/playctl/playctl/protocol"
)

// fileVersion is the version of the credentials file that this package writes.
const fileVersion = 1

// ErrNewerFile is returned for a credentials file that a later playctl wrote.
var ErrNewerFile = errors.New("the credentials file has a newer version")

// The types below are the JSON of the file. Their extra members keep the members
// that another program, or a later playctl of the same version, has added.
type (
	fileJSON struct {
		Version  int                    `json:"version"`
		Current  string                 `json:"currentContext,omitzero"`
		Contexts map[string]contextJSON `json:"contexts"`
		Pending  []pendingJSON          `json:"pending,omitzero"`
		Extra    jsontext.Value         `json:",embed"`
	}
	contextJSON struct {
		ServerURL serverField  `json:"serverUrl"`
		Service   serviceField `json:"service"`
		RootKey   string       `json:"rootKey,omitzero"`
		// Fingerprint is the fingerprint of the trusted certificate.
		Fingerprint string    `json:"certificateFingerprint,omitzero"`
		CreatedAt   timeField `json:"createdAt,omitzero"`
		// APIKey is set if there is no main node.
		APIKey keyField       `json:"apiKey,omitzero"`
		Main   *mainNodeJSON  `json:"mainNode,omitzero"`
		Agents []agentJSON    `json:"agents,omitzero"`
		Extra  jsontext.Value `json:",embed"`
	}
	mainNodeJSON struct {
		NodeID    nodeIDField    `json:"nodeId"`
		PasswHash hashField      `json:"passwHash"`
		APIKey    keyField       `json:"apiKey,omitzero"`
		KeyName   string         `json:"apiKeyName,omitzero"`
		Phrase    phraseField    `json:"phrase,omitzero"`
		CreatedAt timeField      `json:"createdAt,omitzero"`
		Extra     jsontext.Value `json:",embed"`
	}
	agentJSON struct {
		NodeID    nodeIDField    `json:"nodeId"`
		Label     string         `json:"label,omitzero"`
		PasswHash hashField      `json:"passwHash"`
		Phrase    phraseField    `json:"phrase,omitzero"`
		CreatedAt timeField      `json:"createdAt,omitzero"`
		Extra     jsontext.Value `json:",embed"`
	}
)

// ParseFile reads the content of a credentials file. path is only for the
// *FileError, which names line and column where it can. A file of a newer
// version is refused with ErrNewerFile.
func ParseFile(path string, data []byte) (*File, error) {
	if err := checkVersion(path, data); err != nil {
		return nil, err
	}
	var doc fileJSON
	if err := decodeJSON(path, data, &doc); err != nil {
		return nil, err
	}
	f := NewFile()
	f.current, f.extra = doc.Current, doc.Extra
	for name, c := range doc.Contexts {
		f.contexts[name] = c.context(name)
	}
	for _, p := range doc.Pending {
		f.pending = append(f.pending, Pending{Context: p.Node.context(p.Context), Owner: p.Owner, Use: p.Use})
	}
	if err := f.check(); err != nil {
		return nil, &FileError{Path: path, Problem: err.Error(), Err: err}
	}
	return f, nil
}

// checkVersion checks only the version, because the rest of a newer file may have
// another structure.
func checkVersion(path string, data []byte) error {
	var head struct {
		Version *int `json:"version"`
	}
	if err := decodeJSON(path, data, &head); err != nil {
		return err
	}
	switch {
	case head.Version == nil:
		return &FileError{Path: path, Problem: `it has no "version", so it is not a credentials file of playctl; "playctl credentials import" reads the agent-play service's`}
	case *head.Version > fileVersion:
		return &FileError{Path: path, Err: ErrNewerFile,
			Problem: fmt.Sprintf("a newer playctl wrote it (version %d, this one knows %d): upgrade playctl, or use another file with %s", *head.Version, fileVersion, EnvCredentialsFile)}
	case *head.Version < fileVersion:
		return &FileError{Path: path, Problem: fmt.Sprintf("its version is %d, but versions start at %d", *head.Version, fileVersion)}
	}
	return nil
}

// encode returns the file as indented JSON with a final line break, the same
// bytes for the same content.
func (f *File) encode() ([]byte, error) {
	doc := fileJSON{Version: fileVersion, Current: f.current, Contexts: map[string]contextJSON{}, Extra: f.extra}
	for name, c := range f.contexts {
		doc.Contexts[name] = contextToJSON(c)
	}
	for _, p := range f.pending {
		doc.Pending = append(doc.Pending, pendingJSON{Context: p.Context.Name, Owner: p.Owner, Use: p.Use, Node: contextToJSON(p.Context)})
	}
	data, err := json.Marshal(doc, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("encode the credentials file: %w", err)
	}
	return append(data, '\n'), nil
}

func contextToJSON(c *Context) contextJSON {
	doc := contextJSON{
		ServerURL: serverField(c.ServerURL), Service: serviceField(c.Service), RootKey: c.RootKey,
		Fingerprint: c.Fingerprint, APIKey: keyField(c.APIKey), CreatedAt: timeField(c.CreatedAt), Extra: c.extra,
	}
	if m := c.Main; m != nil {
		doc.Main = &mainNodeJSON{
			NodeID: nodeIDField(m.NodeID), PasswHash: hashField(m.PasswHash), APIKey: keyField(m.APIKey), KeyName: m.KeyName,
			Phrase: phraseField(m.Phrase), CreatedAt: timeField(m.CreatedAt), Extra: m.extra,
		}
	}
	for _, a := range c.agents {
		doc.Agents = append(doc.Agents, agentJSON{
			NodeID: nodeIDField(a.NodeID), Label: a.Label, PasswHash: hashField(a.PasswHash),
			Phrase: phraseField(a.Phrase), CreatedAt: timeField(a.CreatedAt), Extra: a.extra,
		})
	}
	return doc
}

func (doc contextJSON) context(name string) *Context {
	c := &Context{
		Name: name, ServerURL: string(doc.ServerURL), Service: protocol.Service(doc.Service), RootKey: doc.RootKey,
		Fingerprint: doc.Fingerprint, APIKey: protocol.Secret(doc.APIKey), CreatedAt: time.Time(doc.CreatedAt), extra: doc.Extra,
	}
	if m := doc.Main; m != nil {
		c.Main = &MainNode{
			NodeID: string(m.NodeID), PasswHash: PasswHash(m.PasswHash), APIKey: protocol.Secret(m.APIKey), KeyName: m.KeyName,
			Phrase: protocol.Secret(m.Phrase), CreatedAt: time.Time(m.CreatedAt), extra: m.Extra,
		}
	}
	for _, a := range doc.Agents {
		c.agents = append(c.agents, Agent{
			NodeID: string(a.NodeID), Label: a.Label, PasswHash: PasswHash(a.PasswHash),
			Phrase: protocol.Secret(a.Phrase), CreatedAt: time.Time(a.CreatedAt), extra: a.Extra,
		})
	}
	return c
}

// The types below are single values of the credentials file. They are checked while
// they are read, so that every error has its line and column.

// setField sets a field to a valid value; for an invalid one it returns what the
// field must be.
func setField[F any](f *F, value F, valid bool, must fieldError) error {
	if !valid {
		return must
	}
	*f = value
	return nil
}

// nodeIDField is a derived id.
type nodeIDField string

func (f *nodeIDField) UnmarshalText(text []byte) error {
	return setField(f, nodeIDField(text), protocol.ValidHex64(string(text)), "must be a node id: exactly 64 lower-case hex digits")
}

// hashField is a PasswHash in a form that can be written.
type hashField PasswHash

func (f hashField) MarshalText() ([]byte, error) { return []byte(f.Reveal()), nil }

func (f *hashField) UnmarshalText(text []byte) error {
	hash, err := ParsePasswHash(string(text))
	return setField(f, hashField(hash), err == nil, "must be a passwHash: exactly 64 lower-case hex digits")
}

// timeField is a time of the protocol; reading accepts any RFC 3339 time.
type timeField time.Time

func (f timeField) IsZero() bool { return time.Time(f).IsZero() }

func (f timeField) MarshalText() ([]byte, error) {
	return []byte(protocol.FormatTime(time.Time(f))), nil
}

func (f *timeField) UnmarshalText(text []byte) error {
	at, err := protocol.ParseTime(string(text))
	// In UTC a time near the ends can have a year that RFC 3339 cannot write.
	return setField(f, timeField(at), err == nil && at.Year() >= 0 && at.Year() <= 9999, "must be a time like 2026-01-02T03:04:05.678Z")
}

// serverField is the base URL of a host.
type serverField string

func (f *serverField) UnmarshalText(text []byte) error {
	base, _, err := parseBaseURL(string(text))
	return setField(f, serverField(base), err == nil, "must be an http or https URL without user, query or fragment")
}

// serviceField is a service name.
type serviceField string

func (f *serviceField) UnmarshalText(text []byte) error {
	service, err := ParseService(string(text))
	return setField(f, serviceField(service), err == nil, `must be "play" or "agent-play"`)
}

// phraseField is a phrase in clear text.
type phraseField protocol.Secret

func (f phraseField) MarshalText() ([]byte, error) { return []byte(protocol.Secret(f).Reveal()), nil }

// IsZero reports whether there is no phrase.
func (f phraseField) IsZero() bool { return protocol.Secret(f).IsZero() }

func (f *phraseField) UnmarshalText(text []byte) error {
	phrase, err := ParsePhrase(string(text))
	return setField(f, phraseField(phrase), err == nil, "must be a phrase of at least one word")
}

// keyField is an API key in clear text.
type keyField protocol.Secret

func (f keyField) MarshalText() ([]byte, error) { return []byte(protocol.Secret(f).Reveal()), nil }

// IsZero reports whether there is no key.
func (f keyField) IsZero() bool { return protocol.Secret(f).IsZero() }

func (f *keyField) UnmarshalText(text []byte) error {
	key := protocol.NewSecret(string(text))
	return setField(f, keyField(key), FitsHeader(string(text)),
		`must be an API key without control characters: correct it, or delete the field and run "playctl create-api-key"`)
}
