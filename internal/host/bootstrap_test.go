package host

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// The root key is available to callers that may register, and to existing accounts.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	path, token := protocol.ServicePlay.Bootstrap(), protocol.NewSecret("let me in")
	for mode, change := range map[Registration]func(*setup){
		RegistrationOpen:   func(*setup) {},
		RegistrationToken:  func(s *setup) { s.host.Registration, s.host.RegistrationToken = RegistrationToken, token },
		RegistrationClosed: func(s *setup) { s.host.Registration = RegistrationClosed },
	} {
		t.Run(string(mode), func(t *testing.T) {
			f := newFixture(t, change)
			reported := func(options ...func(*http.Request)) {
				t.Helper()
				want := `{"rootKey":"` + worldtest.RootKey + `","registration":"` + string(mode) + `"}`
				if got := f.get(path, options...).ok(); string(got.body) != want {
					t.Errorf("the reply is %s, want %s", got.body, want)
				}
			}
			reported(asAdmin)
			if mode == RegistrationOpen {
				reported()
				main := f.main()
				reported(as(main))
				reported(as(f.agent(main)))
				return
			}
			f.get(path).refused(protocol.CodeCredentialsMissing)
			f.get(path, as(f.newIdentity())).refused(protocol.CodeCredentialsInvalid)
			f.get(path, with(protocol.HeaderRegistrationToken, "guess")).refused(protocol.CodeCredentialsMissing)
			if mode == RegistrationToken {
				reported(with(protocol.HeaderRegistrationToken, token.Reveal()))
			}
		})
	}
}

// digestOfToken returns an option that shows the digest of an invitation's token.
func digestOfToken(token string) func(*http.Request) {
	digest := sha256.Sum256([]byte(token))
	return with(protocol.HeaderInvitationDigest, hex.EncodeToString(digest[:]))
}

// The digest of a valid invitation's token gives access to the root key, and to nothing
// else.
func TestBootstrapByDigest(t *testing.T) {
	t.Parallel()
	path := protocol.ServicePlay.Bootstrap()
	for _, mode := range []Registration{RegistrationToken, RegistrationClosed} {
		t.Run(string(mode), func(t *testing.T) {
			start := time.Now()
			var passed atomic.Int64
			f := newFixture(t, func(s *setup) {
				if s.host.Registration = mode; mode == RegistrationToken {
					s.host.RegistrationToken = protocol.NewSecret("the operator's")
				}
				s.world.Now = func() time.Time { return start.Add(time.Duration(passed.Load())) }
			})
			made := f.invite(map[string]any{"uses": 2, "expiresInSeconds": 60}, asAdmin)
			token, valid := made.Token.Reveal(), digestOfToken(made.Token.Reveal())
			for range 3 { // It uses nothing up.
				f.get(path, valid).ok()
			}
			if list := f.invitations(asAdmin); list[0].Used != 0 {
				t.Errorf("reading the root key counted as %d uses", list[0].Used)
			}
			f.get(path, valid, with(protocol.HeaderRegistrationToken, "guess")).ok()
			f.get(path, with(protocol.HeaderInvitationDigest, "guess"), with(protocol.HeaderRegistrationToken, token)).ok()
			f.get(path, with(protocol.HeaderInvitationDigest, "guess"), asAdmin).ok()
			f.get(path, valid, as(f.newIdentity())).ok()
			digest := sha256.Sum256([]byte(token))
			text := hex.EncodeToString(digest[:])
			for _, wrong := range []string{strings.ToUpper(text), text[1:], text + "0", "0x" + text[2:], "g" + text[1:], token, strings.Repeat("0", 64)} {
				f.get(path, with(protocol.HeaderInvitationDigest, wrong)).refused(protocol.CodeCredentialsInvalid)
				f.get(path, with(protocol.HeaderInvitationDigest, wrong), as(f.newIdentity())).refused(protocol.CodeCredentialsInvalid)
			}
			f.get(path, with(protocol.HeaderInvitationDigest, "")).refused(protocol.CodeCredentialsMissing)
			f.get(path, digestOfToken("the operator's")).refused(protocol.CodeCredentialsInvalid)
			n := f.newIdentity()
			f.post(protocol.PathNodes, map[string]any{"nodeId": n.id, "passwHash": n.hash}, valid).refused(protocol.CodeRegistrationClosed)
			f.join(text).refused(protocol.CodeRegistrationClosed)

			f.join(token).ok()
			f.get(path, valid).ok()
			f.join(token).ok()
			f.get(path, valid).refused(protocol.CodeCredentialsInvalid)

			short := f.invite(map[string]any{"expiresInSeconds": 60}, asAdmin)
			revoked := f.invite(map[string]any{}, asAdmin)
			f.do(http.MethodDelete, protocol.PathInvitations+"?id="+revoked.ID, nil, asAdmin).ok()
			f.get(path, digestOfToken(revoked.Token.Reveal())).refused(protocol.CodeCredentialsInvalid)
			f.get(path, digestOfToken(short.Token.Reveal())).ok()
			passed.Store(int64(time.Minute))
			f.get(path, digestOfToken(short.Token.Reveal())).refused(protocol.CodeCredentialsInvalid)
		})
	}
}

// Another host may have created the invitation or used it up.
func TestBootstrapByDigestAtAnotherHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, _ := twoHosts(t)
		first.host.options.Registration, second.host.options.Registration = RegistrationClosed, RegistrationClosed
		token := first.invite(map[string]any{}, asAdmin).Token.Reveal()
		path := protocol.ServicePlay.Bootstrap()
		second.get(path, digestOfToken(token)).ok()
		first.join(token).ok()
		second.get(path, digestOfToken(token)).refused(protocol.CodeCredentialsInvalid)
	})
}
