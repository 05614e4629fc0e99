package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// keyFlags select the place of a new key.
type keyFlags struct {
	expires time.Duration
	file    string
	show    bool
	use     bool
	force   bool
	// ifMissing leaves an existing key of that name as it is.
	ifMissing bool
	// env prints the variables of a job, and envFile writes them.
	env     bool
	envFile string
}

// createdKeyResult is what "playctl key create" prints.
type createdKeyResult struct {
	Context   string `json:"context,omitempty"`
	Name      string `json:"name"`                // the name of the key
	ExpiresAt string `json:"expiresAt,omitempty"` // when it ends; absent for a key that does not expire
	File      string `json:"file,omitempty"`      // the file that has the key, with --api-key-file
	APIKey    string `json:"apiKey,omitempty"`    // the key, with --show-api-key
	Used      bool   `json:"used"`                // whether the context uses it from now on
	Created   bool   `json:"created"`             // false if the account has had it before, with --if-missing
	EnvFile   string `json:"envFile,omitempty"`   // the file that has the variables, with --env-file
	// Env has the variables for a job that acts as the account, with --env.
	Env map[string]string `json:"env,omitempty"`
}

func newKeyCreateCommand(a *command.App) *cobra.Command {
	var flags keyFlags
	cmd := &cobra.Command{
		Use:   "create <name>",
		Short: "Create one more API key; the others stay valid",
		Long: `Create one more API key of the context's main node. The host shows it once: --use saves it in the
context in place of the current one, and --api-key-file writes it to a file for another program.

--env prints the lines that a job needs to act as the account, NAME=VALUE, as "gh secret set --env-file -"
and "flyctl secrets import" read them; --env-file writes them to a file. Anyone who has them can do
everything with the account.`,
		Example: command.Example(
			"playctl key create ci --expires 720h --api-key-file ci.key",
			"playctl key create ci --env-file ci.env --if-missing",
			"playctl key create winter --use"),
		Args: command.Takes("name"),
		RunE: func(cmd *cobra.Command, args []string) error { return createKey(cmd.Context(), a, args[0], &flags) },
	}
	cmd.Flags().DurationVar(&flags.expires, "expires", 0, fmt.Sprintf("how long it is valid, from %dm to %dh; 0 = no expiry", protocol.MinKeySeconds/60, protocol.MaxKeySeconds/3600))
	cmd.Flags().StringVar(&flags.file, "api-key-file", "", "write the key to this new `file`, readable only by you")
	cmd.Flags().BoolVar(&flags.show, "show-api-key", false, "print the key with the result, even if others may read it")
	cmd.Flags().BoolVar(&flags.use, "use", false, "keep it in the context and use it from now on")
	cmd.Flags().BoolVar(&flags.force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&flags.env, "env", false, "print the variables for a job, with the secrets, even if others may read it")
	cmd.Flags().StringVar(&flags.envFile, "env-file", "", "write the variables for a job to this new `file`, readable only by you")
	command.RegisterIfMissing(cmd, &flags.ifMissing)
	return cmd
}

// check refuses flags that contradict each other, and a key that would be lost.
func (f *keyFlags) check() error {
	switch {
	case f.file == "" && !f.show && !f.use && !f.env && f.envFile == "":
		return command.Hintf(command.Usagef("the new key would not be shown or saved"), "add --use, --api-key-file FILE, --env-file FILE, --env or --show-api-key")
	case f.env && f.show:
		return command.Usagef("--env prints the key too: omit --show-api-key")
	case f.file != "" && f.file == f.envFile:
		return command.Usagef("--api-key-file and --env-file are the same file")
	}
	return nil
}

func createKey(ctx context.Context, a *command.App, name string, flags *keyFlags) error {
	if err := flags.check(); err != nil {
		return err
	}
	term, err := seconds(flags.expires, protocol.MinKeySeconds, protocol.MaxKeySeconds)
	if err != nil {
		return err
	}
	return a.AsMain(ctx, "Creating the key", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
		if flags.use && !caller.SavesCredentials() {
			return nil, command.Usagef("there is no context of this main node to save the key in: omit --use")
		}
		if flags.use {
			if err := canSave(a, "API key"); err != nil {
				return nil, err
			}
		}
		if flags.ifMissing {
			if existing, err := existingKey(ctx, c, caller, name); err != nil || existing != nil {
				return existing, err
			}
		}
		file, envFile, err := reserveFiles(a, flags)
		if err != nil {
			return nil, err
		}
		reply, err := c.CreateKey(ctx, protocol.CreateKeyRequest{Name: name, ExpiresInSeconds: term})
		if err != nil {
			return nil, errors.Join(err, file.discard(), envFile.discard())
		}
		result := createdKeyResult{
			Context: kept(caller), Name: name, ExpiresAt: reply.ExpiresAt, Created: true, Used: flags.use, File: file.path, EnvFile: envFile.path,
		}
		return keepKey(ctx, a, caller, reply.APIKey.Secret, &result, flags)
	})
}

// existingKey shows a key that the account has had before, nil if there is none. Its text
// is not known.
func existingKey(ctx context.Context, c *client.Client, caller *command.Caller, name string) (*render.Document, error) {
	reply, err := c.Keys(ctx)
	if err != nil {
		return nil, err
	}
	for _, key := range reply.Keys {
		if key.Name == name {
			result := createdKeyResult{Context: kept(caller), Name: name, ExpiresAt: key.ExpiresAt}
			return command.SentenceDocument(result, "The account has an API key %s already; the host does not show it again.", name), nil
		}
	}
	return nil, nil //nolint:nilnil // no error, and no such key
}

// keepKey saves a new key where the flags say, and returns the result.
func keepKey(ctx context.Context, a *command.App, caller *command.Caller, key protocol.Secret, result *createdKeyResult, flags *keyFlags) (*render.Document, error) {
	if flags.show {
		result.APIKey = key.Reveal()
	}
	unkept, unwritten := saveKey(ctx, caller, result.Name, key, result.File, flags.use)
	if unkept != nil {
		result.Used = false
	}
	if unwritten != nil {
		result.File = ""
	}
	variables := jobVariables(caller, key)
	var lines []render.View
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		lines = append(lines, render.Line(name+"="+variables[name]))
		fmt.Fprintf(&text, "%s=%s\n", name, variables[name])
	}
	if result.EnvFile != "" {
		if err := creds.WriteSecretFile(result.EnvFile, []byte(text.String()), true); err != nil {
			unwritten = errors.Join(unwritten, fmt.Errorf("save the variables: %w", err))
			result.EnvFile = ""
		}
	}
	document := createdKeyDocument(result)
	if flags.env {
		result.Env, document.Views = variables, lines
	}
	if flags.env || result.EnvFile != "" {
		a.Note("The job also needs %s=%s, which is no secret.", command.VariableOf("server"), caller.Server)
	}
	return document, errors.Join(unkept, unwritten)
}

// jobVariables returns the variables with which a job acts as the account of a caller.
func jobVariables(caller *command.Caller, key protocol.Secret) map[string]string {
	return map[string]string{
		command.EnvNodeID:    caller.Main.NodeID,
		command.EnvPasswHash: caller.Main.Hash.Reveal(),
		command.EnvAPIKey:    key.Reveal(),
	}
}

// reserveFiles creates the files of a new key, as reserveFile does.
func reserveFiles(a *command.App, flags *keyFlags) (file, envFile reservedFile, err error) {
	if file, err = reserveFile(a, flags.file, flags.force); err != nil {
		return file, envFile, err
	}
	if envFile, err = reserveFile(a, flags.envFile, flags.force); err != nil {
		err = errors.Join(err, file.discard())
	}
	return file, envFile, err
}

// reservedFile is the file of a key that is being created; path is "" for none.
type reservedFile struct {
	path string
	made bool // whether the file is new
}

// reserveFile creates the file of a key before the key: a key that cannot be saved is
// lost. An existing file is an error without force, and stays as it is until there is a
// key.
func reserveFile(a *command.App, name string, force bool) (reservedFile, error) {
	if name == "" {
		return reservedFile{}, nil
	}
	path := a.Absolute(name)
	err := creds.ReserveSecretFile(path)
	switch info, statErr := os.Stat(path); {
	case err == nil:
		return reservedFile{path, true}, nil
	case errors.Is(err, fs.ErrExist) && !force:
		return reservedFile{}, command.FileExists(name)
	case errors.Is(err, fs.ErrExist) && statErr == nil && !info.Mode().IsRegular():
		return reservedFile{}, fmt.Errorf("%s is not a regular file, so it is not replaced", name)
	case errors.Is(err, fs.ErrExist):
		return reservedFile{path, false}, nil
	}
	return reservedFile{}, fmt.Errorf("create the file for the API key: %w", err)
}

// discard removes the file if it is new.
func (f reservedFile) discard() error {
	if !f.made {
		return nil
	}
	if err := os.Remove(f.path); err != nil {
		return fmt.Errorf("remove the file of the key: %w", err)
	}
	return nil
}

// seconds returns the term of --expires in seconds; with 0 the host decides.
func seconds(term time.Duration, least, most int) (int, error) {
	shortest, longest := time.Duration(least)*time.Second, time.Duration(most)*time.Second
	switch {
	case term != 0 && term < shortest:
		return 0, command.Usagef("--expires is %v, but must be at least %v", term, shortest)
	case term > longest:
		return 0, command.Usagef("--expires is %v, but must be at most %v", term, longest)
	}
	return int(term / time.Second), nil
}

// saveKey saves a new key: in the context with use, and in the file if there is one. The
// context is first, because commands need a valid key.
func saveKey(ctx context.Context, caller *command.Caller, name string, key protocol.Secret, file string, use bool) (unkept, unwritten error) {
	if use {
		unkept = caller.Change(ctx, func(target *creds.Context) error {
			target.Main.APIKey, target.Main.KeyName = key, name
			return nil
		})
	}
	if file != "" {
		if err := creds.WriteSecretFile(file, []byte(key.Reveal()+"\n"), true); err != nil {
			unwritten = fmt.Errorf("save the API key: %w", err)
		}
	}
	return unkept, unwritten
}

func createdKeyDocument(result *createdKeyResult) *render.Document {
	used := ""
	if result.Used {
		used = result.Context
	}
	return &render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "API key", Value: result.Name},
		{Name: "expires", Value: result.ExpiresAt},
		{Name: "kept in context", Value: used},
		{Name: "written to", Value: result.File},
		{Name: "variables in", Value: result.EnvFile},
		{Name: "key", Value: result.APIKey},
	}}}
}
