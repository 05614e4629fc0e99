package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// bundleFlags are the flags of "playctl context export".
type bundleFlags struct {
	file           string
	force          bool
	encrypt        bool
	passphraseFile string
	agent          string
	keyFile        string
}

// bundleResult is what "playctl context export" prints if it wrote a file.
type bundleResult struct {
	Context   string `json:"context"`
	File      string `json:"file"`      // the file that was written
	Encrypted bool   `json:"encrypted"` // whether it is encrypted
	Agents    int    `json:"agents"`    // how many agents are in it
}

func newContextExportCommand(a *command.App) *cobra.Command {
	var flags bundleFlags
	cmd := &cobra.Command{
		Use:   "export [name]",
		Short: "Write a context into a file, to take it to another machine",
		Long: `Write a context, or the one in use, into a file: the host with its root key and certificate, your
main node with its API key, the agents with their labels. "playctl context import" creates the same
context from it. With --encrypt it asks for a passphrase, or reads it from --passphrase-file, and
encrypts the file with age (age-encryption.org). Otherwise anyone who reads the file can act as you.

With --agent the file has that agent and no main node, for a machine that runs this agent and needs
no other rights. Its API key is the one in --api-key-file; create one for that machine with "playctl
key create".`,
		Example: command.Example(
			"playctl context export --encrypt --file home.age",
			"playctl context export --agent Ada --api-key-file ci.key --file ada.json"),
		Args:              command.Takes("name?"),
		ValidArgsFunction: a.CompletesContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.file == "" {
				return command.Usagef("set the file to write with --file; - is standard output")
			}
			if flags.keyFile != "" && flags.agent == "" || flags.passphraseFile != "" && !flags.encrypt {
				return command.Usagef("--api-key-file requires --agent, and --passphrase-file requires --encrypt")
			}
			return exportContext(cmd.Context(), a, args, &flags)
		},
	}
	cmd.Flags().StringVar(&flags.file, "file", "", "the `file` to write, readable only by you; - is standard output")
	cmd.Flags().BoolVar(&flags.force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&flags.encrypt, "encrypt", false, "encrypt it with a passphrase, using age")
	cmd.Flags().StringVar(&flags.passphraseFile, "passphrase-file", "", "read the passphrase from this `file`; - is standard input")
	cmd.Flags().StringVar(&flags.agent, "agent", "", "only this `agent`, without the main node")
	cmd.Flags().StringVar(&flags.keyFile, "api-key-file", "", "with --agent, the `file` with the API key to include")
	return cmd
}

func exportContext(ctx context.Context, a *command.App, args []string, flags *bundleFlags) error {
	chosen, _, err := namedContext(a, args)
	if err != nil {
		return err
	}
	if flags.agent != "" {
		if chosen, err = agentContext(a, chosen, flags); err != nil {
			return err
		}
	}
	text, err := creds.Bundle(chosen)
	if err == nil && flags.encrypt {
		text, err = encrypted(ctx, a, text, flags.passphraseFile)
	}
	if err != nil {
		return err
	}
	path, err := writeExport(a, flags.file, "the context", text, flags.force)
	if err != nil || path == "" {
		return err
	}
	what, caller := "context "+chosen.Name, "you"
	if flags.agent != "" {
		what, caller = "the agent "+flags.agent+" of "+what, "this agent"
	}
	kind := "It is not encrypted: anyone who reads it can act as " + caller + "."
	if flags.encrypt {
		kind = "It is encrypted."
	}
	result := bundleResult{Context: chosen.Name, File: path, Encrypted: flags.encrypt, Agents: len(chosen.Agents())}
	return a.PrintSentence(result, "Wrote %s to %s. %s", what, path, kind)
}

// writeExport writes an export to a file that only its owner can read, and returns its
// path; for "-" it writes to standard output, which has no path.
func writeExport(a *command.App, name, what string, text []byte, force bool) (path string, err error) {
	if name == "-" {
		if _, err := a.Stdout.Write(text); err != nil {
			return "", fmt.Errorf("write %s: %w", what, err)
		}
		return "", nil
	}
	path = a.Absolute(name)
	err = creds.WriteSecretFile(path, text, force)
	if errors.Is(err, fs.ErrExist) {
		return "", command.FileExists(name)
	}
	if err != nil {
		return "", fmt.Errorf("export %s: %w", what, err)
	}
	return path, nil
}

// agentContext returns a context with one agent of another context, and no main node.
func agentContext(a *command.App, from *creds.Context, flags *bundleFlags) (*creds.Context, error) {
	agent, err := from.Agent(flags.agent)
	if err != nil {
		return nil, command.Hintf(fmt.Errorf("%q: %w, with credentials of its own", flags.agent, err),
			"\"playctl context show\" lists them; with the phrase of another, \"playctl credentials import --agent NAME --phrase-from FILE\" adds it")
	}
	key, err := a.ReadToken(flags.keyFile)
	if err != nil {
		return nil, err
	}
	if key.IsZero() {
		a.Note("No API key is included. If the host requires one, create it with \"playctl key create NAME --api-key-file FILE\" and add --api-key-file FILE.")
	}
	only, err := creds.NewContext(from.Name, from.ServerURL, from.Service, a.Now())
	if err != nil {
		return nil, err
	}
	only.RootKey, only.Fingerprint, only.APIKey = from.RootKey, from.Fingerprint, key
	agent.Phrase = protocol.Secret{}
	if err := only.AddAgent(agent); err != nil {
		return nil, err
	}
	return only, nil
}

// leastPassphrase is the least length of a passphrase in characters: an attacker needs no
// host to guess it.
const leastPassphrase = 12

// encrypted prompts for a passphrase, twice, and encrypts a context with it.
func encrypted(ctx context.Context, a *command.App, text []byte, file string) ([]byte, error) {
	passphrase, err := readPassphrase(ctx, a, file, fmt.Sprintf("A passphrase for the file, of at least %d characters:", leastPassphrase))
	if err != nil {
		return nil, err
	}
	if len([]rune(passphrase.Reveal())) < leastPassphrase {
		return nil, command.BadInput(fmt.Errorf("the passphrase is shorter than %d characters: others could guess it", leastPassphrase))
	}
	if file == "" {
		again, err := readPassphrase(ctx, a, "", "Repeat the passphrase:")
		if err != nil {
			return nil, err
		}
		if !again.Equal(passphrase) {
			return nil, command.BadInput(errors.New("the two passphrases differ: nothing was written"))
		}
	}
	return command.Interruptible(ctx, a, "Encrypting", func() ([]byte, error) { return creds.Encrypt(text, passphrase) })
}

// readPassphrase reads a passphrase: from a file or standard input if one is named, else
// from a prompt.
func readPassphrase(ctx context.Context, a *command.App, file, question string) (protocol.Secret, error) {
	text, err := a.ReadHidden(ctx, file, question, "passphrase", "passphrase-file")
	if err != nil && file != "" {
		err = command.BadInput(err)
	}
	if err != nil {
		return protocol.Secret{}, err
	}
	if text = protocol.TrimSpace(text); text == "" {
		return protocol.Secret{}, command.BadInput(errors.New("the passphrase is empty"))
	}
	return protocol.NewSecret(text), nil
}

func newContextImportCommand(a *command.App) *cobra.Command {
	var passphraseFile string
	var replace, use bool
	cmd := &cobra.Command{
		Use:   "import <file>",
		Short: "Create a context from a file that \"playctl context export\" wrote",
		Long: `Create a context from a file that "playctl context export" wrote; - is standard input. For an
encrypted file it asks for the passphrase, or reads it from --passphrase-file. --context gives the
context another name.`,
		Example: command.Example(
			"playctl context import home.age",
			"playctl context import ada.json --context ci --use"),
		Args: command.Takes("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return importContext(cmd.Context(), a, args[0], passphraseFile, replace, use)
		},
	}
	cmd.Flags().StringVar(&passphraseFile, "passphrase-file", "", "read the passphrase from this `file`; - is standard input")
	cmd.Flags().BoolVar(&replace, "replace", false, "replace a context of that name")
	cmd.Flags().BoolVar(&use, "use", false, "use it from now on")
	return cmd
}

func importContext(ctx context.Context, a *command.App, name, passphraseFile string, replace, use bool) error {
	text, err := a.ReadText(name, maxCredentials)
	if err != nil {
		return command.BadInput(err)
	}
	if creds.IsEncrypted(text) {
		passphrase, err := readPassphrase(ctx, a, passphraseFile, "The passphrase of the file:")
		if err != nil {
			return err
		}
		text, err = command.Interruptible(ctx, a, "Opening the file", func() ([]byte, error) { return creds.Decrypt(text, passphrase) })
		if err != nil {
			return fmt.Errorf("%s: %w", command.InputName(name), err)
		}
	}
	imported, err := creds.ParseBundle(command.InputName(name), text)
	if err != nil {
		return err
	}
	if a.Settings.Context != "" {
		imported.Name = a.Settings.Context
	}
	return putImported(ctx, a, imported, replace, use)
}
