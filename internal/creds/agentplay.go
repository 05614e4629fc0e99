package creds

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/playctl/playctl/protocol"
)

// agentPlayJSON is the credentials file of the agent-play service's own command
// line. passw is the phrase, in clear text. Service, RootKey, Fingerprint, APIKey
// and Label are additions of playctl if they are set; that command line ignores
// them.
type agentPlayJSON struct {
	ServerURL serverField  `json:"serverUrl"`
	NodeID    nodeIDField  `json:"nodeId"`
	Passw     phraseField  `json:"passw"`
	Service   serviceField `json:"service,omitzero"`
	RootKey   string       `json:"rootKey,omitzero"`
	// Fingerprint is the fingerprint of the trusted certificate.
	Fingerprint string               `json:"certificateFingerprint,omitzero"`
	APIKey      keyField             `json:"apiKey,omitzero"`
	Agents      []agentPlayAgentJSON `json:"agentNodes,omitempty"`
}

type agentPlayAgentJSON struct {
	NodeID    nodeIDField `json:"nodeId"`
	Passw     phraseField `json:"passw"`
	Label     string      `json:"label,omitzero"`
	CreatedAt timeField   `json:"createdAt,omitzero"`
}

// importedLabel returns the label of an imported agent without one.
func importedLabel(i int) string { return fmt.Sprintf("agent-%d", i+1) }

// ImportOptions are the options for the import of an agent-play credentials file.
type ImportOptions struct {
	// Name is the name of the context.
	Name string
	// KeepPhrases keeps the phrases beside their hashes. Without it they are dropped,
	// and an export is not possible.
	KeepPhrases bool
	// Service is the host's; "" for the service in the file, else the agent-play
	// service.
	Service protocol.Service
	// Now is the creation time of a context or node without one.
	Now time.Time
}

// ParseImport returns the context of a credentials file: either playctl's own, from
// which it takes the context of that name, else the one in use, or one of the
// agent-play service. path is only for the *FileError.
func ParseImport(path string, data []byte, opts ImportOptions) (*Context, error) {
	var head struct {
		Contexts jsontext.Value `json:"contexts"`
	}
	if err := decodeJSON(path, data, &head); err != nil || len(head.Contexts) == 0 {
		return ParseAgentPlay(path, data, opts)
	}
	file, err := ParseFile(path, data)
	if err != nil {
		return nil, err
	}
	c, err := file.Context(opts.Name)
	if err != nil {
		if c, err = file.Select(""); err != nil {
			return nil, &FileError{Path: path, Problem: err.Error(), Err: err}
		}
		c.Name = opts.Name
	}
	c.Service = cmp.Or(opts.Service, c.Service)
	if c.Main == nil {
		return nil, &FileError{Path: path, Problem: fmt.Sprintf("its context %q has no main node", c.Name), Err: ErrNoMainNode}
	}
	if !opts.KeepPhrases {
		c.Main.Phrase = protocol.Secret{}
		for i := range c.agents {
			c.agents[i].Phrase = protocol.Secret{}
		}
	}
	return c, nil
}

// ParseAgentPlay returns a context from the agent-play service's credentials file:
// its phrases are hashed, agents without a label get agent-1, agent-2 and so on.
// path is only for the *FileError.
func ParseAgentPlay(path string, data []byte, opts ImportOptions) (*Context, error) {
	var doc agentPlayJSON
	if err := decodeJSON(path, data, &doc); err != nil {
		return nil, err
	}
	if missing := doc.missing(); missing != "" {
		return nil, &FileError{Path: path, Problem: missing + " is missing, so it is not a credentials file of the agent-play service"}
	}
	c, err := NewContext(opts.Name, string(doc.ServerURL), cmp.Or(opts.Service, protocol.Service(doc.Service), protocol.ServiceAgentPlay), opts.Now)
	if err != nil {
		return nil, err
	}
	c.RootKey, c.Fingerprint = doc.RootKey, doc.Fingerprint
	hash, kept := opts.split(doc.Passw)
	c.Main = &MainNode{NodeID: string(doc.NodeID), PasswHash: hash, APIKey: protocol.Secret(doc.APIKey), Phrase: kept, CreatedAt: opts.Now}
	for i, a := range doc.Agents {
		hash, kept := opts.split(a.Passw)
		agent := Agent{
			NodeID: string(a.NodeID), Label: cmp.Or(a.Label, importedLabel(i)),
			PasswHash: hash, Phrase: kept, CreatedAt: cmp.Or(time.Time(a.CreatedAt), opts.Now),
		}
		if err := c.AddAgent(agent); err != nil {
			return nil, &FileError{Path: path, Problem: err.Error(), Err: err}
		}
	}
	return c, nil
}

func (o ImportOptions) split(passw phraseField) (PasswHash, protocol.Secret) {
	phrase := protocol.Secret(passw)
	hash := HashPhrase(phrase.Reveal())
	if !o.KeepPhrases {
		return hash, protocol.Secret{}
	}
	return hash, phrase
}

// missing returns the name of the first required member that is missing.
func (doc agentPlayJSON) missing() string {
	switch {
	case doc.ServerURL == "":
		return "serverUrl"
	case doc.NodeID == "":
		return "nodeId"
	case doc.Passw.IsZero():
		return "passw"
	}
	for i, a := range doc.Agents {
		switch {
		case a.NodeID == "":
			return fmt.Sprintf("agentNodes.%d.nodeId", i)
		case a.Passw.IsZero():
			return fmt.Sprintf("agentNodes.%d.passw", i)
		}
	}
	return ""
}

// ErrNoMainNode is returned for a context that has no main node yet.
var ErrNoMainNode = errors.New("this context has no main node: \"playctl create-main-node\" creates one")

// ExportAgentPlay returns the context as a credentials file of the agent-play
// service. It has phrases in clear text: write it with WriteSecretFile. The error
// is ErrNoMainNode, or names every node whose phrase was not kept: a phrase cannot
// be computed from its hash.
func ExportAgentPlay(c *Context) ([]byte, error) {
	if c.Main == nil {
		return nil, fmt.Errorf("context %q: %w", c.Name, ErrNoMainNode)
	}
	doc := agentPlayJSON{
		ServerURL: serverField(c.ServerURL), NodeID: nodeIDField(c.Main.NodeID), Passw: phraseField(c.Main.Phrase),
		RootKey: c.RootKey, Fingerprint: c.Fingerprint, APIKey: keyField(c.Main.APIKey),
	}
	if c.Service != protocol.ServiceAgentPlay {
		doc.Service = serviceField(c.Service)
	}
	var missing []string
	if c.Main.Phrase.IsZero() {
		missing = append(missing, "the main node")
	}
	for i, a := range c.agents {
		if a.Phrase.IsZero() {
			missing = append(missing, a.name())
		}
		label := a.Label
		if label == importedLabel(i) {
			label = ""
		}
		doc.Agents = append(doc.Agents, agentPlayAgentJSON{
			NodeID: nodeIDField(a.NodeID), Passw: phraseField(a.Phrase), Label: label, CreatedAt: timeField(a.CreatedAt),
		})
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("context %q cannot be exported: the agent-play file holds phrases, and none was kept for %s; only nodes created or imported with --keep-phrase can be exported",
			c.Name, strings.Join(missing, ", "))
	}
	data, err := json.Marshal(doc, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("encode the agent-play credentials: %w", err)
	}
	return append(data, '\n'), nil
}
