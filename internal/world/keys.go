package world

import (
	"crypto/subtle"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

const (
	// keyUsePrecision is how far the stored last use of a key may be behind.
	keyUsePrecision = time.Hour
	// keyUseDelay is how long the first unsaved use is kept back, so that many are
	// stored with one write.
	keyUseDelay = time.Minute
	// maxKeyUses bounds the unsaved uses, and the uses that only this host knows.
	maxKeyUses = 1024
)

// APIKey is one of the API keys of an account.
type APIKey struct {
	Name string `json:"name"`
	// Digest is the SHA-256 of the key.
	Digest []byte `json:"digest"`
	// CreatedAt, ExpiresAt and UsedAt are milliseconds since the Unix epoch; 0 for a
	// key that does not expire, and for one that was not used.
	CreatedAt int64 `json:"createdAt,omitempty"`
	ExpiresAt int64 `json:"expiresAt,omitempty"`
	UsedAt    int64 `json:"usedAt,omitempty"`
}

// allKeys returns all API keys of a main node, the default one first.
func (n *Node) allKeys() []APIKey {
	if len(n.APIKeyDigest) == 0 {
		return n.APIKeys
	}
	key := APIKey{Name: protocol.DefaultKeyName, Digest: n.APIKeyDigest, CreatedAt: n.APIKeyCreatedAt, UsedAt: n.APIKeyUsedAt}
	return append([]APIKey{key}, n.APIKeys...)
}

// HasKeys reports whether the account has any valid key.
func (n *Node) HasKeys(now time.Time) bool {
	return n != nil && slices.ContainsFunc(n.allKeys(), func(k APIKey) bool { return k.good(now) })
}

// AcceptsKey reports whether a digest is that of a valid key. Its time does not
// depend on which key matches.
func (n *Node) AcceptsKey(digest [32]byte, now time.Time) bool {
	_, ok := n.findKey(digest, now)
	return ok
}

func (n *Node) findKey(digest [32]byte, now time.Time) (found APIKey, ok bool) {
	if n == nil {
		return APIKey{}, false
	}
	for _, k := range n.allKeys() {
		if subtle.ConstantTimeCompare(k.Digest, digest[:]) == 1 && k.good(now) {
			found, ok = k, true
		}
	}
	return found, ok
}

func (k *APIKey) good(now time.Time) bool { return k.ExpiresAt == 0 || now.UnixMilli() < k.ExpiresAt }

// Keys lists the API keys of a main node in wire form. It includes uses at this host at
// once, and uses at other hosts once they are stored.
func (w *World) Keys(n *Node) []protocol.KeyRecord {
	var list []protocol.KeyRecord
	for _, k := range n.allKeys() {
		used := max(k.UsedAt, w.keyUses.latest([32]byte(k.Digest)))
		list = append(list, protocol.KeyRecord{
			Name: k.Name, CreatedAt: stamp(k.CreatedAt), ExpiresAt: stamp(k.ExpiresAt), LastUsedAt: stamp(used),
		})
	}
	return list
}

// stamp returns a time in wire form, empty for 0.
func stamp(ms int64) string {
	if ms == 0 {
		return ""
	}
	return protocol.FormatTime(time.UnixMilli(ms))
}

// CreateKey creates one more API key of the calling main node. Digest is the SHA-256
// of APIKey, which is for the reply only.
type CreateKey struct {
	protocol.CreateKeyRequest
	Digest [32]byte
	APIKey protocol.Secret
}

func (c CreateKey) plan(p *planner) (any, error) {
	id, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	next := *p.st.nodes[id]
	switch {
	case c.Name == protocol.DefaultKeyName:
		return nil, protocol.FieldError("name", "must not be %q: that is the key which POST %s replaces", c.Name, protocol.PathNodeAPIKey)
	case slices.ContainsFunc(next.APIKeys, func(k APIKey) bool { return k.Name == c.Name }):
		return nil, protocol.Errorf(protocol.CodeAPIKeyExists, "the account already has an API key of this name: revoke it first, or use another name")
	case len(next.APIKeys) >= p.options.Limits.APIKeys:
		return nil, protocol.Errorf(protocol.CodeAPIKeyLimit, "the account has %d API keys besides the default one, and the limit is %d: revoke some",
			len(next.APIKeys), p.options.Limits.APIKeys)
	}
	key := APIKey{Name: c.Name, Digest: c.Digest[:], CreatedAt: p.now.UnixMilli()}
	if c.ExpiresInSeconds > 0 {
		key.ExpiresAt = p.now.Add(time.Duration(c.ExpiresInSeconds) * time.Second).UnixMilli()
	}
	next.APIKeys = append(slices.Clone(next.APIKeys), key)
	reply := &protocol.CreateKeyReply{Name: c.Name, APIKey: c.APIKey.Wire(), ExpiresAt: stamp(key.ExpiresAt)}
	return reply, p.put(store.Nodes, id, &next)
}

// RevokeKey revokes an API key of the calling main node.
type RevokeKey struct{ Name string }

func (c RevokeKey) plan(p *planner) (any, error) {
	id, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	next := *p.st.nodes[id]
	before := len(next.allKeys())
	if c.Name == protocol.DefaultKeyName {
		next.APIKeyDigest, next.APIKeyCreatedAt, next.APIKeyUsedAt = nil, 0, 0
	}
	next.APIKeys = slices.DeleteFunc(slices.Clone(next.APIKeys), func(k APIKey) bool { return k.Name == c.Name })
	if len(next.allKeys()) == before {
		return &protocol.OKReply{}, nil
	}
	return &protocol.OKReply{OK: true}, p.put(store.Nodes, id, &next)
}

// keyUses are the unsaved uses of API keys: the last use of each key, by account and
// name.
type keyUses struct {
	mu   sync.Mutex
	last map[keyUse]int64
	// here are the last uses at this host by the key's digest, saved or not.
	here map[[32]byte]int64
	// since is when the first unsaved use came, in milliseconds since the Unix epoch.
	since int64
}

type keyUse struct{ account, name string }

// NoteKeyUse notes that an account's key was used. A sweep stores the use, at most
// once an hour, so that requests do not write; where too many are unsaved, the use is
// dropped.
func (w *World) NoteKeyUse(account *Node, digest [32]byte) {
	now := w.options.Now()
	key, ok := account.findKey(digest, now)
	if !ok {
		return
	}
	w.keyUses.mu.Lock()
	defer w.keyUses.mu.Unlock()
	w.keyUses.note(digest, now.UnixMilli())
	if now.UnixMilli()-key.UsedAt < keyUsePrecision.Milliseconds() {
		return
	}
	if w.keyUses.last == nil {
		w.keyUses.last, w.keyUses.since = map[keyUse]int64{}, now.UnixMilli()
	}
	if len(w.keyUses.last) < maxKeyUses {
		w.keyUses.last[keyUse{account.ID, key.Name}] = now.UnixMilli()
	}
}

// note keeps a use for the key lists of this host. If there are too many, an
// arbitrary one is forgotten. The caller has locked u.
func (u *keyUses) note(digest [32]byte, at int64) {
	if u.here == nil {
		u.here = map[[32]byte]int64{}
	}
	if _, known := u.here[digest]; !known && len(u.here) >= maxKeyUses {
		for other := range u.here {
			delete(u.here, other)
			break
		}
	}
	u.here[digest] = at
}

// latest returns the last use of a key at this host, 0 for none.
func (u *keyUses) latest(digest [32]byte) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.here[digest]
}

// take returns the unsaved uses, once they are due.
func (u *keyUses) take(now time.Time) map[keyUse]int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	last := u.last
	if now.UnixMilli()-u.since < keyUseDelay.Milliseconds() {
		return nil
	}
	u.last = nil
	return last
}

// writeKeyUses stores when keys were last used.
type writeKeyUses struct{ last map[keyUse]int64 }

func (c writeKeyUses) plan(p *planner) (any, error) {
	changed := map[string]*Node{}
	for use, at := range c.last {
		node := changed[use.account]
		if node == nil {
			there := p.st.nodes[use.account]
			if there == nil {
				continue
			}
			copied := *there
			copied.APIKeys = slices.Clone(there.APIKeys)
			node = &copied
		}
		if node.noteUse(use.name, at) {
			changed[use.account] = node
		}
	}
	for _, id := range slices.Sorted(maps.Keys(changed)) {
		if err := p.put(store.Nodes, id, changed[id]); err != nil {
			return nil, err
		}
	}
	return nil, nil //nolint:nilnil // No caller waits for a reply.
}

// noteUse records a use, and reports whether it is later than the known one.
func (n *Node) noteUse(name string, at int64) bool {
	used := &n.APIKeyUsedAt
	if i := slices.IndexFunc(n.APIKeys, func(k APIKey) bool { return k.Name == name }); i >= 0 {
		used = &n.APIKeys[i].UsedAt
	} else if name != protocol.DefaultKeyName || len(n.APIKeyDigest) == 0 {
		return false
	}
	if *used >= at {
		return false
	}
	*used = at
	return true
}
