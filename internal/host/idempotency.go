package host

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// idempotency is the key with which a caller can repeat a request safely.
type idempotency struct {
	// secret is the key itself. It is not stored: a reply sealed under it can be
	// opened only by a caller that sends the key again.
	secret      string
	key         [sha256.Size]byte
	caller      world.CallerTag
	fingerprint [sha256.Size]byte
}

// findRepeat reads the idempotency key and answers a request that was carried out
// before with the stored reply.
func findRepeat(c *call) error {
	if !c.rules.repeatable {
		return nil
	}
	sent := c.r.Header.Values(protocol.HeaderIdempotencyKey)
	if len(sent) == 0 {
		return nil
	}
	if len(sent) > 1 || !protocol.ValidIdempotencyKey(sent[0]) {
		return &protocol.Error{
			Code: protocol.CodeBodyInvalid, Field: protocol.HeaderIdempotencyKey,
			Message: "the header " + protocol.HeaderIdempotencyKey + " must be one value of 1 to 128 visible characters",
		}
	}
	// Only the body shows which request the key is for.
	if err := readBody(c); err != nil {
		return err
	}
	caller := c.identity()
	c.idempotency = &idempotency{
		secret: sent[0], key: digest(caller, sent[0]), caller: world.TagOf(caller), fingerprint: c.fingerprint(),
	}
	reply, found, err := c.host.world.Repeated(c.r.Context(), c.idempotency.forWorld(false))
	if err != nil || !found {
		return err
	}
	// The repeated request may be the caller's own deletion at another host.
	if err := c.reloadCaller(); err != nil {
		return err
	}
	return c.sendReply(&reply)
}

// forWorld returns the key in the engine's form. Replies that hold a secret are
// sealed.
func (i *idempotency) forWorld(secret bool) *world.Idempotency {
	k := &world.Idempotency{Key: i.key, Caller: i.caller, Fingerprint: i.fingerprint}
	if secret {
		k.Seal = i.seal
	}
	return k
}

// identity returns a name of the caller that is unique among all callers, so that
// no caller finds another's keys.
func (c *call) identity() string {
	switch {
	case c.registrant != "":
		return "registrant:" + c.registrant
	case c.caller.Admin:
		return "administrator"
	case c.caller.Viewer != "":
		return c.caller.Viewer
	}
	return "node:" + c.caller.NodeID
}

// fingerprint returns a digest that is equal for equal requests: over the method,
// the path, the query except for the sid, and the body.
func (c *call) fingerprint() [sha256.Size]byte {
	query := ""
	if c.r.URL.RawQuery != "" {
		rest := url.Values{}
		for name, values := range c.query() {
			if name != protocol.QuerySID {
				rest[name] = values
			}
		}
		query = rest.Encode()
	}
	return digest(c.route.method, c.route.path, query, string(c.body))
}

// digest hashes parts, each ended by a NUL; only the last may hold one.
func digest(parts ...string) [sha256.Size]byte {
	h := sha256.New()
	for _, p := range parts {
		// A hash.Hash never fails to write.
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// query returns the request's query, parsed once.
func (c *call) query() url.Values {
	if c.queryValues == nil {
		c.queryValues = c.r.URL.Query()
	}
	return c.queryValues
}

// parameter returns a parameter of the query. Most requests have at most one, for
// which the query is not parsed.
func (c *call) parameter(name string) string {
	if c.queryValues == nil {
		value, alone := strings.CutPrefix(c.r.URL.RawQuery, name+"=")
		if alone && !strings.ContainsAny(value, "&;%+=") {
			return value
		}
	}
	return c.query().Get(name)
}

// sealLabel separates the keys of sealed replies from any other key that might
// ever be derived from an idempotency key.
const sealLabel = "playctl sealed reply v1"

// errSealed is returned for a stored reply that the caller's key does not open.
var errSealed = errors.New("the stored reply does not open with this idempotency key")

// seal encrypts a reply that holds a secret, so that the store holds nothing
// readable without the idempotency key: AES-256-GCM (NIST SP 800-38D) with a
// random nonce, which it is prefixed with, under a key that HKDF (RFC 5869) with
// SHA-256 derives from the idempotency key.
func (i *idempotency) seal(reply []byte) ([]byte, error) {
	aead, err := i.cipher()
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, reply, i.key[:]), nil //nolint:gosec // This AEAD makes its own random nonce; a given one must be nil.
}

// open is the reverse of seal.
func (i *idempotency) open(sealed []byte) ([]byte, error) {
	aead, err := i.cipher()
	if err != nil {
		return nil, err
	}
	reply, err := aead.Open(nil, nil, sealed, i.key[:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSealed, err)
	}
	return reply, nil
}

func (i *idempotency) cipher() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(i.secret), nil, sealLabel, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of a sealed reply: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("create the cipher of a sealed reply: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("create the cipher of a sealed reply: %w", err)
	}
	return aead, nil
}
