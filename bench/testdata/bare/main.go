// Command bare does only what every command line with cobra, viper and lipgloss
// must do: it reads a flag and prints a line.
package main

import (
	"fmt"
	"os"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/viper"
)

func main() {
	settings := viper.New()
	root := &cobra.Command{
		Use: "bare",
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), lipgloss.NewStyle().Bold(true).Render("bare "+settings.GetString("name")))
			return err
		},
	}
	root.Flags().String("name", "0.1.0", "what to print")
	if err := settings.BindPFlags(root.Flags()); err != nil {
		os.Exit(1)
	}
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}
