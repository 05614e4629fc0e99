package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

func newContextCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Work with several hosts",
		Long: `Work with several hosts. A context is a name for a host and your credentials there. One
of them is in use; --context or PLAYCTL_CONTEXT picks another for one run.`,
		Example: example("playctl context list", "playctl context use work"),
		Args:    cobra.ArbitraryArgs,
		RunE:    runGroup,
	}
	cmd.AddCommand(
		newContextAddCommand(a), newContextListCommand(a), newContextUseCommand(a),
		newContextShowCommand(a), newContextRemoveCommand(a),
	)
	return cmd
}

func newContextAddCommand(a *app) *cobra.Command {
	var use bool
	cmd := &cobra.Command{
		Use:     "add <name>",
		Short:   "Add a context for a host, without credentials yet",
		Long:    "Add a context for a host. \"playctl create-main-node --context <name>\" puts a main node into it.",
		Example: example("playctl context add work --server https://play.example.com"),
		Args:    takes("name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.addContext(cmd.Context(), args[0], use)
		},
	}
	cmd.Flags().BoolVar(&use, "use", false, "use it from now on")
	return cmd
}

func (a *app) addContext(ctx context.Context, name string, use bool) error {
	server, service := a.settings.server, creds.ServicePlay
	if server == "" {
		return usagef("name the host with --server")
	}
	if a.settings.service != "" {
		parsed, err := creds.ParseService(a.settings.service)
		if err != nil {
			return &settingError{"--service", err}
		}
		service = parsed
	}
	added, err := creds.NewContext(name, server, service, a.Now())
	if err != nil {
		return usagef("%w", err)
	}
	var current bool
	err = a.changeContexts(ctx, func(file *creds.File) error {
		if err := file.Add(added); err != nil {
			return err
		}
		if use {
			if err := file.Use(name); err != nil {
				return err
			}
		}
		current = file.Current() == name
		return nil
	})
	if err != nil {
		return err
	}
	return a.printer.Print(contextDocument(added, current))
}

// changeContexts alters the credentials file.
func (a *app) changeContexts(ctx context.Context, alter func(*creds.File) error) error {
	store, err := a.credentialsStore()
	if err != nil {
		return err
	}
	ctx, cancel := a.limited(ctx)
	defer cancel()
	return store.Update(ctx, alter)
}

// contexts reads the credentials file.
func (a *app) contexts() (*creds.File, error) {
	store, err := a.credentialsStore()
	if err != nil {
		return nil, err
	}
	return store.Load()
}

// contextsResult is what "playctl context list" prints.
type contextsResult struct {
	Current  string          `json:"current,omitempty"`
	Contexts []contextResult `json:"contexts"`
}

func newContextListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the contexts; * marks the one in use",
		Example: example("playctl context list", "playctl context list --output ndjson"),
		Args:    takes(),
		RunE: func(*cobra.Command, []string) error {
			file, err := a.contexts()
			if err != nil {
				return err
			}
			result := contextsResult{Current: file.Current(), Contexts: []contextResult{}}
			table := render.Table{
				Columns: []render.Column{{Title: ""}, {Title: "context"}, {Title: "server"}, {Title: "main node"}, {Title: "agents", Right: true}},
				Empty:   "There are no contexts yet. \"playctl create-main-node\" makes one.",
			}
			items := []any{}
			for _, name := range file.Names() {
				c, err := file.Context(name)
				if err != nil {
					return err
				}
				one, mark := describeContext(c, name == file.Current()), ""
				if one.Current {
					mark = "*"
				}
				result.Contexts, items = append(result.Contexts, one), append(items, one)
				table.Rows = append(table.Rows, []string{mark, one.Context, one.Server, render.ShortID(one.NodeID), decimal(int64(len(one.Agents)))})
			}
			return a.printer.Print(render.Document{Data: result, Items: items, Views: []render.View{table}})
		},
	}
}

func newContextUseCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "use <name>",
		Short:             "Use a context from now on",
		Example:           example("playctl context use work"),
		Args:              takes("name"),
		ValidArgsFunction: a.completesContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			var used *creds.Context
			err := a.changeContexts(cmd.Context(), func(file *creds.File) (err error) {
				if used, err = file.Context(args[0]); err != nil {
					return err
				}
				return file.Use(args[0])
			})
			if err != nil {
				return err
			}
			return a.printer.Print(render.Document{
				Data:  describeContext(used, true),
				Views: []render.View{render.Line(fmt.Sprintf("Commands now use context %s: %s.", used.Name, used.ServerURL))},
			})
		},
	}
}

func newContextShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show [name]",
		Short:             "Show a context, or the one in use",
		Example:           example("playctl context show", "playctl context show work --output json"),
		Args:              takes("name?"),
		ValidArgsFunction: a.completesContext,
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := a.contexts()
			if err != nil {
				return err
			}
			name := a.settings.context
			if len(args) > 0 {
				name = args[0]
			}
			chosen, err := file.Select(name)
			if err != nil {
				return err
			}
			return a.printer.Print(contextDocument(chosen, chosen.Name == file.Current()))
		},
	}
}

func newContextRemoveCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "remove <name>",
		Short: "Forget a context and the credentials in it",
		Long: `Forget a context and the credentials in it. The nodes stay on their host: without their
phrases nobody can call as them any more.`,
		Example:           example("playctl context remove old --yes"),
		Args:              takes("name"),
		ValidArgsFunction: a.completesContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := a.contexts()
			if err != nil {
				return err
			}
			removed, err := file.Context(args[0])
			if err != nil {
				return err
			}
			if err := a.confirm(cmd.Context(), yes, fmt.Sprintf("Forget context %s and its credentials?", args[0])); err != nil {
				return err
			}
			if err := a.changeContexts(cmd.Context(), func(file *creds.File) error { return file.Remove(args[0]) }); err != nil {
				return err
			}
			return a.printer.Print(render.Document{
				Data:  describeContext(removed, false),
				Views: []render.View{render.Line(fmt.Sprintf("Forgot context %s.", removed.Name))},
			})
		},
	}
	registerYes(cmd, &yes)
	return cmd
}

// completesContext completes the first argument with the names of contexts.
func (a *app) completesContext(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	file, err := a.contexts()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return file.Names(), cobra.ShellCompDirectiveNoFileComp
}
