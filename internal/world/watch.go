package world

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// WatchTerm is how long a watch token is valid, and a cookie that was given freely
// (protocol reference, "Watching in a browser").
const WatchTerm = 12 * time.Hour

// WatchToken is the record of a token for the watch page, stored under its digest.
type WatchToken struct {
	// Owner is the main node that created it, and OwnerSince when that node was
	// created, in milliseconds since the Unix epoch: a node that is created again
	// under the same id is another one. OwnerSince is 0 without a repository.
	Owner      string `json:"owner"`
	OwnerSince int64  `json:"ownerSince"`
	// ExpiresAt is in milliseconds since the Unix epoch.
	ExpiresAt int64 `json:"expiresAt"`
}

// CreateWatchToken creates a token for the calling main node. Digest is the
// SHA-256 of Token, which with URL and AllAddresses is for the reply only.
type CreateWatchToken struct {
	Digest       [32]byte
	Token        protocol.Secret
	URL          string
	AllAddresses bool
}

func (c CreateWatchToken) plan(p *planner) (any, error) {
	owner, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	expires := p.now.Add(WatchTerm)
	token := &WatchToken{Owner: owner, ExpiresAt: expires.UnixMilli()}
	if node := p.st.nodes[owner]; node != nil {
		token.OwnerSince = node.CreatedAt
	}
	if err := p.forgetTokensOf(owner, p.options.Limits.WatchTokens-1); err != nil {
		return nil, err
	}
	p.putBytes(store.WatchTokens, ownedTokenKey(owner, token.ExpiresAt, c.Digest[:]), []byte{})
	p.putBytes(store.WatchTokens, timedTokenKey(token.ExpiresAt, c.Digest[:]), []byte(owner))
	reply := &protocol.WatchTokenReply{
		Token: c.Token.Wire(), URL: c.URL, ExpiresAt: protocol.FormatTime(expires), AllAddresses: c.AllAddresses,
	}
	return reply, p.put(store.WatchTokens, tokenKey(c.Digest[:]), token)
}

// The keys of the table: tokens by digest, and their digests by owner and by
// expiry time. Times are big-endian, so that keys are in their order.
const (
	watchToken      = "t"
	ownedWatchToken = "o"
	timedWatchToken = "e"
)

func tokenKey(digest []byte) string { return watchToken + string(digest) }

// ownedTokens is what the keys of an owner's tokens start with; no id has a NUL.
func ownedTokens(owner string) []byte { return []byte(ownedWatchToken + owner + "\x00") }

func ownedTokenKey(owner string, expires int64, digest []byte) []byte {
	return append(binary.BigEndian.AppendUint64(ownedTokens(owner), uint64(expires)), digest...)
}

func timedTokenKey(expires int64, digest []byte) []byte {
	return append(binary.BigEndian.AppendUint64([]byte(timedWatchToken), uint64(expires)), digest...)
}

// WatchTokenID names a token among those of its main node.
func WatchTokenID(digest []byte) string { return hex.EncodeToString(digest[:8]) }

// WatchTokens lists the tokens of a main node that have not expired, the oldest first.
func (w *World) WatchTokens(ctx context.Context, caller Caller) (*protocol.WatchTokensReply, error) {
	owner := caller.NodeID
	if owner == "" {
		owner = w.View().RootKey
	}
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	prefix := ownedTokens(owner)
	reply := &protocol.WatchTokensReply{Tokens: []protocol.WatchTokenRecord{}}
	for pair, err := range w.options.Journal.Scan(ctx, store.WatchTokens, store.Range{Prefix: prefix}) {
		if store.IsDamaged(err) {
			continue
		}
		if err != nil {
			return nil, unavailable(err)
		}
		rest := pair.Key[len(prefix):]
		if expires := time.UnixMilli(int64(binary.BigEndian.Uint64(rest))); w.options.Now().Before(expires) {
			reply.Tokens = append(reply.Tokens, protocol.WatchTokenRecord{ID: WatchTokenID(rest[8:]), ExpiresAt: protocol.FormatTime(expires)})
		}
	}
	return reply, nil
}

// CountWatchTokens counts the tokens of all main nodes, at most limit, expired ones that
// were not removed yet included.
func (w *World) CountWatchTokens(ctx context.Context, limit int) (int, error) {
	n := 0
	for _, err := range w.options.Journal.Scan(ctx, store.WatchTokens, store.Range{Prefix: []byte(timedWatchToken), KeysOnly: true}) {
		if err != nil && !store.IsDamaged(err) {
			return 0, unavailable(err)
		}
		if n++; n == limit {
			break
		}
	}
	return n, nil
}

// RevokeWatchToken revokes a token of the calling main node, with the cookies that
// were created from it.
type RevokeWatchToken struct{ ID string }

func (c RevokeWatchToken) plan(p *planner) (any, error) {
	owner, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	tokens, err := p.tokensOf(owner)
	if err != nil {
		return nil, err
	}
	reply := &protocol.OKReply{}
	for _, token := range tokens {
		if WatchTokenID(token[8:]) == c.ID {
			reply.OK = true
			p.forgetToken(owner, token)
		}
	}
	return reply, nil
}

// forgetTokensOf removes an owner's tokens except for the newest ones.
func (p *planner) forgetTokensOf(owner string, keep int) error {
	tokens, err := p.tokensOf(owner)
	if err != nil {
		return err
	}
	for _, token := range tokens[:max(0, len(tokens)-keep)] {
		p.forgetToken(owner, token)
	}
	return nil
}

// tokensOf returns the expiry times and digests of an owner's tokens, as their keys have
// them, the oldest first: those of the store and of the batch.
func (p *planner) tokensOf(owner string) ([][]byte, error) {
	prefix := ownedTokens(owner)
	found := map[string]bool{}
	for pair, err := range p.options.Journal.Scan(p.ctx, store.WatchTokens, store.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return nil, unavailable(err)
		}
		found[string(pair.Key)] = true
	}
	for key, added := range p.st.tokens {
		if strings.HasPrefix(key, string(prefix)) {
			found[key] = added
		}
	}
	var tokens [][]byte
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if found[key] {
			tokens = append(tokens, []byte(key[len(prefix):]))
		}
	}
	return tokens, nil
}

// noteToken keeps the changes of the owners' tokens until they are in the store.
func (s *state) noteToken(r *store.Record) {
	if strings.HasPrefix(string(r.Key), ownedWatchToken) {
		s.tokens[string(r.Key)] = r.Value != nil
	}
}

// forgetToken stages the removal of a token, given its expiry time and digest.
func (p *planner) forgetToken(owner string, token []byte) {
	at, digest := int64(binary.BigEndian.Uint64(token)), token[8:]
	p.erase(store.WatchTokens, tokenKey(digest))
	p.putBytes(store.WatchTokens, ownedTokenKey(owner, at, digest), nil)
	p.putBytes(store.WatchTokens, timedTokenKey(at, digest), nil)
}

// forgetWatchTokens removes expired tokens, a bounded number at a time.
type forgetWatchTokens struct{}

func (forgetWatchTokens) plan(p *planner) (any, error) {
	before := timedTokenKey(p.now.UnixMilli()+1, nil)
	left := forgetAtOnce
	for pair, err := range p.options.Journal.Scan(p.ctx, store.WatchTokens, store.Range{Prefix: []byte(timedWatchToken), Before: before}) {
		if err != nil {
			return nil, unavailable(err)
		}
		p.forgetToken(string(pair.Value), pair.Key[len(timedWatchToken):])
		if left--; left == 0 {
			return moreExpired, nil
		}
	}
	return forgotten(false), nil
}

// WatchToken returns the token of a digest; nil if there is none or it has
// expired. WatchOwner reports whether its owner still exists.
func (w *World) WatchToken(ctx context.Context, digest [32]byte) (*WatchToken, error) {
	b, err := w.get(ctx, store.WatchTokens, []byte(tokenKey(digest[:])))
	if err != nil {
		return nil, unavailable(err)
	}
	if b == nil {
		return nil, nil //nolint:nilnil // No token.
	}
	var token WatchToken
	if err := json.Unmarshal(b, &token); err != nil {
		return nil, unavailable(fmt.Errorf("watch token record: %w: %w", store.ErrCorrupt, err))
	}
	if token.ExpiresAt <= w.options.Now().UnixMilli() {
		return nil, nil //nolint:nilnil // The token has expired; the sweep has not removed it yet.
	}
	return &token, nil
}

// WatchOwner returns the main node that a token or a cookie belongs to, nil
// without a repository. ok is false if that node is gone, or another one has its
// id.
func (w *World) WatchOwner(owner string, since int64) (node *Node, ok bool) {
	if w.options.NoRepository {
		return nil, since == 0
	}
	node = w.registry.Node(owner)
	if node == nil || node.Kind != protocol.NodeKindMain || node.CreatedAt != since {
		return nil, false
	}
	return node, true
}

// watchSecret is the record of Meta that holds the world's secret for
// authenticating watch cookies.
const watchSecret = "watch_secret"

// watchSecretBytes is the secret's length: that of the hash it keys.
const watchSecretBytes = 32

// WatchSecret returns the world's secret for watch cookies, the same for every
// host of its store. It is generated when it is first needed.
func (w *World) WatchSecret(ctx context.Context) ([]byte, error) {
	secret, err := w.get(ctx, store.Meta, []byte(watchSecret))
	if err == nil && len(secret) == 0 {
		if _, err := w.Do(ctx, Request{}, makeWatchSecret{}); err != nil {
			return nil, err
		}
		// Another command of the same batch may have generated another one: the stored one
		// counts.
		secret, err = w.get(ctx, store.Meta, []byte(watchSecret))
	}
	switch {
	case err != nil:
		return nil, unavailable(err)
	case len(secret) != watchSecretBytes:
		return nil, unavailable(fmt.Errorf("the record %s/%s has %d bytes: %w", store.Meta, watchSecret, len(secret), store.ErrCorrupt))
	}
	return bytes.Clone(secret), nil
}

type makeWatchSecret struct{}

func (makeWatchSecret) plan(p *planner) (any, error) {
	there, err := p.get(store.Meta, []byte(watchSecret))
	if err != nil {
		return nil, err
	}
	if len(there) > 0 {
		return nil, nil //nolint:nilnil // Another command was faster; no caller waits for a reply.
	}
	secret := make([]byte, watchSecretBytes)
	if _, err := io.ReadFull(p.options.Random, secret); err != nil {
		return nil, fmt.Errorf("generate the secret of watch cookies: %w", err)
	}
	p.putBytes(store.Meta, []byte(watchSecret), secret)
	return nil, nil //nolint:nilnil // As above.
}
