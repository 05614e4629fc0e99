package main

import (
	"context"
	"fmt"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// importFlags say what "playctl credentials import" brings in.
type importFlags struct {
	from     string
	agent    string
	rootFile string
	keep     bool
	replace  bool
}

// recalled is a node that somebody has the phrase of.
type recalled struct {
	node client.Credentials
	kept creds.Secret
}

// recall gets a phrase and derives its node.
func (a *app) recall(ctx context.Context, flags *importFlags, question string) (recalled, error) {
	root, err := a.surroundings().FindRootFile(flags.rootFile)
	if err != nil {
		return recalled{}, err
	}
	phrase, err := a.readPhrase(ctx, flags.from, question)
	if err != nil {
		return recalled{}, err
	}
	node, err := a.derive(&newPhrase{hash: creds.HashPhrase(phrase.Reveal())}, root.Key)
	if err != nil || !flags.keep {
		phrase = creds.Secret{}
	}
	return recalled{node: node, kept: phrase}, err
}

// importMain makes a context of a main node's phrase. The host must know the
// node; its API key stays where it was first told.
func (a *app) importMain(ctx context.Context, flags *importFlags) error {
	target, err := a.newAccount()
	if err != nil {
		return err
	}
	found, err := a.recall(ctx, flags, "The main node's phrase:")
	if err != nil {
		return err
	}
	who := &caller{server: target.ServerURL, service: protocol.Service(target.Service), main: found.node}
	if err := a.confirmNode(ctx, who, protocol.ValidateRequest{}); err != nil {
		return err
	}
	target.Main = &creds.MainNode{NodeID: found.node.NodeID, PasswHash: found.node.Hash, Phrase: found.kept, CreatedAt: a.Now()}
	if err := a.keepContext(ctx, target); err != nil {
		return err
	}
	if err := a.printer.Print(contextDocument(target, false)); err != nil {
		return err
	}
	a.note("The API key of this node is not known here. If the host asks for one, \"playctl create-api-key\" makes a new one.")
	return nil
}

// importAgent adds an agent of the context's main node by its phrase.
func (a *app) importAgent(ctx context.Context, flags *importFlags) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	if who.main.IsZero() || who.context == nil {
		return who.noMain()
	}
	if err := who.labelIsFree(flags.agent); err != nil {
		return err
	}
	found, err := a.recall(ctx, flags, "The agent's phrase:")
	if err != nil {
		return err
	}
	request := protocol.ValidateRequest{NodeID: found.node.NodeID, MainNodeID: who.main.NodeID}
	if err := a.confirmNode(ctx, who, request); err != nil {
		return err
	}
	agent := creds.Agent{NodeID: found.node.NodeID, Label: flags.agent, PasswHash: found.node.Hash, Phrase: found.kept, CreatedAt: a.Now()}
	if err := who.keepAgent(ctx, agent); err != nil {
		return err
	}
	return a.printer.Print(createdAgent(who, agent, &newPhrase{flags: &phraseFlags{}}))
}

// confirmNode asks the host whether a node is what its phrase says.
func (a *app) confirmNode(ctx context.Context, who *caller, request protocol.ValidateRequest) error {
	err := a.call(ctx, who, who.main, "Asking the host", func(ctx context.Context, c *client.Client) error {
		reply, err := c.ValidateNode(ctx, request)
		if err == nil && !reply.OK {
			err = fmt.Errorf("%w: the host says %q of this node", errUnverified, reply.Reason)
		}
		return err
	})
	if protocol.HasCode(err, protocol.CodeCredentialsInvalid) || protocol.HasCode(err, protocol.CodeForbidden) {
		return hintf(err, "the host knows no node of this phrase: is the phrase right, and is the root key the host's?")
	}
	return err
}
