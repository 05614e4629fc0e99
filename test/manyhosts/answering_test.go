//go:build full

package manyhosts

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/test/hostprocess"
)

// TestAnsweringIsKnownAtEveryHost runs a program that answers for one of two agents
// at one host and asks both at the others: the one answers, the question to the
// other ends immediately because no program answers, and so does one to the first
// after its program has ended.
func TestAnsweringIsKnownAtEveryHost(t *testing.T) {
	t.Parallel()
	s := openSite(t, "everysec", 2)
	s.reset()
	tools, err := sdk.NewFrameworkRegistration("test", sdk.Tool{Name: protocol.ChatTool})
	s.must(err)
	program := s.worldAt(1)
	var agents []*sdk.Agent
	for i, name := range []string{"Ada", "Bob"} {
		node := s.account.Agents[i]
		agent, err := program.AddAgent(t.Context(), sdk.AgentOptions{
			Name: name, Tools: tools,
			Credentials: &sdk.NodeCredentials{NodeID: node.ID, PasswHash: protocol.NewSecret(node.Hash)},
		})
		s.must(err)
		agents = append(agents, agent)
	}
	ada, bob := agents[0], agents[1]
	commands, err := program.SubscribeIntercomCommands(t.Context(), sdk.IntercomOptions{
		Agents: []*sdk.Agent{ada},
		Execute: func(_ context.Context, call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
			return sdk.IntercomAnswer{Message: "You said: " + call.Command.Text}, nil
		},
	})
	s.must(err)
	s.await(commands.Ready(), "the stream of commands")
	for at := range hosts {
		asker := s.worldAt(at)
		answer, err := asker.Ask(t.Context(), sdk.IntercomQuestion{To: ada.PlayerID(), Text: "hello"})
		s.must(err)
		if answer.Message != "You said: hello" {
			t.Errorf("host %d: the answer is %+v", at, answer)
		}
		s.listed(at, ada.PlayerID(), protocol.AnsweringYes)
		s.listed(at, bob.PlayerID(), protocol.AnsweringNo)
		asked := time.Now()
		if _, err := asker.Ask(t.Context(), sdk.IntercomQuestion{To: bob.PlayerID(), Text: "hello"}); !protocol.HasCode(err, protocol.CodeAgentNotAnswering) {
			t.Errorf("host %d: the question to an agent without a program returns %v after %v", at, err, time.Since(asked))
		}
	}
	commands.Close()
	for at := range hosts {
		s.listed(at, ada.PlayerID(), protocol.AnsweringNo) // after the grace period for programs that reconnect
		if _, err := s.worldAt(at).Ask(t.Context(), sdk.IntercomQuestion{To: ada.PlayerID(), Text: "hello"}); !protocol.HasCode(err, protocol.CodeAgentNotAnswering) {
			t.Errorf("host %d: the question after the program's end returns %v", at, err)
		}
	}
}

// worldAt opens the account's world at one host.
func (s *site) worldAt(host int) *sdk.RemotePlayWorld {
	s.t.Helper()
	world, err := sdk.New(sdk.Options{
		BaseURL: s.hosts[host].URL(), APIKey: protocol.NewSecret(s.account.Main.APIKey), Logger: slog.New(slog.DiscardHandler),
		MainNodeCredentials: &sdk.NodeCredentials{NodeID: s.account.Main.ID, PasswHash: protocol.NewSecret(s.account.Main.Hash)},
	})
	s.must(err)
	s.t.Cleanup(func() { _ = world.Close(context.Background()) }) // hosts may have ended before it
	return world
}

// listed waits until a host's list has the given answering state of an agent.
func (s *site) listed(host int, agentID, want string) {
	s.t.Helper()
	body := map[string]any{"op": "listAnswering", "payload": map[string]any{"playerIds": []string{agentID}}}
	request := hostprocess.Request{Method: http.MethodPost, Path: protocol.ServicePlay.RPC() + "?sid=" + s.sid, Body: body}
	s.until(s.hosts[host], s.account.Main, request, func(a *hostprocess.Answer) bool {
		var reply protocol.ListAnsweringReply
		return a.OK() && json.Unmarshal(a.Body, &reply) == nil && len(reply.Agents) == 1 && reply.Agents[0].Answering == want
	})
}
