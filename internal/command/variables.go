package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/suggest"
)

const variablePrefix = "PLAYCTL_"

// otherVariables are variables that set no flag: secrets, and what a program gets that
// answers for an agent, which may run playctl.
var otherVariables = []string{
	EnvNodeID, EnvPhrase, EnvPasswHash, EnvAPIKey, EnvRegistrationToken, envAdminToken, creds.EnvRootFile, creds.EnvCredentialsFile,
	"PLAYCTL_TOOL", "PLAYCTL_FROM", "PLAYCTL_AGENT_ID", "PLAYCTL_REQUEST_ID",
}

// foreignVariables are the arguments of tools, and what Kubernetes sets in each pod for a
// service called playctl, or called playctl and another word.
var foreignVariables = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^PLAYCTL_(ARG_.*|([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9]+_.*)?))$`)
})

// warnOfVariables warns of variables with the prefix of playctl that it does not know. It
// does not refuse them, as it does unknown settings in the config file: others may set
// variables too.
func (a *App) warnOfVariables(cmd *cobra.Command) {
	if a.Environ == nil || a.StoreVariables == nil {
		return
	}
	var unknown []string
	for _, pair := range a.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, variablePrefix) && strings.TrimSpace(value) != "" && !slices.Contains(otherVariables, name) && !foreignVariables().MatchString(name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return
	}
	known := append(a.StoreVariables(), otherVariables...)
	eachFlag(cmd.Root(), func(flag *pflag.Flag) {
		if _, ok := flag.Annotations[configurable]; ok {
			known = append(known, VariableOf(flag.Name))
		}
	})
	for _, name := range unknown {
		if slices.Contains(known, name) {
			continue
		}
		hint := "\"playctl help environment\" explains the variables"
		if near := suggest.Nearest(name, known); near != "" {
			hint = fmt.Sprintf("did you mean %s? %s", near, hint)
		}
		a.Warn("the environment variable "+name+" has no effect: there is no such setting", hint)
	}
}

// eachFlag calls do for each flag of a command and of those below it.
func eachFlag(cmd *cobra.Command, do func(*pflag.Flag)) {
	cmd.LocalFlags().VisitAll(do)
	for _, sub := range cmd.Commands() {
		eachFlag(sub, do)
	}
}
