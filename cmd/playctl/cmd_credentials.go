package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

func newCredentialsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "credentials",
		Short: "Bring credentials in, take them out, forget them",
		Long: `Bring credentials in, take them out, forget them. The credentials file holds a context
for each host: its server, your main node there and your agents. Only you can read it.`,
		Example: example("playctl credentials import ~/.agent-play/credentials.json --context play"),
		Args:    cobra.ArbitraryArgs,
		RunE:    runGroup,
	}
	cmd.AddCommand(newCredentialsImportCommand(a), newCredentialsExportCommand(a), newCredentialsClearCommand(a))
	return cmd
}

func newCredentialsImportCommand(a *app) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "import [file]",
		Short: "Make a context of a phrase, or of an agent-play file",
		Long: `Make a context of what you have. Without a file it asks for the phrase of a main node, or
takes it from --phrase-from; the host must know the node. With --agent it is the phrase of
an agent, which joins the context under that label.

With a file, - for standard input, it takes over a credentials file of the agent-play
service. The agents get the labels agent-1, agent-2 and so on.

Phrases are hashed and forgotten unless --keep-phrase is given.`,
		Example: example(
			"playctl credentials import --context home",
			"playctl credentials import --agent Ada --phrase-from ada.txt",
			"playctl credentials import credentials.json --context play"),
		Args: takes("file?"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && flags.agent != "":
				return a.importAgent(cmd.Context(), &flags)
			case len(args) == 0:
				return a.importMain(cmd.Context(), &flags)
			case flags.from != "" || flags.agent != "":
				return usagef("--phrase-from and --agent are for a phrase, and there is a file: use one of them")
			}
			return a.importCredentials(cmd.Context(), args[0], flags.keep, flags.replace)
		},
	}
	cmd.Flags().StringVar(&flags.from, "phrase-from", "", "read the phrase from this `file` instead of asking; - is standard input")
	cmd.Flags().StringVar(&flags.agent, "agent", "", "it is the phrase of an agent, which gets this `label`")
	registerRootFile(cmd, &flags.rootFile)
	cmd.Flags().BoolVar(&flags.keep, "keep-phrase", false, "keep the phrases in the credentials file, which otherwise holds their hashes only")
	cmd.Flags().BoolVar(&flags.replace, "replace", false, "replace a context of that name")
	return cmd
}

func (a *app) importCredentials(ctx context.Context, name string, keep, replace bool) error {
	text, err := a.readText(name, maxCredentials)
	if err != nil {
		return err
	}
	options := creds.ImportOptions{Name: a.settings.context, KeepPhrases: keep, Now: a.Now()}
	if options.Name == "" {
		options.Name = defaultContext
	}
	imported, err := creds.ParseAgentPlay(inputName(name), text, options)
	if err != nil {
		return err
	}
	store, err := a.credentialsStore()
	if err != nil {
		return err
	}
	err = store.Update(ctx, func(file *creds.File) error {
		if replace {
			return file.Put(imported)
		}
		return file.Add(imported)
	})
	if errors.Is(err, creds.ErrContextExists) {
		return hintf(err, "name another with --context, or add --replace")
	}
	if err != nil {
		return err
	}
	return a.printer.Print(contextDocument(imported, false))
}

// maxCredentials bounds an imported credentials file.
const maxCredentials = 8 << 20

// exportedResult is what "playctl credentials export" prints if it wrote a file.
type exportedResult struct {
	Context string `json:"context"`
	File    string `json:"file"`
	Nodes   int    `json:"nodes"`
}

func newCredentialsExportCommand(a *app) *cobra.Command {
	var file string
	var force bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the context as an agent-play credentials file",
		Long: `Write the context as a credentials file of the agent-play service. That file holds phrases
in clear, so it works only where they were kept with --keep-phrase, and it goes to a file
that only you can read. --file - prints it instead.`,
		Example: example("playctl credentials export --file credentials.json"),
		Args:    takes(),
		RunE: func(*cobra.Command, []string) error {
			if file == "" {
				return usagef("name the file to write with --file")
			}
			return a.exportCredentials(file, force)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "the `file` to write; - is standard output")
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}

func (a *app) exportCredentials(name string, force bool) error {
	store, err := a.credentialsStore()
	if err != nil {
		return err
	}
	file, err := store.Load()
	if err != nil {
		return err
	}
	chosen, err := file.Select(a.settings.context)
	if err != nil {
		return err
	}
	text, err := creds.ExportAgentPlay(chosen)
	if err != nil {
		return err
	}
	if name == "-" {
		if _, err := a.Stdout.Write(text); err != nil {
			return fmt.Errorf("write the credentials: %w", err)
		}
		return nil
	}
	path := a.absolute(name)
	if err := creds.WriteSecretFile(path, text, force); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return hintf(fmt.Errorf("%s: there is a file already", name), "name another file, or add --force")
		}
		return fmt.Errorf("export the credentials: %w", err)
	}
	return a.printer.Print(render.Document{
		Data:  exportedResult{Context: chosen.Name, File: path, Nodes: 1 + len(chosen.Agents())},
		Views: []render.View{render.Line("Wrote " + render.Clean(path) + ". It holds phrases: keep it secret.")},
	})
}

// clearedResult is what "playctl credentials clear" prints.
type clearedResult struct {
	Contexts []string `json:"contexts"`
}

func newCredentialsClearCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "Forget every context, or with --context that one",
		Long: `Forget every context, or with --context that one. The nodes stay on their hosts: without
their phrases nobody can call as them any more.`,
		Example: example("playctl credentials clear --context old", "playctl credentials clear --yes"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.clearCredentials(cmd.Context(), yes)
		},
	}
	registerYes(cmd, &yes)
	return cmd
}

func (a *app) clearCredentials(ctx context.Context, yes bool) error {
	store, err := a.credentialsStore()
	if err != nil {
		return err
	}
	file, err := store.Load()
	if err != nil {
		return err
	}
	names := file.Names()
	if name := a.settings.context; name != "" {
		if _, err := file.Context(name); err != nil {
			return err
		}
		names = []string{name}
	}
	if len(names) > 0 {
		if err := a.confirm(ctx, yes, "Forget the credentials of "+plural(len(names), "context", "contexts")+"?"); err != nil {
			return err
		}
	}
	err = store.Update(ctx, func(file *creds.File) error {
		for _, name := range names {
			if err := file.Remove(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.printer.Print(render.Document{
		Data:  clearedResult{Contexts: append([]string{}, names...)},
		Views: []render.View{render.Line("Forgot " + plural(len(names), "context", "contexts") + ".")},
	})
}
