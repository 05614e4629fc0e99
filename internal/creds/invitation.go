package creds

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// InvitationPrefix distinguishes invitations from other secrets.
const InvitationPrefix = "pi_"

// invitationVersion is the version of the text that this package writes.
const invitationVersion = 1

// maxInvitation bounds the text of an invitation: a URL and a root key at their
// longest, in base64.
const maxInvitation = 16 << 10

// ErrInvitation is returned for a text that is not an invitation, or only a part of one.
var ErrInvitation = errors.New("this invitation is incomplete: it is one string that \"playctl invite\" prints, from \"" + InvitationPrefix + "\" to its end")

// ErrNewerInvitation is returned for an invitation that a later playctl wrote.
var ErrNewerInvitation = errors.New("a newer playctl created this invitation: upgrade playctl")

// Invitation is the data that a person needs to join a host.
type Invitation struct {
	// ServerURL is the host's base URL as ParseServerURL returns it.
	ServerURL string
	// Fingerprint is the fingerprint of the certificate to trust; "" to trust the
	// system's roots.
	Fingerprint string
	// RootKey is the host's root key.
	RootKey string
	// Token is the registration token.
	Token protocol.Secret
}

type invitationJSON struct {
	Version     int                 `json:"v"`
	ServerURL   string              `json:"u"`
	Fingerprint string              `json:"f,omitempty"`
	RootKey     string              `json:"r"`
	Token       protocol.WireSecret `json:"t"`
}

// Text returns the invitation as one string without white space: "pi_" and
// base64url without padding (RFC 4648, section 5) of JSON.
func (i Invitation) Text() (protocol.Secret, error) {
	if err := i.check(); err != nil {
		return protocol.Secret{}, err
	}
	b, err := json.Marshal(invitationJSON{invitationVersion, i.ServerURL, i.Fingerprint, i.RootKey, i.Token.Wire()})
	if err != nil {
		return protocol.Secret{}, fmt.Errorf("encode the invitation: %w", err)
	}
	return protocol.NewSecret(InvitationPrefix + base64.RawURLEncoding.EncodeToString(b)), nil
}

// ParseInvitation parses the output of Text. White space is ignored, since mail
// programs break long lines. The error is ErrInvitation or ErrNewerInvitation and
// does not quote the text.
func ParseInvitation(text string) (Invitation, error) {
	if len(text) > maxInvitation {
		return Invitation{}, ErrInvitation
	}
	compact := strings.Join(strings.FieldsFunc(text, protocol.IsWhiteSpace), "")
	encoded, ok := strings.CutPrefix(compact, InvitationPrefix)
	if !ok {
		return Invitation{}, ErrInvitation
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return Invitation{}, ErrInvitation
	}
	var doc invitationJSON
	if json.Unmarshal(b, &doc) != nil {
		return Invitation{}, ErrInvitation
	}
	if doc.Version > invitationVersion {
		return Invitation{}, ErrNewerInvitation
	}
	i := Invitation{ServerURL: doc.ServerURL, Fingerprint: doc.Fingerprint, RootKey: doc.RootKey, Token: doc.Token.Secret}
	if doc.Version < invitationVersion || i.check() != nil {
		return Invitation{}, ErrInvitation
	}
	return i, nil
}

// check returns what is wrong with the invitation.
func (i Invitation) check() error {
	server, err := ParseServerURL(i.ServerURL)
	switch {
	case err != nil:
		return err
	case server != i.ServerURL:
		return ErrServerURL
	case i.RootKey == "" || i.RootKey != protocol.NormalizeRootKey(i.RootKey) || len(i.RootKey) > protocol.MaxRootKeyBytes:
		return ErrRootKey
	case i.Token.IsZero():
		return errors.New("the invitation has no token")
	}
	return checkFingerprint(i.Fingerprint, i.ServerURL)
}
