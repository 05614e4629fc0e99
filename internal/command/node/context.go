package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

func newContextCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:        "context",
		SuggestFor: []string{"ctx", "contexts", "profile"},
		GroupID:    command.GroupNodes,
		Short:      "Work with several hosts",
		Long: `Work with several hosts. A context is a name for a host and your credentials there. One
of them is in use; --context or PLAYCTL_CONTEXT picks another for one run.`,
		Example: command.Example("playctl context list", "playctl context use work"),
	}, newContextAddCommand(a), newContextListCommand(a), newContextUseCommand(a),
		newContextShowCommand(a), newContextRemoveCommand(a), newContextRenameCommand(a), newContextEditCommand(a),
		newContextExportCommand(a), newContextImportCommand(a))
}

func newContextAddCommand(a *command.App) *cobra.Command {
	var use, ifMissing bool
	var fingerprint string
	cmd := &cobra.Command{
		Use:   "add <name>",
		Short: "Add a context for a host, without credentials yet",
		Long: `Add a context for a host. "playctl create-main-node --context <name>" puts a main node into it, and
"playctl login --phrase --context <name>" an existing one. If the host's certificate is not publicly
trusted, set its --fingerprint. An invitation does so automatically, and a certificate that another
context trusts at the same URL is trusted here as well.`,
		Example: command.Example(
			"playctl context add work --server https://play.example.com",
			"playctl context add lab --server https://lab.example.com --fingerprint \"$FINGERPRINT\""),
		Args: command.Takes("name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := addContext(cmd.Context(), a, args[0], fingerprint, use)
			if ifMissing && errors.Is(err, creds.ErrContextExists) {
				return showAdded(a, args[0], err)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&fingerprint, "fingerprint", "", "trust the certificate with this SHA-256 (`HEX`)")
	cmd.Flags().BoolVar(&use, "use", false, "use it from now on")
	command.RegisterIfMissing(cmd, &ifMissing)
	return cmd
}

// showAdded prints an existing context if it is for the host of the run, else it returns
// err.
func showAdded(a *command.App, name string, err error) error {
	existing, current, failed := namedContext(a, []string{name})
	server, invalid := creds.ParseServerURL(a.Settings.Server)
	if failed != nil || invalid != nil || server != existing.ServerURL {
		return err
	}
	return printAdded(a, existing, current, false)
}

// addedContextResult is what "playctl context add" prints.
type addedContextResult struct {
	contextResult
	Created bool `json:"created"` // false if there was one for this host before, with --if-missing
}

func printAdded(a *command.App, c *creds.Context, current, created bool) error {
	doc := contextDocument(c, current)
	doc.Data = addedContextResult{describeContext(c, current), created}
	return a.Printer.Print(doc)
}

func addContext(ctx context.Context, a *command.App, name, fingerprint string, use bool) error {
	if a.Settings.Server == "" {
		return command.Usagef("set the host with --server")
	}
	service, err := a.ServiceOr(protocol.ServicePlay)
	if err != nil {
		return err
	}
	added, err := creds.NewContext(name, a.Settings.Server, service, a.Now())
	if err != nil {
		return command.Usagef("%w", err)
	}
	if fingerprint != "" {
		if added.Fingerprint, err = creds.ParseFingerprint(fingerprint); err != nil {
			return command.Usagef("--fingerprint: %w", err)
		}
	}
	current := false
	err = changeContexts(ctx, a, func(file *creds.File) error {
		if added.Fingerprint == "" {
			added.Fingerprint = trustedAt(file, name, added.ServerURL)
		}
		err := putContext(file, added, false, use)
		current = file.Current() == name
		return err
	})
	if err != nil {
		return err
	}
	return printAdded(a, added, current, true)
}

// putContext adds a context to a file; with replace it replaces one with the same name,
// with use commands use it from then on. The first context is used in any case.
func putContext(file *creds.File, c *creds.Context, replace, use bool) error {
	put := file.Add
	if replace {
		put = file.Put
	}
	if err := put(c); err != nil || !use {
		return err
	}
	return file.Use(c.Name)
}

// putImported saves an imported context, as putContext does, and prints it.
func putImported(ctx context.Context, a *command.App, imported *creds.Context, replace, use bool) error {
	err := printChanged(ctx, a, func(file *creds.File) (*creds.Context, error) {
		return imported, putContext(file, imported, replace, use)
	})
	if errors.Is(err, creds.ErrContextExists) {
		return command.Hintf(err, "use another name with --context, or add --replace")
	}
	return err
}

// changeContexts alters the credentials file.
func changeContexts(ctx context.Context, a *command.App, alter func(*creds.File) error) error {
	store, err := a.CredentialsStore()
	if err != nil {
		return err
	}
	ctx, cancel := a.Limited(ctx)
	defer cancel()
	return store.Update(ctx, alter)
}

// printChanged alters a context in the credentials file, and prints it.
func printChanged(ctx context.Context, a *command.App, alter func(*creds.File) (*creds.Context, error)) error {
	var changed *creds.Context
	var current string
	err := changeContexts(ctx, a, func(file *creds.File) (err error) {
		changed, err = alter(file)
		current = file.Current()
		return err
	})
	if err != nil {
		return err
	}
	return a.Printer.Print(contextDocument(changed, changed.Name == current))
}

// namedContext returns the named context, else the one that other commands would use, and
// reports whether they use it.
func namedContext(a *command.App, args []string) (chosen *creds.Context, current bool, err error) {
	_, file, err := a.CredentialsFile()
	if err != nil {
		return nil, false, err
	}
	inForce, err := a.ChooseContext(file)
	chosen = inForce
	if len(args) > 0 {
		chosen, err = file.Context(args[0])
	} else if chosen == nil && err == nil {
		chosen, err = file.Select("")
	}
	return chosen, chosen == inForce, err
}

// contextsResult is what "playctl context list" prints.
type contextsResult struct {
	Current  string          `json:"current,omitempty"` // the name of the context in use
	Contexts []contextResult `json:"contexts"`          // the contexts
}

func newContextListCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the contexts; * marks the one that commands use",
		Example: command.Example("playctl context list", "playctl context list --output ndjson"),
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			_, file, err := a.CredentialsFile()
			if err != nil {
				return err
			}
			current := ""
			// If the named context does not exist, none is marked.
			if inForce, err := a.ChooseContext(file); err == nil && inForce != nil {
				current = inForce.Name
			}
			result := contextsResult{Current: current, Contexts: []contextResult{}}
			table := render.Table{
				Columns: []render.Column{{Title: ""}, {Title: "context"}, {Title: "server"}, {Title: "main node"}, {Title: "agents", Right: true}},
				Empty:   a.LikeThis("There are no contexts yet. \"playctl create-main-node\" creates one."),
			}
			for _, name := range file.Names() {
				c, err := file.Context(name)
				if err != nil {
					return err
				}
				result.Contexts = append(result.Contexts, describeContext(c, name == current))
			}
			return a.Printer.Print(*render.ListOf(result, result.Contexts, table, func(c contextResult) []string {
				mark := ""
				if c.Current {
					mark = "*"
				}
				return []string{mark, c.Context, c.Server, render.ShortID(c.NodeID), command.Decimal(int64(len(c.Agents)))}
			}))
		},
	}
}

func newContextUseCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:               "use <name>",
		Short:             "Use a context from now on",
		Example:           command.Example("playctl context use work"),
		Args:              command.Takes("name"),
		ValidArgsFunction: a.CompletesContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			var used *creds.Context
			err := changeContexts(cmd.Context(), a, func(file *creds.File) (err error) {
				if used, err = file.Context(args[0]); err != nil {
					return command.BadInput(err)
				}
				return file.Use(args[0])
			})
			if err != nil {
				return err
			}
			return a.PrintSentence(describeContext(used, true), "Commands now use context %s: %s.", used.Name, used.ServerURL)
		},
	}
}

func newContextShowCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:               "show [name]",
		Short:             "Show a context, or the one in use",
		Example:           command.Example("playctl context show", "playctl context show work --output json"),
		Args:              command.Takes("name?"),
		ValidArgsFunction: a.CompletesContext,
		RunE: func(_ *cobra.Command, args []string) error {
			chosen, current, err := namedContext(a, args)
			if err != nil {
				return err
			}
			return a.Printer.Print(contextDocument(chosen, current))
		},
	}
}

func newContextRemoveCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "remove <name>",
		SuggestFor: []string{"logout", "sign-out", "signout"},
		Short:      "Delete a context and the credentials in it",
		Long: `Delete a context and the credentials in it. The nodes stay on their host: without their phrases they
can no longer be used.`,
		Example:           command.Example("playctl context remove old --yes"),
		Args:              command.Takes("name"),
		ValidArgsFunction: a.CompletesContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, file, err := a.CredentialsFile()
			if err != nil {
				return err
			}
			removed, err := file.Context(args[0])
			if err != nil {
				return command.Missing(err)
			}
			if err := a.Confirm(cmd.Context(), fmt.Sprintf("Delete context %s and its credentials?", args[0]), command.Changes(contextChanges(removed)...)); err != nil {
				return err
			}
			if err := changeContexts(cmd.Context(), a, func(file *creds.File) error { return file.Remove(args[0]) }); err != nil {
				return err
			}
			return a.PrintSentence(describeContext(removed, false), "Deleted context %s.", removed.Name)
		},
	}
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

// contextChanges returns what goes with a context: itself, and the credentials in it.
func contextChanges(removed *creds.Context) []command.Change {
	changes := []command.Change{{Action: "remove", Kind: "context", Name: removed.Name}}
	if removed.Main != nil {
		changes = append(changes, command.Change{Action: "remove", Kind: "main_node_credentials", ID: removed.Main.NodeID})
	}
	for _, agent := range removed.Agents() {
		changes = append(changes, command.Change{Action: "remove", Kind: "agent_credentials", ID: agent.NodeID, Name: agent.Label})
	}
	return changes
}

// contextResult is a context as commands print it.
type contextResult struct {
	Context     string        `json:"context"` // the name of the context
	Current     bool          `json:"current"` // whether it is the one in use
	Server      string        `json:"server"`
	Service     string        `json:"service"`
	RootKey     string        `json:"rootKey,omitempty"`     // the root key of the host that it remembers
	Fingerprint string        `json:"fingerprint,omitempty"` // the SHA-256 of the one certificate that is trusted, where there is one
	NodeID      string        `json:"nodeId,omitempty"`      // the main node; absent without an account
	HasAPIKey   bool          `json:"hasApiKey"`             // whether it has an API key
	Agents      []knownResult `json:"agents"`                // the agents whose credentials it has
	CreatedAt   string        `json:"createdAt"`
}

func describeContext(c *creds.Context, current bool) contextResult {
	result := contextResult{
		Context: c.Name, Current: current, Server: c.ServerURL, Service: string(c.Service), RootKey: c.RootKey,
		Fingerprint: c.Fingerprint, Agents: []knownResult{}, CreatedAt: protocol.FormatTime(c.CreatedAt),
	}
	if c.Main != nil {
		result.NodeID, result.HasAPIKey = c.Main.NodeID, !c.Main.APIKey.IsZero()
	}
	for _, agent := range c.Agents() {
		result.Agents = append(result.Agents, knownResult{agent.NodeID, agent.Label})
	}
	return result
}

// contextDocument shows one context.
func contextDocument(c *creds.Context, current bool) render.Document {
	result := describeContext(c, current)
	inUse := ""
	if current {
		inUse = "yes"
	}
	views := []render.View{render.Fields{
		{Name: "context", Value: result.Context},
		{Name: "in use", Value: inUse},
		{Name: "server", Value: result.Server},
		{Name: "service", Value: result.Service},
		{Name: "trusts", Value: result.Fingerprint},
		{Name: "main node", Value: result.NodeID},
	}}
	if len(result.Agents) > 0 {
		table := render.Table{Columns: []render.Column{{Title: "agent"}, {Title: "label"}}}
		for _, agent := range result.Agents {
			table.Rows = append(table.Rows, []string{render.ShortID(agent.AgentID), agent.Label})
		}
		views = append(views, render.Line(""), table)
	}
	return render.Document{Data: result, Views: views}
}
