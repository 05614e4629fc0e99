package host

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// pass is the content of a watch cookie. It is authenticated, not encrypted:
// nothing in it is secret, and its holder may read it.
type pass struct {
	viewer [viewerBytes]byte
	scope  protocol.WatchScope
	// expires has a resolution of milliseconds.
	expires time.Time
	// owner is the main node whose token it was created from, and ownerSince the time
	// when that node was created; both are zero where it was given freely.
	owner      string
	ownerSince int64
	// token is the digest of that token.
	token creds.Digest
	// free reports whether it was given freely.
	free bool
}

const (
	// viewerBytes is the entropy of a viewer id: 128 bits.
	viewerBytes = 16
	passVersion = 2
	// passHead is the length of the fields before the owner: version, scope, free, two
	// times, the viewer and the token.
	passHead = 3 + 8 + 8 + viewerBytes + sha256.Size
	// maxPassChars bounds what is decoded; owners have at most 128 bytes.
	maxPassChars = 512
)

// newViewer returns a random viewer id.
func newViewer() (id [viewerBytes]byte) {
	// Since Go 1.24 rand.Read fills the slice or ends the program.
	_, _ = rand.Read(id[:])
	return id
}

// label names the viewer in the audiences of events; no node's id has a colon.
func (p *pass) label() string {
	return "viewer:" + base64.RawURLEncoding.EncodeToString(p.viewer[:])
}

// passKey derives the key of cookies from the world's secret: HKDF (RFC 5869)
// with SHA-256.
func passKey(secret []byte) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "playctl watch cookie v1", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of watch cookies: %w", err)
	}
	return key, nil
}

// seal returns the cookie's value: the fields and their HMAC-SHA-256 (RFC 2104) as
// unpadded base64url.
func (p *pass) seal(key []byte) string {
	b := make([]byte, 0, passHead+len(p.owner)+sha256.Size)
	b = append(b, passVersion, scopeByte(p.scope), flag(p.free))
	b = binary.BigEndian.AppendUint64(b, uint64(p.expires.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(p.ownerSince))
	b = append(b, p.viewer[:]...)
	b = append(b, p.token[:]...)
	b = append(b, p.owner...)
	return base64.RawURLEncoding.EncodeToString(append(b, authenticator(key, b)...))
}

// openPass is the reverse of seal; it returns nil for a cookie that this world did
// not create. It compares in constant time.
func openPass(key []byte, value string) *pass {
	if len(value) > maxPassChars {
		return nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil || len(b) < passHead+sha256.Size {
		return nil
	}
	fields, shown := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if !hmac.Equal(shown, authenticator(key, fields)) || fields[0] != passVersion {
		return nil
	}
	p := &pass{
		scope: protocol.WatchScopeWatch, free: fields[2] == 1,
		expires:    time.UnixMilli(int64(binary.BigEndian.Uint64(fields[3:]))),
		ownerSince: int64(binary.BigEndian.Uint64(fields[11:])),
		viewer:     [viewerBytes]byte(fields[19:]), token: creds.Digest(fields[19+viewerBytes:]), owner: string(fields[passHead:]),
	}
	if fields[1] == 1 {
		p.scope = protocol.WatchScopeAct
	}
	return p
}

func authenticator(key, fields []byte) []byte {
	mac := hmac.New(sha256.New, key)
	// A hash.Hash never fails to write.
	_, _ = mac.Write(fields)
	return mac.Sum(nil)
}

func scopeByte(s protocol.WatchScope) byte { return flag(s == protocol.WatchScopeAct) }

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}
