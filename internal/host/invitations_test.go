package host

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// invite creates an invitation.
func (f *fixture) invite(body map[string]any, who func(*http.Request)) protocol.InviteReply {
	f.t.Helper()
	var reply protocol.InviteReply
	f.post(protocol.PathInvitations, body, who).into(&reply)
	return reply
}

// join registers a main node with a registration token.
func (f *fixture) join(token string, options ...func(*http.Request)) *reply {
	f.t.Helper()
	n := f.newIdentity()
	return f.post(protocol.PathNodes, map[string]any{"nodeId": n.id, "passwHash": n.hash},
		append(options, with(protocol.HeaderRegistrationToken, token))...)
}

func (f *fixture) invitations(who func(*http.Request)) []protocol.InvitationRecord {
	f.t.Helper()
	var reply protocol.InvitationsReply
	f.get(protocol.PathInvitations, who).into(&reply)
	return reply.Invitations
}

func TestInvitationUsesAreLimited(t *testing.T) {
	t.Parallel()
	for _, mode := range []Registration{RegistrationToken, RegistrationClosed} {
		t.Run(string(mode), func(t *testing.T) {
			f := newFixture(t, func(s *setup) {
				s.host.Registration = mode
				if mode == RegistrationToken {
					s.host.RegistrationToken = protocol.NewSecret("the operator's")
				}
				s.host.PublicURL = "https://play.example.com"
			})
			made := f.invite(map[string]any{"uses": 2}, asAdmin)
			if made.RootKey != worldtest.RootKey || made.URL != "https://play.example.com" || made.Uses != 2 {
				t.Errorf("the invitation is %+v", made)
			}
			token := made.Token.Reveal()
			f.get(protocol.ServicePlay.Bootstrap(), with(protocol.HeaderRegistrationToken, token)).ok()
			f.join("pt_another").refused(protocol.CodeRegistrationClosed)
			// A repeat yields the same account and does not count as a second use.
			n, key := f.newIdentity(), with(protocol.HeaderIdempotencyKey, "once")
			for range 2 {
				f.post(protocol.PathNodes, map[string]any{"nodeId": n.id, "passwHash": n.hash}, key, with(protocol.HeaderRegistrationToken, token)).ok()
			}
			if list := f.invitations(asAdmin); len(list) != 1 || list[0].Used != 1 || list[0].ID != made.ID || list[0].CreatedBy != "" {
				t.Errorf("the list is %+v", list)
			}
			f.join(token).ok()
			f.join(token).refused(protocol.CodeInvitationUsed)
			f.get(protocol.ServicePlay.Bootstrap(), with(protocol.HeaderRegistrationToken, token)).refused(protocol.CodeInvitationUsed)
		})
	}
}

func TestInvitationExpiryAndRevocation(t *testing.T) {
	t.Parallel()
	start := time.Now()
	var passed atomic.Int64
	f := newFixture(t, func(s *setup) {
		s.host.Registration = RegistrationClosed
		s.world.Now = func() time.Time { return start.Add(time.Duration(passed.Load())) }
	})
	short := f.invite(map[string]any{"expiresInSeconds": 60}, asAdmin)
	long := f.invite(map[string]any{}, asAdmin)
	if want := protocol.FormatTime(start.Add(24 * time.Hour)); long.ExpiresAt != want {
		t.Errorf("the invitation expires at %s, want %s", long.ExpiresAt, want)
	}
	passed.Store(int64(time.Minute))
	f.join(short.Token.Reveal()).refused(protocol.CodeInvitationExpired)
	var gone protocol.OKReply
	f.do(http.MethodDelete, protocol.PathInvitations+"?id="+long.ID, nil, asAdmin).into(&gone)
	if !gone.OK {
		t.Error("the invitation was not revoked")
	}
	f.join(long.Token.Reveal()).refused(protocol.CodeRegistrationClosed)
	f.do(http.MethodDelete, protocol.PathInvitations+"?id="+long.ID, nil, asAdmin).into(&gone)
	if gone.OK {
		t.Error("an invitation was revoked twice")
	}
	f.do(http.MethodDelete, protocol.PathInvitations, nil, asAdmin).refused(protocol.CodeBodyInvalid)
	f.post(protocol.PathInvitations, map[string]any{"uses": 0}, asAdmin).refused(protocol.CodeBodyInvalid)
	f.post(protocol.PathInvitations, map[string]any{"expiresInSeconds": 59}, asAdmin).refused(protocol.CodeBodyInvalid)
}

func TestMainNodesInviteOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.post(protocol.PathInvitations, map[string]any{}, as(f.main())).refused(protocol.CodeForbidden)

	f = newFixture(t, func(s *setup) { s.host.MainNodesInvite = true })
	one, two := f.main(), f.main()
	f.host.options.Registration = RegistrationClosed
	made := f.invite(map[string]any{}, as(one))
	if list := f.invitations(as(two)); len(list) != 0 {
		t.Errorf("another account sees %+v", list)
	}
	var gone protocol.OKReply
	f.do(http.MethodDelete, protocol.PathInvitations+"?id="+made.ID, nil, as(two)).into(&gone)
	if list := f.invitations(asAdmin); gone.OK || len(list) != 1 || list[0].CreatedBy != one.id {
		t.Errorf("the administrator sees %+v", list)
	}
	f.host.options.MainNodesInvite = false
	f.join(made.Token.Reveal()).refused(protocol.CodeRegistrationClosed)
	f.host.options.MainNodesInvite = true
	// It ends with the account that created it.
	f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": one.id}, as(one)).ok()
	f.join(made.Token.Reveal()).refused(protocol.CodeRegistrationClosed)
}
