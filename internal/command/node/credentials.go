package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

func newCredentialsCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "credentials",
		GroupID: command.GroupNodes,
		Short:   "Import, export and delete saved credentials",
		Long: `Import, export and delete saved credentials. The credentials file holds a context
for each host: its server, your main node there and your agents. Only you can read it.`,
		Example: command.Example("playctl credentials import ~/.agent-play/credentials.json --context play"),
	}, newCredentialsImportCommand(a), newCredentialsExportCommand(a), newCredentialsClearCommand(a))
}

func newCredentialsImportCommand(a *command.App) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "import [file]",
		Short: "Sign in on this machine with a recovery phrase, or import a credentials file",
		Long: `Sign in on this machine. Without a file it asks for the phrase of a main node, or reads it from
--phrase-from; the host must have the node. With --agent it is the phrase of an agent, which joins
the context under that label.

With a file, - for standard input, it imports a credentials file: a context of playctl's own file,
or a file of "playctl credentials export" or of the agent-play service. Agents without a label get
agent-1, agent-2 and so on; --server and --service set the host's address if the file does not have
it. The host gets the labels that it does not have yet.

Phrases are hashed and forgotten unless --keep-phrase is given.`,
		Example: command.Example(
			"playctl credentials import --context home",
			"playctl credentials import --agent Ada --phrase-from ada.txt",
			"playctl credentials import credentials.json --context play"),
		Args: command.Takes("file?"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && flags.agent != "":
				return importAgent(cmd.Context(), a, &flags)
			case len(args) == 0:
				return importMain(cmd.Context(), a, &flags)
			case flags.from != "" || flags.agent != "":
				return command.Usagef("--phrase-from and --agent are for a phrase, not for a file: use one or the other")
			}
			return importCredentials(cmd.Context(), a, args[0], flags.keep, flags.replace)
		},
	}
	cmd.Flags().StringVar(&flags.from, "phrase-from", "", "read the phrase from this `file` instead of asking; - is standard input")
	cmd.Flags().StringVar(&flags.agent, "agent", "", "the phrase is an agent's, which gets this `label`")
	registerRootFile(cmd, &flags.rootFile)
	cmd.Flags().BoolVar(&flags.keep, "keep-phrase", false, "keep the phrases in the credentials file, which otherwise holds only their hashes")
	cmd.Flags().BoolVar(&flags.replace, "replace", false, "replace a context of that name")
	return cmd
}

func importCredentials(ctx context.Context, a *command.App, name string, keep, replace bool) error {
	text, err := a.ReadText(name, maxCredentials)
	if err != nil {
		return err
	}
	options := creds.ImportOptions{Name: cmp.Or(a.Settings.Context, command.DefaultContext), KeepPhrases: keep, Now: a.Now()}
	if options.Service, err = a.ServiceOr(""); err != nil {
		return err
	}
	imported, err := creds.ParseImport(command.InputName(name), text, options)
	if err != nil {
		return err
	}
	if a.Settings.Server != "" {
		if imported.ServerURL, err = creds.ParseServerURL(a.Settings.Server); err != nil {
			return command.BadSetting(a.Sources.Where("server"), err)
		}
	}
	store, err := a.CredentialsStore()
	if err != nil {
		return err
	}
	if err := putImported(ctx, a, imported, replace, false); err != nil {
		return err
	}
	caller := command.CallerOf(imported)
	caller.Store = store
	shareLabels(ctx, a, caller, imported.ChosenLabels())
	return nil
}

// maxCredentials limits the size of an imported credentials file.
const maxCredentials = 8 << 20

// exportedResult is what "playctl credentials export" prints if it wrote a file.
type exportedResult struct {
	Context string `json:"context"`
	File    string `json:"file"`  // the file that was written
	Nodes   int    `json:"nodes"` // how many nodes are in it
}

func newCredentialsExportCommand(a *command.App) *cobra.Command {
	var file string
	var force bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the context as a credentials file that agent-play can also read",
		Long: `Write the context as a credentials file in the form of the agent-play service, with the labels, the
API key and the service beside it, so that "playctl credentials import" creates the same context
from it. The file holds phrases as plain text, so it works only if they were kept with
--keep-phrase. Only you can read the file; --file - prints it instead. Without phrases, copy the
credentials file itself: import accepts that, too.`,
		Example: command.Example("playctl credentials export --file credentials.json"),
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			if file == "" {
				return command.Usagef("set the file to write with --file")
			}
			return exportCredentials(a, file, force)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "the `file` to write; - is standard output")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cmd
}

func exportCredentials(a *command.App, name string, force bool) error {
	chosen, _, err := namedContext(a, nil)
	if err != nil {
		return err
	}
	text, err := creds.ExportAgentPlay(chosen)
	if err != nil {
		return err
	}
	path, err := writeExport(a, name, "the credentials", text, force)
	if err != nil || path == "" {
		return err
	}
	result := exportedResult{Context: chosen.Name, File: path, Nodes: 1 + len(chosen.Agents())}
	return a.PrintSentence(result, "Wrote %s. It holds phrases: keep it secret.", path)
}

// clearedResult is what "playctl credentials clear" prints.
type clearedResult struct {
	Contexts []string `json:"contexts"` // the names of the contexts that were deleted
}

func newCredentialsClearCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "Delete every context, or with --context that one",
		Long: `Delete every context, or with --context that one. The nodes stay on their hosts: without their
phrases they can no longer be used.`,
		Example: command.Example("playctl credentials clear --context old", "playctl credentials clear --yes"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return clearCredentials(cmd.Context(), a)
		},
	}
	command.RegisterConfirmation(cmd)
	return cmd
}

func clearCredentials(ctx context.Context, a *command.App) error {
	_, file, err := a.CredentialsFile()
	if err != nil {
		return err
	}
	names := file.Names()
	if name := a.Settings.Context; name != "" {
		if _, err := a.ChooseContext(file); err != nil {
			return err
		}
		names = []string{name}
	}
	find := func() (all []command.Change, err error) {
		for _, name := range names {
			cleared, err := file.Context(name)
			if err != nil {
				return nil, err
			}
			all = append(all, contextChanges(cleared)...)
		}
		return all, nil
	}
	if len(names) > 0 {
		if err := a.Confirm(ctx, "Delete the credentials of "+command.Plural(len(names), "context", "contexts")+"?", find); err != nil {
			return err
		}
	}
	err = changeContexts(ctx, a, func(file *creds.File) error {
		for _, name := range names {
			if err := file.Remove(name); err != nil {
				return err
			}
		}
		for _, node := range file.Pending() {
			if slices.Contains(names, node.Context.Name) || a.Settings.Context == "" {
				file.DropPending(node.NodeID())
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.PrintSentence(clearedResult{Contexts: append([]string{}, names...)}, "Deleted %s.", command.Plural(len(names), "context", "contexts"))
}

// importFlags are the flags of "playctl credentials import".
type importFlags struct {
	from     string
	agent    string
	rootFile string
	keep     bool
	replace  bool
}

// recalled is a node that was restored from its phrase.
type recalled struct {
	node    client.Credentials
	kept    protocol.Secret
	rootKey string
	// fault describes how the phrase differs from those that playctl generates.
	fault string
}

// recall reads a phrase and derives its node.
func recall(ctx context.Context, a *command.App, caller *command.Caller, flags *importFlags, question string) (found recalled, err error) {
	c, err := a.Client(caller, caller.Main)
	if err != nil {
		return recalled{}, err
	}
	defer c.Close()
	if found.rootKey, err = rootKey(ctx, a, c, caller.RootKey(), flags.rootFile); err != nil {
		return recalled{}, err
	}
	phrase, err := a.ReadPhrase(ctx, flags.from, question)
	if err != nil {
		return recalled{}, err
	}
	found.fault = creds.PhraseFault(phrase)
	found.node, err = derive(ctx, a, creds.HashPhrase(phrase.Reveal()), found.rootKey)
	if err == nil && flags.keep {
		found.kept = phrase
	}
	return found, err
}

// importMain creates a context from a main node's phrase. The host must know the node;
// the API key is not restored, because it is shown only once.
func importMain(ctx context.Context, a *command.App, flags *importFlags) error {
	place, err := newAccount(ctx, a, nil, flags.replace)
	if errors.Is(err, command.ErrContextTaken) {
		return command.Hintf(err, "use a new name with --context, or add --replace")
	}
	if err != nil {
		return err
	}
	target := place.Context
	caller := &command.Caller{Context: target, Server: target.ServerURL, Service: target.Service}
	found, err := recall(ctx, a, caller, flags, "The phrase of the main node at "+target.ServerURL+":")
	if err != nil {
		return err
	}
	target.RootKey, caller.Main = found.rootKey, found.node
	if err := confirmHost(ctx, a, target, false); err != nil {
		return err
	}
	if err := confirmNode(ctx, a, caller, protocol.ValidateRequest{}, found.fault); err != nil {
		return err
	}
	target.Main = &creds.MainNode{NodeID: found.node.NodeID, PasswHash: found.node.Hash, Phrase: found.kept, CreatedAt: a.Now()}
	current, err := keepContext(ctx, a, target, flags.replace, false)
	if err != nil {
		return err
	}
	if err := a.Printer.Print(contextDocument(target, current)); err != nil {
		return err
	}
	if target.Main.APIKey.IsZero() {
		noteNoKey(a, caller)
	}
	return nil
}

// importAgent restores an agent of the context's main node from its phrase.
func importAgent(ctx context.Context, a *command.App, flags *importFlags) error {
	caller, err := a.Caller()
	if err != nil {
		return err
	}
	if caller.Main.IsZero() || !caller.SavesCredentials() {
		return caller.NoMain()
	}
	if err := labelIsFree(caller, flags.agent); err != nil {
		return err
	}
	found, err := recall(ctx, a, caller, flags, "The phrase of the agent at "+caller.Server+":")
	if err != nil {
		return err
	}
	request := protocol.ValidateRequest{NodeID: found.node.NodeID, MainNodeID: caller.Main.NodeID}
	if err := confirmNode(ctx, a, caller, request, found.fault); err != nil {
		return err
	}
	agent := creds.Agent{NodeID: found.node.NodeID, Label: flags.agent, PasswHash: found.node.Hash, Phrase: found.kept, CreatedAt: a.Now()}
	if err := keepAgent(ctx, caller, agent, found.rootKey); err != nil {
		return err
	}
	if err := a.Printer.Print(createdAgent(caller, agent, &command.NodePhrase{Flags: &command.PhraseFlags{}})); err != nil {
		return err
	}
	shareLabels(ctx, a, caller, []creds.Agent{agent})
	return nil
}

// errAgentPhrase means that a phrase belongs to an agent instead of an account.
var errAgentPhrase = errors.New("this is the phrase of an agent, not of its account")

// confirmNode asks the host whether a node exists and its phrase is right.
func confirmNode(ctx context.Context, a *command.App, caller *command.Caller, request protocol.ValidateRequest, fault string) error {
	err := a.Call(ctx, caller, caller.Main, "Asking the host", func(ctx context.Context, c *client.Client) error {
		reply, err := c.ValidateNode(ctx, request)
		switch {
		case err != nil:
		case !reply.OK:
			err = fmt.Errorf("%w: the host says %q of this node", command.ErrUnverified, reply.Reason)
		case reply.NodeKind == protocol.NodeKindAgent && request.MainNodeID == "":
			err = errAgentPhrase
		}
		return err
	})
	switch {
	case errors.Is(err, errAgentPhrase):
		return command.Hintf(err, "the account's phrase signs in, and then all its agents can be used by name; "+
			"\"playctl credentials import --agent NAME\" adds an agent by its own phrase to the context of its account")
	case err == nil, !protocol.HasCode(err, protocol.CodeCredentialsInvalid, protocol.CodeForbidden) && !errors.Is(err, command.ErrUnverified):
		return err
	case fault != "":
		return command.Hintf(err, "is the phrase right? %s", strings.ToUpper(fault[:1])+fault[1:])
	}
	return command.Hintf(err, "the host has no node with this phrase: is the phrase right, and is the root key the host's?")
}
