package host

import (
	"net/http"
	"testing"

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
