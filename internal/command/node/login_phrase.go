package node

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// signIn creates a context from the phrase of an existing account. Its agents get the
// labels that the host stores; the account acts for them.
func signIn(ctx context.Context, a *command.App, flags *loginFlags, invited creds.Invitation) error {
	place, err := joinContext(ctx, a, &invited)
	if err != nil {
		return err
	}
	target := place.Context
	caller := &command.Caller{Context: target, Server: target.ServerURL, Service: target.Service}
	if err := checkAccountHost(ctx, a, target, &invited, flags.rootFile); err != nil {
		return err
	}
	if err := canSave(a, "API key of this machine"); err != nil {
		return err
	}
	from := ""
	if !a.MayAsk() || !command.IsTerminal(a.Stdin) {
		from = "-"
	}
	phrase, err := a.ReadPhrase(ctx, from, "The phrase of the account at "+target.ServerURL+":")
	if err != nil {
		return err
	}
	node, err := derive(ctx, a, creds.HashPhrase(phrase.Reveal()), target.RootKey)
	if err != nil {
		return err
	}
	caller.Main = node
	if err := confirmNode(ctx, a, caller, protocol.ValidateRequest{RootKey: target.RootKey}, creds.PhraseFault(phrase)); err != nil {
		return err
	}
	target.Main = &creds.MainNode{NodeID: node.NodeID, PasswHash: node.Hash, CreatedAt: a.Now()}
	if flags.phrase.Saves() {
		target.Main.Phrase = phrase
	}
	return finishSignIn(ctx, a, caller, target)
}

// finishSignIn creates an API key for this machine, reads the agents of the account, and
// saves the context.
func finishSignIn(ctx context.Context, a *command.App, caller *command.Caller, target *creds.Context) error {
	var agents *protocol.AgentsReply
	err := a.Call(ctx, caller, caller.Main, "Reading the account", func(ctx context.Context, c *client.Client) (err error) {
		if target.Main.APIKey, target.Main.KeyName, err = machineKey(ctx, a, c); err != nil {
			return err
		}
		agents, err = c.Agents(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := keepContext(ctx, a, target, false, true); err != nil {
		return err
	}
	document := createdMain(target, &command.NodePhrase{Flags: &command.PhraseFlags{}})
	document.Views = append(document.Views, render.Line("Commands now use context "+target.Name+"."))
	if len(agents.Agents) > 0 {
		table := render.Table{Columns: []render.Column{{Title: "agent"}, {Title: "label"}, {Title: "name"}}}
		for _, agent := range agents.Agents {
			table.Rows = append(table.Rows, []string{render.ShortID(agent.AgentID), agent.Label, agent.Name})
		}
		document.Views = append(document.Views, render.Line(""), table)
	}
	if err := a.Printer.Print(document); err != nil {
		return err
	}
	if target.Main.KeyName == "" {
		noteNoKey(a, caller)
	} else {
		a.Note("This machine has an API key of its own, %s, which \"playctl key revoke\" revokes.", target.Main.KeyName)
	}
	return nil
}

// machineKey creates an API key for this machine, so that the keys of other machines stay
// valid. A host of the agent-play service has no named keys: it returns none.
func machineKey(ctx context.Context, a *command.App, c *client.Client) (protocol.Secret, string, error) {
	if c.Service() != protocol.ServicePlay {
		return protocol.Secret{}, "", nil
	}
	machine, _ := os.Hostname() // After an error the name counts as unknown.
	name := keyName(machine)
	for _, name := range []string{name, name + "-" + a.Now().UTC().Format("20060102T150405")} {
		reply, err := c.CreateKey(ctx, protocol.CreateKeyRequest{Name: name})
		switch {
		case err == nil:
			return reply.APIKey.Secret, name, nil
		case !protocol.HasCode(err, protocol.CodeAPIKeyExists):
			return protocol.Secret{}, "", fmt.Errorf("create an API key for this machine: %w", err)
		}
	}
	return protocol.Secret{}, "", errors.New("this machine created an API key a moment ago: try again")
}

// keyName returns the name of a machine's API key.
func keyName(machine string) string {
	const other = "machine"
	name := nameFrom(machine, other)
	if name == protocol.DefaultKeyName {
		return other // The key that create-api-key replaces has that name.
	}
	return name
}
