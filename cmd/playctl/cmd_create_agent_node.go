package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

// createdAgentResult is what "playctl create-agent-node" prints.
type createdAgentResult struct {
	Context    string `json:"context"`
	AgentID    string `json:"agentId"`
	Label      string `json:"label,omitempty"`
	Phrase     string `json:"phrase,omitempty"`
	PhraseFile string `json:"phraseFile,omitempty"`
}

func newCreateAgentNodeCommand(a *app) *cobra.Command {
	var phrase phraseFlags
	var rootFile string
	cmd := &cobra.Command{
		Use:   "create-agent-node [label]",
		Short: "Make an agent node of your main node",
		Long: `Make an agent node of the context's main node. Its credentials join the context under
the label, by which other commands take it: "playctl add-agent Ada".`,
		Example: example(
			"playctl create-agent-node Ada",
			"playctl create-agent-node Ada --no-input --phrase-file ada.txt --output json"),
		Args: takes("label?"),
		RunE: func(cmd *cobra.Command, args []string) error {
			label := ""
			if len(args) > 0 {
				label = args[0]
			}
			return a.createAgentNode(cmd.Context(), label, &phrase, rootFile)
		},
	}
	phrase.register(cmd.Flags())
	registerRootFile(cmd, &rootFile)
	return cmd
}

func (a *app) createAgentNode(ctx context.Context, label string, flags *phraseFlags, rootFile string) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	if who.main.IsZero() {
		return who.noMain()
	}
	if err := who.labelIsFree(label); err != nil {
		return err
	}
	root, err := a.surroundings().FindRootFile(rootFile)
	if err != nil {
		return err
	}
	phrase, err := a.phraseFor(ctx, flags)
	if err != nil {
		return err
	}
	node, err := a.derive(phrase, root.Key)
	if err != nil {
		return errors.Join(err, phrase.refused())
	}
	err = a.call(ctx, who, who.main, "Registering the agent", func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateAgentNode(ctx, node)
		return err
	})
	if err != nil {
		return a.notCreated(err, phrase)
	}
	agent := creds.Agent{NodeID: node.NodeID, Label: label, PasswHash: node.Hash, Phrase: phrase.kept(), CreatedAt: a.Now()}
	err = notKept("agent", who.keepAgent(ctx, agent))
	err = errors.Join(err, a.printer.Print(createdAgent(who, agent, phrase)))
	a.tell(phrase)
	return err
}

// labelIsFree refuses a label that would not be taken into the context, before
// anything is made.
func (c *caller) labelIsFree(label string) error {
	if c.context == nil || label == "" {
		return nil
	}
	if err := creds.CheckLabel(label); err != nil {
		return usagef("%q: %w", label, err)
	}
	if _, err := c.context.Agent(label); err == nil {
		return hintf(usagef("there is an agent %q in context %q already", label, c.context.Name), "give the new one another label")
	}
	return nil
}

// keepAgent saves a new agent in the context, where there is one. The host knows
// the node by now, so an interrupt no longer stops it.
func (c *caller) keepAgent(ctx context.Context, agent creds.Agent) error {
	return c.change(ctx, func(target *creds.Context) error { return target.AddAgent(agent) })
}

func createdAgent(who *caller, agent creds.Agent, phrase *newPhrase) render.Document {
	result := createdAgentResult{
		Context: who.contextName(), AgentID: agent.NodeID, Label: agent.Label,
		Phrase: phrase.shown(), PhraseFile: phrase.written,
	}
	return render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "agent node", Value: result.AgentID},
		{Name: "label", Value: result.Label},
		{Name: "context", Value: result.Context},
		{Name: "phrase", Value: result.Phrase},
	}}}
}
