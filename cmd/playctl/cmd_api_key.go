package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

// apiKeyResult is what "playctl create-api-key" prints.
type apiKeyResult struct {
	Context string `json:"context,omitempty"`
	NodeID  string `json:"nodeId"`
	File    string `json:"file,omitempty"`
	APIKey  string `json:"apiKey,omitempty"`
}

func newCreateAPIKeyCommand(a *app) *cobra.Command {
	var file string
	var show bool
	cmd := &cobra.Command{
		Use:   "create-api-key",
		Short: "Make a new API key; the old one stops working at once",
		Long: `Make a new API key of the context's main node. The one before stops working at once. The
key is kept in the context; --api-key-file or --show-api-key give it to another program.`,
		Example: example("playctl create-api-key", "playctl create-api-key --api-key-file ci.key"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asMain(cmd.Context(), "Making the key", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				if who.context == nil && file == "" && !show {
					return nil, hintf(usagef("there is no context to keep the key in, so nobody would ever see it"),
						"add --api-key-file FILE or --show-api-key")
				}
				reply, err := c.CreateAPIKey(ctx)
				if err != nil {
					return nil, err
				}
				return a.keepAPIKey(ctx, who, creds.NewSecret(reply.APIKey.Reveal()), file, show)
			})
		},
	}
	cmd.Flags().StringVar(&file, "api-key-file", "", "write the key to this `file` as well, readable by you only")
	cmd.Flags().BoolVar(&show, "show-api-key", false, "print the key with the result, also where others may read it")
	return cmd
}

// keepAPIKey saves a new key. The old one is worth nothing by now, so an
// interrupt no longer stops it.
func (a *app) keepAPIKey(ctx context.Context, who *caller, key creds.Secret, file string, show bool) (*render.Document, error) {
	result := apiKeyResult{Context: who.contextName(), NodeID: who.main.NodeID}
	if file != "" {
		result.File = a.absolute(file)
		if err := creds.WriteSecretFile(result.File, []byte(key.Reveal()+"\n"), true); err != nil {
			return nil, fmt.Errorf("save the API key: %w", err)
		}
	}
	if show {
		result.APIKey = key.Reveal()
	}
	err := who.change(ctx, func(target *creds.Context) error {
		if target.Main != nil && target.Main.NodeID == who.main.NodeID {
			target.Main.APIKey = key
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "main node", Value: result.NodeID},
		{Name: "kept in context", Value: result.Context},
		{Name: "written to", Value: result.File},
		{Name: "API key", Value: result.APIKey},
	}}}, nil
}

// change alters the caller's context in the credentials file, if it has one.
func (c *caller) change(ctx context.Context, alter func(*creds.Context) error) error {
	if c.context == nil {
		return nil
	}
	return c.store.Update(context.WithoutCancel(ctx), func(file *creds.File) error {
		target, err := file.Context(c.context.Name)
		if err != nil {
			return err
		}
		return alter(target)
	})
}
