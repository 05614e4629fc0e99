package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

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
	var show, yes bool
	cmd := &cobra.Command{
		Use:     "create-api-key",
		GroupID: command.GroupNodes,
		Short:   "Create a new API key; the old one stops working at once",
		Long: `Create a new API key for the context's main node. The previous one stops working at once. The key is
saved in the context; for another program, add --api-key-file or --show-api-key.`,
		Example: command.Example("playctl create-api-key", "playctl create-api-key --api-key-file ci.key"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := holdsOnlyKey(a, file); err != nil {
				return err
			}
			if err := a.ConfirmIfSeen(cmd.Context(), yes, replacesKey(a, file), nil); err != nil {
				return err
			}
			return a.AsMain(cmd.Context(), "Creating the key", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				if !caller.SavesCredentials() && file == "" && !show {
					return nil, command.Hintf(command.Usagef("there is no context to save the key in, so it would be lost"),
						"add --api-key-file FILE or --show-api-key")
				}
				reply, err := c.CreateAPIKey(ctx)
				if err != nil {
					return nil, err
				}
				return keepAPIKey(ctx, a, caller, reply.APIKey.Secret, file, show)
			})
		},
	}
	cmd.Flags().StringVar(&file, "api-key-file", "", "write the key to this `file` as well, readable only by you")
	cmd.Flags().BoolVar(&show, "show-api-key", false, "print the key with the result, even if others may read it")
	command.RegisterYes(cmd, &yes)
	return cmd
}

// holdsOnlyKey refuses to overwrite a file that has anything but a key.
func holdsOnlyKey(a *command.App, file string) error {
	if file == "" {
		return nil
	}
	info, err := os.Stat(a.Absolute(file))
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil //nolint:nilerr // the write reports the error
	}
	text, err := a.ReadInput(file, protocol.MaxBodyBytes)
	if key := strings.TrimSpace(string(text)); err != nil || !strings.HasPrefix(key, "pk_") || strings.ContainsAny(key, " \t\r\n") {
		return command.Hintf(fmt.Errorf("%s already exists, and is not an API key", file), "use another file; only a file with an API key is replaced")
	}
	return nil
}

// replacesKey returns the question whether a new key may replace the old one everywhere.
func replacesKey(a *command.App, file string) string {
	if _, err := os.Stat(a.Absolute(file)); file != "" && err == nil {
		return fmt.Sprintf("Create a new API key and write it over the one in %s? The old one stops working at once, on every machine.", render.Clean(file))
	}
	return "Create a new API key? The old one stops working at once, on every machine."
}

// keepAPIKey saves a new key. The old one is invalid by now, so an interrupt no longer
// stops it.
func keepAPIKey(ctx context.Context, a *command.App, caller *command.Caller, key protocol.Secret, file string, show bool) (*render.Document, error) {
	result := apiKeyResult{Context: kept(caller), NodeID: caller.Main.NodeID, UnconfirmedHosts: a.Unconfirmed()}
	if file != "" {
		result.File = a.Absolute(file)
	}
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
	Phrase     string `json:"phrase,omitempty"`
	PhraseFile string `json:"phraseFile,omitempty"`
}

func newCreateAgentNodeCommand(a *command.App) *cobra.Command {
	var phrase command.PhraseFlags
	var rootFile string
	cmd := &cobra.Command{
		Use:     "create-agent-node [label]",
		GroupID: command.GroupNodes,
		Short:   "Create an agent node of your main node",
		Long: `Create an agent node of the context's main node. Its credentials are saved in the context under the
label, by which other commands find the agent: "playctl add-agent Ada". Without a label it asks for
one. If there is no context, as in a job with credentials from the environment, the agent gets no
label.`,
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
			return createAgentNode(cmd.Context(), a, label, &phrase, rootFile)
		},
	}
	phrase.Register(cmd.Flags())
	registerRootFile(cmd, &rootFile)
	return cmd
}

func createAgentNode(ctx context.Context, a *command.App, label string, flags *command.PhraseFlags, rootFile string) error {
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
	c, err := a.Client(caller, caller.Main)
	if err != nil {
		return err
	}
	defer c.Close()
	root, err := rootKey(ctx, a, c, caller.RootKey(), rootFile)
	if err != nil {
		return err
	}
	if caller.SavesCredentials() {
		if err := canSave(a, "agent"); err != nil {
			return err
		}
	}
	phrase, err := a.PhraseFor(ctx, flags)
	if err != nil {
		return err
	}
	node, err := derive(a, phrase.Hash, root)
	if err != nil {
		return errors.Join(err, phrase.Discard())
	}
	err = registerAgent(ctx, a, c, node, label)
	importAgain := "playctl credentials import --agent " + command.ShellWord(cmp.Or(label, "NAME"))
	if protocol.HasCode(err, protocol.CodeNodeExists) {
		err = command.Hintf(err, "that phrase is registered already: if it is one of your agents', %q imports it", importAgain)
	}
	if err != nil {
		return notCreated(a, err, phrase)
	}
	agent := creds.Agent{NodeID: node.NodeID, Label: label, PasswHash: node.Hash, Phrase: phrase.Kept(), CreatedAt: a.Now()}
	err = notSaved("agent", importAgain, keepAgent(ctx, caller, agent, root))
	err = errors.Join(err, a.Printer.Print(createdAgent(caller, agent, phrase)))
	a.ShowPhrase(phrase)
	return err
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
	if !c.SavesCredentials() {
		return command.Hintf(command.Usagef("there is no context of this main node to save the label %q in, so no command would find it", creds.Shorten(label)),
			"omit the label and use the agent's id, or sign in first: %q", c.SignIn())
	}
	if err := creds.CheckLabel(label); err != nil {
		return command.Usagef("%w", err)
	}
	if _, err := c.Context.Agent(label); err == nil {
		return command.Hintf(fmt.Errorf("an agent %q already exists in context %q", label, c.Context.Name), "use another label")
	}
	return nil
}

// keepAgent saves a new agent in the context, if there is one, with the root key from
// which its id was derived. The host knows the node by now, so an interrupt no longer
// stops it.
func keepAgent(ctx context.Context, c *command.Caller, agent creds.Agent, rootKey string) error {
	return c.Change(ctx, func(target *creds.Context) error {
		target.RootKey = rootKey
		return target.AddAgent(agent)
	})
}

func createdAgent(caller *command.Caller, agent creds.Agent, phrase *command.NodePhrase) render.Document {
	result := createdAgentResult{
		Context: kept(caller), AgentID: agent.NodeID, Label: agent.Label,
		Phrase: phrase.Shown(), PhraseFile: phrase.File,
	}
	return render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "agent node", Value: result.AgentID},
		{Name: "label", Value: result.Label},
		{Name: "context", Value: result.Context},
		{Name: "phrase", Value: result.Phrase},
	}}}
}

// createNamedAgent creates the agent node whose credentials are derived from the
// account's credentials and a name. If another program created it before, it returns that
// one.
func createNamedAgent(ctx context.Context, a *command.App, caller *command.Caller, name string) (command.AgentRef, error) {
	c, err := a.Client(caller, caller.Main)
	if err != nil {
		return command.AgentRef{}, err
	}
	defer c.Close()
	root, err := rootKey(ctx, a, c, caller.RootKey(), "")
	if err != nil {
		return command.AgentRef{}, err
	}
	node, err := derive(a, creds.NamedAgentHash(caller.Main.Hash, name), root)
	if err != nil {
		return command.AgentRef{}, err
	}
	label := name
	if c.Service() != protocol.ServicePlay || creds.CheckLabel(name) != nil {
		label = ""
	}
	err = a.CallWith(ctx, c, "Registering the agent", func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateLabeledAgent(ctx, node, label)
		if protocol.HasCode(err, protocol.CodeNodeExists) {
			return nil
		}
		return err
	})
	if err != nil {
		return command.AgentRef{}, err
	}
	return command.AgentRef{ID: node.NodeID, Label: name, Node: node, Own: true}, nil
}
