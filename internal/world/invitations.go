package world

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// endedInvitationTerm is how long an invitation that has expired is remembered, so
// that a person who uses it too late learns why.
const endedInvitationTerm = 7 * 24 * time.Hour

// Invitation is the record of an invitation, stored under the digest of its token.
type Invitation struct {
	// CreatedBy is the main node that created it, empty for the administrator.
	CreatedBy string `json:"createdBy,omitempty"`
	// CreatedAt and ExpiresAt are milliseconds since the Unix epoch.
	CreatedAt int64 `json:"createdAt"`
	ExpiresAt int64 `json:"expiresAt"`
	// Uses is how many main nodes it may create, Used how many it has created.
	Uses int `json:"uses"`
	Used int `json:"used"`
}

// Check refuses an invitation that is not valid: nil, which stands for an unknown
// one, one that is used up, and one that has expired.
func (i *Invitation) Check(now time.Time) error {
	switch {
	case i == nil:
		return protocol.Errorf(protocol.CodeRegistrationClosed,
			"the registration token is not this host's")
	case i.Used >= i.Uses:
		return protocol.Errorf(protocol.CodeInvitationUsed,
			"the invitation has been used: it created %d of %d accounts", i.Used, i.Uses)
	case now.UnixMilli() >= i.ExpiresAt:
		return protocol.Errorf(protocol.CodeInvitationExpired,
			"the invitation expired at %s", protocol.FormatTime(time.UnixMilli(i.ExpiresAt)))
	}
	return nil
}

// Invitation returns the invitation of a token's digest, nil for none.
func (r *Registry) Invitation(digest [32]byte) *Invitation {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.invitations[string(digest[:])]
}

// Invitations lists the invitations of a main node, or all with "", the oldest first.
func (r *Registry) Invitations(createdBy string) []protocol.InvitationRecord {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var list []protocol.InvitationRecord
	for digest, i := range r.invitations {
		if createdBy != "" && i.CreatedBy != createdBy {
			continue
		}
		list = append(list, protocol.InvitationRecord{
			ID: invitationID(digest), CreatedBy: i.CreatedBy, Uses: i.Uses, Used: i.Used,
			CreatedAt: protocol.FormatTime(time.UnixMilli(i.CreatedAt)), ExpiresAt: protocol.FormatTime(time.UnixMilli(i.ExpiresAt)),
		})
	}
	slices.SortFunc(list, func(a, b protocol.InvitationRecord) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// invitationID names an invitation among the others.
func invitationID(digest string) string {
	return hex.EncodeToString([]byte(digest[:min(8, len(digest))]))
}

// Invite creates an invitation of the administrator or the calling main node. Digest
// is the SHA-256 of Token, which with URL is for the reply only.
type Invite struct {
	protocol.InviteRequest
	Digest [32]byte
	Token  protocol.Secret
	URL    string
}

func (c Invite) plan(p *planner) (any, error) {
	creator, err := p.inviter()
	if err != nil {
		return nil, err
	}
	if err := p.checkInvitations(creator); err != nil {
		return nil, err
	}
	expires := p.now.Add(time.Duration(c.ExpiresInSeconds) * time.Second)
	reply := &protocol.InviteReply{
		ID: invitationID(string(c.Digest[:])), Token: c.Token.Wire(), RootKey: p.st.RootKey, URL: c.URL,
		ExpiresAt: protocol.FormatTime(expires), Uses: c.Uses,
	}
	return reply, p.put(store.Invitations, string(c.Digest[:]), &Invitation{
		CreatedBy: creator, CreatedAt: p.now.UnixMilli(), ExpiresAt: expires.UnixMilli(), Uses: c.Uses,
	})
}

// inviter returns the calling main node, empty for the administrator.
func (p *planner) inviter() (string, error) {
	if p.req.Caller.Admin {
		return "", nil
	}
	return p.mainCaller()
}

// invitationDigests returns the digests of all invitations, the oldest first.
func (s *state) invitationDigests() []string {
	return slices.SortedFunc(maps.Keys(s.invitations), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.invitations[a].CreatedAt, s.invitations[b].CreatedAt), cmp.Compare(a, b))
	})
}

// eraseInvitations stages the removal of the invitations that which selects, and
// reports whether there are any.
func (p *planner) eraseInvitations(which func(digest string, i *Invitation) bool) (found bool) {
	for _, digest := range p.st.invitationDigests() {
		if which(digest, p.st.invitations[digest]) {
			p.erase(store.Invitations, digest)
			found = true
		}
	}
	return found
}

// checkInvitations refuses one more invitation at the limit. The oldest ones that are
// no longer valid make room first.
func (p *planner) checkInvitations(creator string) error {
	limits := &p.options.Limits
	total, own := len(p.st.invitations), 0
	for _, digest := range p.st.invitationDigests() {
		i := p.st.invitations[digest]
		switch {
		case total >= limits.TotalInvitations && i.Check(p.now) != nil:
			p.erase(store.Invitations, digest)
			total--
		case creator != "" && i.CreatedBy == creator && i.Check(p.now) == nil:
			own++
		}
	}
	switch {
	case creator != "" && own >= limits.Invitations:
		return protocol.Errorf(protocol.CodeInvitationLimit, "the account has %d open invitations, and the limit is %d: revoke some", own, limits.Invitations)
	case total >= limits.TotalInvitations:
		return protocol.Errorf(protocol.CodeInvitationLimit, "the world has %d open invitations, and the limit is %d: revoke some", total, limits.TotalInvitations)
	}
	return nil
}

// useInvitation counts a use of an invitation, in the same change as the registration.
func (p *planner) useInvitation(digest [32]byte) error {
	i := p.st.invitations[string(digest[:])]
	if err := i.Check(p.now); err != nil {
		return err
	}
	next := *i
	next.Used++
	return p.put(store.Invitations, string(digest[:]), &next)
}

// RevokeInvitation revokes an invitation: any as the administrator, else one that
// the calling main node created.
type RevokeInvitation struct{ ID string }

func (c RevokeInvitation) plan(p *planner) (any, error) {
	creator, err := p.inviter()
	if err != nil {
		return nil, err
	}
	revoked := p.eraseInvitations(func(digest string, i *Invitation) bool {
		return invitationID(digest) == c.ID && (creator == "" || i.CreatedBy == creator)
	})
	return &protocol.OKReply{OK: revoked}, nil
}

// revokeInvitations revokes the invitations of a main node that is deleted.
func (p *planner) revokeInvitations(creator string) {
	p.eraseInvitations(func(_ string, i *Invitation) bool { return i.CreatedBy == creator })
}

// forgetInvitations removes invitations some time after they expired.
type forgetInvitations struct{}

func (forgetInvitations) plan(p *planner) (any, error) {
	before := p.now.Add(-endedInvitationTerm).UnixMilli()
	p.eraseInvitations(func(_ string, i *Invitation) bool { return i.ExpiresAt <= before })
	return forgotten(false), nil
}
