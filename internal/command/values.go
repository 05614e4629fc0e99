package command

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/protocol"
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

// isPath reports whether a placeholder stands for a path, whose name need not be UTF-8 on
// many systems. An address can be a folder.
func isPath(placeholder string) bool {
	switch placeholder {
	case "file", "folder", "program", "address":
		return true
	}
	return false
}

// CheckArguments refuses arguments that are not UTF-8: the text of a request would have
// U+FFFD in place of the invalid bytes. There is one name for each argument, and a name
// that ends in "?" may have none.
func CheckArguments(args []string, names ...string) error {
	for i, arg := range args {
		if name := strings.TrimSuffix(names[i], "?"); !isPath(name) && !utf8.ValidString(arg) {
			return Usagef("the %s is not valid UTF-8", name)
		}
	}
	return nil
}

// checkTexts is CheckArguments for the values of flags, with those from the environment.
func checkTexts(flags *pflag.FlagSet, from *Sources) (err error) {
	flags.VisitAll(func(flag *pflag.Flag) {
		placeholder, _ := pflag.UnquoteUsage(flag)
		if !isPath(placeholder) && !utf8.ValidString(flag.Value.String()) {
			err = errors.Join(err, BadSetting(from.Where(flag.Name), errors.New("it is not valid UTF-8")))
		}
	})
	return err
}

// CheckNumber refuses a rev, a seq or an amount above those that JSON numbers can express
// exactly: hosts refuse it, too.
func CheckNumber(flag string, number uint64) error {
	if number > protocol.MaxSafeInteger {
		return Usagef("--%s must be at most %d", flag, uint64(protocol.MaxSafeInteger))
	}
	return nil
}
