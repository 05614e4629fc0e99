package sdk

import (
	"errors"
	"fmt"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// NodeCredentials identify and authenticate a node: its id, and
// either its phrase or the phrase's hash.
type NodeCredentials struct {
	// NodeID is the node's id. If it is empty it is derived from RootKey, which
	// takes about 0.2 s and 64 MiB.
	NodeID string
	// RootKey is the host's root key; needed only if NodeID is empty.
	RootKey string
	// Phrase is the phrase that a person keeps. It is hashed locally and never sent.
	Phrase protocol.Secret
	// PasswHash is the hash of the phrase: 64 lower-case hex digits.
	PasswHash protocol.Secret
}

// ErrCredentials is matched by errors about credentials that are incomplete.
var ErrCredentials = errors.New("node credentials are incomplete")

// resolve returns the id and the hash.
func (n *NodeCredentials) resolve() (client.Credentials, error) {
	var none client.Credentials
	hash, err := n.hash()
	if err != nil {
		return none, err
	}
	id := protocol.NormalizeNodeID(n.NodeID)
	if id == "" {
		if n.RootKey == "" {
			return none, fmt.Errorf("%w: set NodeID, or RootKey to derive it from", ErrCredentials)
		}
		if id, err = creds.DeriveNodeID(hash, n.RootKey); err != nil {
			return none, fmt.Errorf("derive a node id: %w", err)
		}
	}
	return client.Credentials{NodeID: id, Hash: hash}, nil
}

func (n *NodeCredentials) hash() (creds.PasswHash, error) {
	switch {
	case !n.Phrase.IsZero() && !n.PasswHash.IsZero():
		return creds.PasswHash{}, fmt.Errorf("%w: set Phrase or PasswHash, not both", ErrCredentials)
	case !n.Phrase.IsZero():
		return hashOf(n.Phrase.Reveal())
	case !n.PasswHash.IsZero():
		hash, err := creds.ParsePasswHash(n.PasswHash.Reveal())
		if err != nil {
			return creds.PasswHash{}, fmt.Errorf("%w: %w", ErrCredentials, err)
		}
		return hash, nil
	}
	return creds.PasswHash{}, fmt.Errorf("%w: set Phrase or PasswHash", ErrCredentials)
}

func hashOf(phrase string) (creds.PasswHash, error) {
	parsed, err := creds.ParsePhrase(phrase)
	if err != nil {
		return creds.PasswHash{}, fmt.Errorf("%w: %w", ErrCredentials, err)
	}
	return creds.HashPhrase(parsed.Reveal()), nil
}

// GenerateNodePassphrase returns a random phrase of ten words, 110 bits, from the
// system's random source. Show it to its owner once; it cannot be recovered.
func GenerateNodePassphrase() protocol.Secret {
	return creds.GeneratePhrase()
}

// NodeCredentialsMaterialFromHumanPassphrase returns the text that authenticates a
// node on the wire: the hash of the normalized phrase, 64 lower-case hex digits. A
// phrase that is blank or not UTF-8 is an error, which matches ErrCredentials.
func NodeCredentialsMaterialFromHumanPassphrase(phrase string) (protocol.Secret, error) {
	hash, err := hashOf(phrase)
	if err != nil {
		return protocol.Secret{}, err
	}
	return hash.Secret, nil
}

// DeriveNodeIDFromMaterial returns the id of the node that a material belongs to
// at a host with a root key. It takes about 0.2 s of one core and 64 MiB. The
// error, for a text that is not a material, matches ErrCredentials.
func DeriveNodeIDFromMaterial(material protocol.Secret, rootKey string) (string, error) {
	node := NodeCredentials{RootKey: rootKey, PasswHash: material}
	resolved, err := node.resolve()
	return resolved.NodeID, err
}

// NewNodeCredentials returns credentials for a phrase and a host's root key. They
// do not contain the phrase.
func NewNodeCredentials(phrase protocol.Secret, rootKey string) (*NodeCredentials, error) {
	node := NodeCredentials{RootKey: rootKey, Phrase: phrase}
	resolved, err := node.resolve()
	if err != nil {
		return nil, err
	}
	return &NodeCredentials{NodeID: resolved.NodeID, PasswHash: resolved.Hash.Secret}, nil
}

// LoadRootKey reads the root key from a file with its 64 hex digits.
func LoadRootKey(path string) (string, error) { return creds.ReadRootFile(path) }
