package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// suggested finds the commands in a hint: in double quotes, as a person types them.
var suggested = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"playctl [^"]*"`)
})

// elsewhereCommands are the commands that call no host, or choose it in another way.
var elsewhereCommands = []string{"serve", "stop", "logs", "store", "context", "create-root-key", "help", "init", "mcp", "completion", "version"}

// LikeThis adds the flags for host and account from the command line to the commands in a
// text, so that the suggested commands are for the same host and account.
func (a *App) LikeThis(text string) string {
	if a.Sources == nil {
		return text
	}
	return suggested().ReplaceAllStringFunc(text, func(quoted string) string {
		return `"` + a.likeThis(strings.Trim(quoted, `"`)) + `"`
	})
}

func (a *App) likeThis(line string) string {
	words := strings.Fields(line)
	if len(words) < 2 || slices.Contains(elsewhereCommands, words[1]) || slices.Contains(words, "--help") {
		return line
	}
	var flags []string
	for _, flag := range a.hostFlags() {
		named := slices.Contains(words, "--"+flag.name) || flag.name == "server" && (words[1] == "login" || strings.Contains(line, "://")) ||
			flag.name != "credentials-file" && slices.Contains(words, "--context") // a context has a host already
		if a.Sources.ByFlag(flag.name) && !named {
			flags = append(flags, " --"+flag.name+" "+ShellWord(flag.value))
		}
	}
	added := strings.Join(flags, "")
	// The words after -- belong to another program, and those after < to the shell.
	for _, end := range []string{" -- ", " < "} {
		if before, after, ok := strings.Cut(line, end); ok {
			return before + added + end + after
		}
	}
	return line + added
}

// SameAccount returns the flags with which another run of the program, started in another
// folder, uses the host and the account of this run.
func (a *App) SameAccount() []string {
	var flags []string
	for _, flag := range a.hostFlags() {
		switch {
		case flag.value == "":
			continue
		case flag.name == "credentials-file":
			flag.value = a.Absolute(flag.value)
		}
		flags = append(flags, "--"+flag.name, flag.value)
	}
	return flags
}

// hostFlags returns the flags that select the host and the account of a run, with the
// values of this run.
func (a *App) hostFlags() []struct{ name, value string } {
	return []struct{ name, value string }{
		{"context", a.Settings.Context}, {"server", a.Settings.Server},
		{"service", a.Settings.Service}, {"credentials-file", a.Settings.credentials},
	}
}
