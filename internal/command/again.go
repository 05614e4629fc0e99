package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// suggested finds the commands in a hint: between quotation marks, as people type them.
var suggested = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"playctl [^"]*"`)
})

// elsewhereCommands are the commands that call no host, or name it by themselves.
var elsewhereCommands = []string{"serve", "stop", "logs", "store", "context", "create-root-key", "help", "init", "mcp", "completion", "version"}

// LikeThis adds to the commands in a text what the command line said of the host and of
// the account, so that what is suggested is about the same ones.
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
			flag.name != "credentials-file" && slices.Contains(words, "--context") // which has a host
		if a.Sources.ByFlag(flag.name) && !named {
			flags = append(flags, " --"+flag.name+" "+ShellWord(flag.value))
		}
	}
	added := strings.Join(flags, "")
	// What comes after -- is another program's, and after < the shell's.
	for _, end := range []string{" -- ", " < "} {
		if before, after, ok := strings.Cut(line, end); ok {
			return before + added + end + after
		}
	}
	return line + added
}

// SameAccount returns the flags by which another run of the program, started from another
// folder, finds the host and the account of this one.
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

// hostFlags returns the flags that say which host and which account a run is about, with the
// values of this run.
func (a *App) hostFlags() []struct{ name, value string } {
	return []struct{ name, value string }{
		{"context", a.Settings.Context}, {"server", a.Settings.Server},
		{"service", a.Settings.Service}, {"credentials-file", a.Settings.credentials},
	}
}
