package command

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

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
