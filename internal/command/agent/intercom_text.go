package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

const (
	// argPrefix begins the variables with the arguments of a tool.
	argPrefix = "PLAYCTL_ARG_"
	// maxArgs is how many arguments a call may have for a program with --text. The host
	// limits their bytes: each of them fits into a variable.
	maxArgs = 100
)

// giveText gives a program the text of a command as its input, and everything else in
// variables. It returns an error if the arguments of the tool cannot be variables.
func giveText(cmd *exec.Cmd, asked *protocol.IntercomCommand) error {
	tool, args := "", []string(nil)
	switch asked.Kind {
	case protocol.IntercomAssist:
		var err error
		if args, err = argVariables(asked); err != nil {
			return err
		}
		tool = asked.ToolName
	case protocol.IntercomRealtime:
		return errors.New("this agent does not support realtime conversations")
	}
	// Arguments of a call that this program answers are not those of this one.
	inherited := slices.DeleteFunc(cmd.Environ(), func(variable string) bool { return strings.HasPrefix(variable, argPrefix) })
	cmd.Env = append(append(inherited,
		"PLAYCTL_TOOL="+tool, "PLAYCTL_FROM="+asked.FromPlayerID,
		"PLAYCTL_AGENT_ID="+asked.ToPlayerID, "PLAYCTL_REQUEST_ID="+asked.RequestID), args...)
	cmd.Stdin = strings.NewReader(asked.Text)
	return nil
}

// argVariables returns the arguments of a tool as variables: a text as it is, any other
// value as JSON, and no variable for null.
func argVariables(asked *protocol.IntercomCommand) ([]string, error) {
	args, err := argsOf(asked)
	if err != nil {
		return nil, err
	}
	if len(args) > maxArgs {
		return nil, fmt.Errorf("the call has %d arguments, but this agent takes %d at most", len(args), maxArgs)
	}
	var variables []string
	taken := map[string]string{} // the argument of each variable
	for _, name := range slices.Sorted(maps.Keys(args)) {
		variable := argPrefix + strings.Map(variableChar, name)
		if other, twice := taken[variable]; twice {
			return nil, fmt.Errorf("the arguments %q and %q have the same name for this agent: send one of them", other, name)
		}
		taken[variable] = name
		value, given := argText(args[name])
		if strings.ContainsRune(value, 0) {
			return nil, fmt.Errorf("the argument %q has a NUL character, which this agent cannot take", name)
		}
		if given {
			variables = append(variables, variable+"="+value)
		}
	}
	return variables, nil
}

// variableChar returns the character of a variable for one of an argument's name.
func variableChar(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

// argText returns a value as the text of a variable, and false for null.
func argText(value json.RawMessage) (text string, given bool) {
	if json.Unmarshal(value, &text) == nil {
		return text, string(value) != "null"
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return string(value), true
	}
	return compact.String(), true
}
