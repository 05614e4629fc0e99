package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// apiKeyResult is what "playctl create-api-key" prints.
type apiKeyResult struct {
	Context          string `json:"context,omitempty"`
	NodeID           string `json:"nodeId"`
	File             string `json:"file,omitempty"`   // the file that has the key, with --api-key-file
	APIKey           string `json:"apiKey,omitempty"` // the key, with --show-api-key
	UnconfirmedHosts int    `json:"unconfirmedHosts,omitempty"`
}

func newCreateAPIKeyCommand(a *command.App) *cobra.Command {
	var file string
	var show, force bool
	cmd := &cobra.Command{
		Use:     "create-api-key",
		GroupID: command.GroupNodes,
		Short:   "Create a new API key; the old one stops working at once",
		Long: `Create a new API key for the context's main node. The previous one stops working at once. The key is
saved in the context; for another program, add --api-key-file or --show-api-key.`,
		Example: command.Example("playctl create-api-key", "playctl create-api-key --api-key-file ci.key"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			find := func() ([]command.Change, error) { return replacesKey(a, file, force) }
			question := "Create a new API key? The old one stops working at once, on every machine."
			if err := a.Confirm(cmd.Context(), question, find); err != nil {
				return err
			}
			return a.AsMain(cmd.Context(), "Creating the key", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				if !caller.SavesCredentials() && file == "" && !show {
					return nil, command.Hintf(command.Usagef("there is no context to save the key in, so it would be lost"),
						"add --api-key-file FILE or --show-api-key")
				}
				if caller.SavesCredentials() {
					if err := canSave(a, "API key"); err != nil {
						return nil, err
					}
				}
				reserved, err := reserveFile(a, file, force)
				if err != nil {
					return nil, err
				}
				reply, err := c.CreateAPIKey(ctx)
				if err != nil {
					return nil, errors.Join(err, reserved.discard())
				}
				return keepAPIKey(ctx, a, caller, reply.APIKey.Secret, reserved, show)
			})
		},
	}
	cmd.Flags().StringVar(&file, "api-key-file", "", "write the key to this new `file` as well, readable only by you")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&show, "show-api-key", false, "print the key with the result, even if others may read it")
	command.RegisterConfirmation(cmd)
	return cmd
}

// replacesKey returns what a new default key replaces.
func replacesKey(a *command.App, file string, force bool) ([]command.Change, error) {
	changes := []command.Change{{Action: "replace", Kind: "api_key", Name: protocol.DefaultKeyName}}
	if _, err := os.Lstat(a.Absolute(file)); file != "" && err == nil {
		changes = append(changes, command.Change{Action: "replace", Kind: "file", Name: file})
		if !force {
			return changes, command.FileExists(file)
		}
	}
	return changes, nil
}

// keepAPIKey saves a new key. The old one is invalid by now, so an interrupt no longer
// stops it.
func keepAPIKey(ctx context.Context, a *command.App, caller *command.Caller, key protocol.Secret, file reservedFile, show bool) (*render.Document, error) {
	result := apiKeyResult{Context: kept(caller), NodeID: caller.Main.NodeID, File: file.path, UnconfirmedHosts: a.Unconfirmed()}
	if show {
		result.APIKey = key.Reveal()
	}
	unkept, unwritten := saveKey(ctx, caller, protocol.DefaultKeyName, key, result.File, true)
	if unkept != nil {
		result.Context = ""
	}
	if unwritten != nil {
		result.File = ""
	}
	return &render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "main node", Value: result.NodeID},
		{Name: "kept in context", Value: result.Context},
		{Name: "written to", Value: result.File},
		{Name: "API key", Value: result.APIKey},
	}}}, errors.Join(unkept, unwritten)
}

// kept returns the context that saves the new credentials of the main node, "" for none.
func kept(caller *command.Caller) string {
	if !caller.SavesCredentials() {
		return ""
	}
	return caller.ContextName()
}

// createdAgentResult is what "playctl create-agent-node" prints.
type createdAgentResult struct {
	Context    string `json:"context"` // the context that keeps it; empty where none does
	AgentID    string `json:"agentId"`
	Label      string `json:"label,omitempty"` // its label in the context
	Created    bool   `json:"created"`         // false if the account has had it before, with --if-missing
	Phrase     string `json:"phrase,omitempty"`
	PhraseFile string `json:"phraseFile,omitempty"`
}

func newCreateAgentNodeCommand(a *command.App) *cobra.Command {
	var phrase command.PhraseFlags
	var rootFile string
	var ifMissing bool
	cmd := &cobra.Command{
		Use:     "create-agent-node [label]",
		GroupID: command.GroupNodes,
		Short:   "Create an agent node of your main node",
		Long: `Create an agent node of the context's main node. Its credentials are saved in the context under the
label, by which other commands find the agent: "playctl add-agent Ada". Without a label it asks for
one. If there is no context, as in a job with credentials from the environment, the host keeps the
label, and the agent's credentials are derived from the account's, unless a flag is about a phrase.`,
		Example: command.Example(
			"playctl create-agent-node Ada",
			"playctl create-agent-node Ada --no-input --phrase-file ada.txt --output json"),
		Args: command.Takes("label?"),
		RunE: func(cmd *cobra.Command, args []string) error {
			label := ""
			if len(args) > 0 {
				if label = args[0]; label == "" {
					return command.Usagef("the label is empty")
				}
			}
			if ifMissing {
				if label == "" {
					return command.Usagef("--if-missing requires a label")
				}
				if existing, err := labeledAgent(cmd.Context(), a, label); err != nil || existing != nil {
					return errors.Join(err, printExisting(a, existing))
				}
			}
			return createAgentNode(cmd.Context(), a, label, &phrase, rootFile)
		},
	}
	phrase.Register(cmd.Flags())
	command.RegisterIfMissing(cmd, &ifMissing)
	registerRootFile(cmd, &rootFile)
	return cmd
}

// labeledAgent returns the agent of the account with a label, known here or only at the
// host; nil if there is none.
func labeledAgent(ctx context.Context, a *command.App, label string) (*createdAgentResult, error) {
	caller, err := a.MainCaller()
	if err != nil {
		return nil, err
	}
	if known, ok := caller.Known(label); ok && caller.SavesCredentials() && known.Label == label {
		return &createdAgentResult{Context: kept(caller), AgentID: known.NodeID, Label: known.Label}, nil
	}
	reply, err := command.Request(ctx, a, caller, caller.Main, "Looking for the agent", func(ctx context.Context, c *client.Client) (*protocol.NodesReply, error) {
		return c.Nodes(ctx)
	})
	if err != nil {
		return nil, err
	}
	for _, agent := range reply.AgentNodes {
		if agent.Label == label {
			return &createdAgentResult{AgentID: agent.AgentID, Label: label}, nil
		}
	}
	return nil, nil //nolint:nilnil // no error, and no such agent
}

// printExisting prints an agent that the account has had before, if there is one.
func printExisting(a *command.App, existing *createdAgentResult) error {
	if existing == nil {
		return nil
	}
	views := append(command.Sentence("The account has this agent already."), existing.fields())
	return a.Printer.Print(render.Document{Data: existing, Views: views})
}

func createAgentNode(ctx context.Context, a *command.App, label string, flags *command.PhraseFlags, rootFile string) (err error) {
	caller, err := a.MainCaller()
	if err != nil {
		return err
	}
	if label, err = askedLabel(ctx, a, caller, label); err != nil {
		return err
	}
	if err := labelIsFree(caller, label); err != nil {
		return err
	}
	if !caller.SavesCredentials() && label != "" && *flags == (command.PhraseFlags{}) {
		return createUnsaved(ctx, a, caller, label)
	}
	c, err := a.Client(caller, caller.Main)
	if err != nil {
		return err
	}
	defer c.Close()
	root, err := rootKey(ctx, a, c, caller.RootKey(), rootFile)
	if err != nil {
		return err
	}
	if err := canKeep(a, caller, flags); err != nil {
		return err
	}
	phrase, err := a.PhraseFor(ctx, flags)
	if err != nil {
		return err
	}
	node, err := derive(ctx, a, phrase.Hash, root)
	if err != nil {
		return errors.Join(err, phrase.Discard())
	}
	agent := creds.Agent{NodeID: node.NodeID, Label: label, PasswHash: node.Hash, Phrase: phrase.Kept(), CreatedAt: a.Now()}
	if caller.SavesCredentials() {
		end, failed := beginAgent(ctx, a, caller, agent, root)
		if failed != nil {
			return errors.Join(failed, phrase.Discard())
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	if err := registerAgent(ctx, a, c, node, label); err != nil {
		return notCreated(ctx, a, err, node.NodeID, phrase)
	}
	err = notSaved("agent", keepAgent(ctx, caller, agent, root))
	err = errors.Join(err, a.Printer.Print(createdAgent(caller, agent, phrase)))
	phrase.Exported = caller.SavesCredentials()
	a.ShowPhrase(phrase)
	return err
}

// canKeep fails if the credentials or the phrase of a new agent could not be kept.
func canKeep(a *command.App, caller *command.Caller, flags *command.PhraseFlags) error {
	switch {
	case caller.SavesCredentials():
		return canSave(a, "agent")
	case flags.Saves():
		return command.Hintf(command.Usagef("there is no context to keep the phrase in, so it would be lost"), "add --phrase-file FILE or --show-phrase")
	}
	return nil
}

// beginAgent is begin for an agent in the caller's context.
func beginAgent(ctx context.Context, a *command.App, caller *command.Caller, agent creds.Agent, root string) (end func() error, err error) {
	alone, err := creds.NewContext(caller.Context.Name, caller.Server, caller.Service, a.Now())
	if err != nil {
		return nil, err
	}
	alone.RootKey, alone.Fingerprint = root, caller.Fingerprint()
	if err := alone.AddAgent(agent); err != nil {
		return nil, err
	}
	return begin(ctx, a, &creds.Pending{Context: alone, Owner: caller.Main.NodeID}, "agent", func(file *creds.File) error {
		now, err := file.Context(caller.Context.Name)
		if err != nil {
			return err
		}
		return labelIsFree(&command.Caller{Context: now, Main: caller.Main, Server: caller.Server, Service: caller.Service}, agent.Label)
	})
}

// registerAgent registers an agent node at the host, with its label if the host accepts
// it.
func registerAgent(ctx context.Context, a *command.App, c *client.Client, node client.Credentials, label string) error {
	return a.CallWith(ctx, c, "Registering the agent", func(ctx context.Context, c *client.Client) error {
		kept := label
		if c.Service() != protocol.ServicePlay {
			kept = "" // Another service does not store labels.
		}
		_, err := c.CreateLabeledAgent(ctx, node, kept)
		if protocol.HasCode(err, protocol.CodeLabelExists) {
			a.Warn(fmt.Sprintf("another agent of the account has the label %q: this one has it only on this machine", label),
				"\"playctl list-agent-nodes\" shows which; delete that one if it is no longer used")
			_, err = c.CreateAgentNode(ctx, node)
		}
		if protocol.HasCode(err, protocol.CodeNodeExists) {
			importAgain := "playctl credentials import --agent " + command.ShellWord(cmp.Or(label, "NAME"))
			err = command.Hintf(err, "that phrase is registered already: if it is one of your agents', %q imports it", importAgain)
		}
		return err
	})
}

// askedLabel prompts for the label if there is a context to save it in: without a context
// only the id could name the agent.
func askedLabel(ctx context.Context, a *command.App, caller *command.Caller, label string) (string, error) {
	if label != "" || !caller.SavesCredentials() {
		return label, nil
	}
	label, err := a.Ask(ctx, "The agent's name:", false)
	if label = protocol.TrimSpace(label); err != nil && !errors.Is(err, command.ErrNoTerminal) {
		return "", err
	}
	if label == "" {
		return "", command.Usagef("the label is missing")
	}
	return label, nil
}

// labelIsFree refuses a label that the context would not accept, before the agent is
// created.
func labelIsFree(c *command.Caller, label string) error {
	if label == "" {
		return nil
	}
	if !c.SavesCredentials() && c.Service != protocol.ServicePlay {
		return command.Hintf(command.Usagef("there is no context of this main node to save the label %q in, and this host keeps no labels", creds.Shorten(label)),
			"omit the label and use the agent's id, or sign in first: %q", c.SignIn())
	}
	if err := creds.CheckLabel(label); err != nil {
		return command.Usagef("%w", err)
	}
	if !c.SavesCredentials() {
		return nil // The host has the labels.
	}
	if err := showsOther(c, "", label); err != nil {
		return err
	}
	if _, err := c.Context.Agent(label); err == nil {
		return hasAgent(label, fmt.Sprintf("context %q", c.Context.Name))
	}
	return nil
}

// showsOther refuses a label under which lists show another node of the context.
func showsOther(c *command.Caller, id, label string) error {
	shown := protocol.ShownAs(c.Main.NodeID, label)
	for _, agent := range c.Context.Agents() {
		shown = shown || agent.NodeID != id && protocol.ShownAs(agent.NodeID, label)
	}
	if !shown {
		return nil
	}
	return command.Hintf(command.Usagef("the label %q is the digits under which lists show another node, which no command would find then", label), "use another label")
}

// keepAgent saves a new agent in the context, if there is one, with the root key from
// which its id was derived. The host knows the node by now, so an interrupt no longer
// stops it.
func keepAgent(ctx context.Context, c *command.Caller, agent creds.Agent, rootKey string) error {
	if !c.SavesCredentials() {
		return nil
	}
	return c.Store.Update(context.WithoutCancel(ctx), func(file *creds.File) error {
		target, err := file.Context(c.Context.Name)
		if err != nil {
			return err
		}
		file.DropPending(agent.NodeID)
		target.RootKey = rootKey
		return target.AddAgent(agent)
	})
}

func createdAgent(caller *command.Caller, agent creds.Agent, phrase *command.NodePhrase) render.Document {
	result := createdAgentResult{
		Context: kept(caller), AgentID: agent.NodeID, Label: agent.Label, Created: true,
		Phrase: phrase.Shown(), PhraseFile: phrase.File,
	}
	return render.Document{Data: result, Views: []render.View{result.fields()}}
}

func (r *createdAgentResult) fields() render.Fields {
	return render.Fields{
		{Name: "agent node", Value: r.AgentID},
		{Name: "label", Value: r.Label},
		{Name: "context", Value: r.Context},
		{Name: "phrase", Value: r.Phrase},
	}
}
