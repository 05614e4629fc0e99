package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choices is the annotation of a flag with the values that it accepts.
const choices = "playctl_choices"

// Choices makes a flag accept only fixed values, and offers them to the shell. It is not
// for settings, which the environment and the config file can set too.
func Choices(cmd *cobra.Command, flag string, values ...string) {
	CompleteChoices(cmd, flag, values...)
	if err := cmd.Flags().SetAnnotation(flag, choices, values); err != nil {
		panic("playctl: " + err.Error())
	}
}

// checkChoices refuses values on the command line that their flags do not accept.
func checkChoices(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(flag *pflag.Flag) {
		accepted, limited := flag.Annotations[choices]
		if !limited || err != nil {
			return
		}
		given := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			given = list.GetSlice()
		}
		for _, value := range given {
			if !slices.Contains(accepted, value) {
				last := len(accepted) - 1
				err = Usagef("--%s is %q: it must be %s or %s", flag.Name, value, strings.Join(accepted[:last], ", "), accepted[last])
				return
			}
		}
	})
	return err
}
