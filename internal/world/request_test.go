package world

import (
	"fmt"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// A command that is printed or logged whole must not reveal the secret for its reply.
func TestCommandsDoNotPrintSecrets(t *testing.T) {
	t.Parallel()
	secret := protocol.NewSecret("deadbeef")
	for _, c := range []Command{
		CreateMainNode{APIKey: secret}, ReplaceAPIKey{APIKey: secret}, CreateKey{APIKey: secret}, Invite{Token: secret},
		CreateSpace{Phrase: secret}, CreateSpaceNode{Phrase: secret}, CreateWatchToken{Token: secret},
	} {
		if printed := fmt.Sprintf("%+v %#v", c, c); strings.Contains(printed, "deadbeef") {
			t.Errorf("a command prints %s", printed)
		}
	}
}
