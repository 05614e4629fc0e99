package protocol_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// A request that is printed or logged whole, as happens while looking for a
// defect, must not give away what it proves itself with.
func TestSecretsDoNotPrint(t *testing.T) {
	const secret = "deadbeef"
	r := protocol.RegisterRequest{Name: "Ada", PasswHash: secret, APIKey: secret}
	node := protocol.CreateNodeReply{NodeID: "n", APIKey: secret, Phrase: secret}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		for _, v := range []any{r, &r, node, r.APIKey, &node.Phrase} {
			text := fmt.Sprintf(verb, v)
			if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("%s of %T shows the secret: %s", verb, v, text)
			}
		}
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	logger.Info("registered", "key", r.APIKey, "request", r)
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log shows the secret: %s", log.String())
	}
	wireEqual(t, node, `{"nodeId":"n","apiKey":"deadbeef","phrase":"deadbeef"}`)
	if got := r.APIKey.Reveal(); got != secret {
		t.Errorf("Reveal = %q", got)
	}
}
