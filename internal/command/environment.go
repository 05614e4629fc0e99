package command

import (
	"slices"
	"strings"
)

// These environment variables have the credentials of a run.
const (
	EnvNodeID            = "PLAYCTL_NODE_ID"
	EnvPhrase            = "PLAYCTL_PHRASE"
	EnvPasswHash         = "PLAYCTL_PASSW_HASH"
	EnvAPIKey            = "PLAYCTL_API_KEY"
	EnvRegistrationToken = "PLAYCTL_REGISTRATION_TOKEN"
	envAdminToken        = "PLAYCTL_ADMIN_TOKEN"
	// envStore begins the variables of a store, whose address may have a password.
	envStore = "PLAYCTL_STORE"
)

// WithoutCredentials returns the variables of an environment that are no credentials of
// playctl, for other programs.
func WithoutCredentials(environment []string) []string {
	return slices.DeleteFunc(environment, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		switch name = strings.ToUpper(name); name { // Windows ignores case in names.
		case EnvNodeID, EnvPhrase, EnvPasswHash, EnvAPIKey, EnvRegistrationToken, envAdminToken:
			return true
		}
		return strings.HasPrefix(name, envStore)
	})
}
