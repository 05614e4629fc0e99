package main

import (
	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

// rootKeyResult is what "playctl create-root-key" prints. The key is no secret
// between a host and its clients, but the file decides whose world it is.
type rootKeyResult struct {
	File    string `json:"file"`
	RootKey string `json:"rootKey"`
}

func newCreateRootKeyCommand(a *app) *cobra.Command {
	var file, secret string
	var force bool
	cmd := &cobra.Command{
		Use:   "create-root-key",
		Short: "Make the root key of a world and save it in a file",
		Long: `Make the root key of a world and save it in a root key file. All node ids of a world
derive from its root key: host and clients need the same one.

A key is random, or derived from the bytes of a secret file, so that it can be made
again from the same secret.`,
		Example: example(
			"playctl create-root-key",
			"playctl create-root-key --root-file world.root",
			"playctl create-root-key --secret-file passphrase.txt --root-file world.root"),
		Args: takes(),
		RunE: func(*cobra.Command, []string) error {
			path, err := a.rootFilePath(file)
			if err != nil {
				return err
			}
			key, err := a.makeRootKey(secret)
			if err != nil {
				return err
			}
			if err := creds.WriteRootFile(path, key, force); err != nil {
				return err
			}
			return a.printer.Print(render.Document{
				Data:  rootKeyResult{File: path, RootKey: key},
				Views: []render.View{render.Fields{{Name: "root key", Value: key}, {Name: "file", Value: path}}},
			})
		},
	}
	cmd.Flags().StringVar(&file, "root-file", "", "the `file` to make (default: "+creds.EnvRootFile+", else ~/.playctl/root)")
	cmd.Flags().StringVar(&secret, "secret-file", "", "derive the key from the bytes of this `file`; - is standard input")
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there; every node of its world becomes invalid")
	return cmd
}

// rootFilePath is where a root key file is made.
func (a *app) rootFilePath(flag string) (string, error) {
	if flag == "" {
		flag = a.env(creds.EnvRootFile)
	}
	if flag != "" {
		return a.absolute(flag), nil
	}
	return a.surroundings().DefaultRootFile()
}

func (a *app) makeRootKey(secretFile string) (key string, err error) {
	if secretFile == "" {
		return creds.GenerateRootKey(), nil
	}
	secret, err := a.readRootSecret(secretFile)
	if err != nil {
		return "", err
	}
	err = a.waiting("Deriving the root key", func() error {
		key, err = creds.RootKeyFromSecret(secret)
		return err
	})
	return key, err
}

func (a *app) readRootSecret(file string) ([]byte, error) {
	if file == "-" {
		return a.readInput(file, maxSecret)
	}
	return creds.ReadRootSecret(a.absolute(file))
}
