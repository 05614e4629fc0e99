package about

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/store/backend"
)

// helpTopics returns the help topics that belong to no command, such as "playctl help
// environment".
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "environment", Short: "Environment variables and the config file", Long: topicEnvironment},
		{Use: "exit-codes", Short: "Exit codes", Long: topicExitCodes},
		{Use: "stores", Short: "Where a world is kept", Long: topicStores()},
		{Use: "formatting", Short: "Output for people, scripts and programs", Long: topicFormatting},
	}
}

const topicEnvironment = `Every setting can be set in four places. A flag takes precedence over the environment,
the environment over the config file, and the config file over the default; "playctl
config show" says where each value came from.

An environment variable is named after its flag: --no-input is PLAYCTL_NO_INPUT, --data-dir is
PLAYCTL_DATA_DIR. An empty one counts as unset, and spaces and line ends around a value do not
count. A variable that starts with PLAYCTL_ and sets nothing is reported.

The config file is YAML, with the flags' names as keys and nothing nested:

    output: json
    listen: 127.0.0.1:7420
    cors-origin: [https://example.com]

Files and folders:

    PLAYCTL_CONFIG             the config file, else config.yaml in the config folder
    PLAYCTL_CREDENTIALS_FILE   the credentials file, else credentials.json there
    PLAYCTL_ROOT_FILE          the root key file: for "serve" else ~/.playctl/root, else ./.root
    PLAYCTL_DATA_DIR           the store of "playctl serve", else the state folder
    XDG_CONFIG_HOME            the config folder is playctl in it; else ~/.config/playctl
    XDG_STATE_HOME             the state folder is playctl in it; else ~/.local/state/playctl

Credentials for a run without a credentials file. They are never taken from the
command line, where other people on the machine could read them:

    PLAYCTL_NODE_ID            the main node to call as
    PLAYCTL_PHRASE             its phrase, or
    PLAYCTL_PASSW_HASH         the phrase's hash
    PLAYCTL_API_KEY            the account's API key
    PLAYCTL_REGISTRATION_TOKEN the registration token, for a host with --registration token
    PLAYCTL_ADMIN_TOKEN        the administrator's token, or
    PLAYCTL_ADMIN_TOKEN_FILE   the file with it, as for --admin-token-file
    PLAYCTL_STORE_PASSWORD     the password of the Redis server, see "playctl help stores"

A program that answers for an agent gets none of these, unless --pass-credentials is set.

Colors: NO_COLOR turns them off, CLICOLOR_FORCE=1 turns them on in a pipe, and
TERM=dumb means a terminal without them. --color takes precedence over all three.`

// topicStores returns the help of every kind of store.
func topicStores() string {
	text := []string{"A world is kept in a store of one of these kinds."}
	for _, b := range backend.All() {
		text = append(text, b.Help)
	}
	return strings.Join(text, "\n\n")
}

const topicExitCodes = `A script can rely on these:

    0    done
    1    it failed; the message says why
    2    the command line, a variable or the config file is wrong: nothing was attempted
    3    not authenticated: no credentials, wrong ones, or a wrong API key
    4    the host cannot be reached, by this machine or by a proxy, or did not answer in time
    5    verification failed: the data does not match its root or proof
    130  interrupted by Ctrl-C or SIGTERM

"playctl serve" exits with 0 after Ctrl-C or SIGTERM, which are the normal way to
stop it; so do "agent run", "intercom serve", "add-agent --hold", "otel" and "mcp --http"
after SIGTERM. A reader that closes the pipe early, such as head, is not a failure either.`

const topicFormatting = `Results go to standard output. Everything else, notes, warnings, questions and
errors, goes to standard error. --output chooses the form of results:

    table    for people: columns if they fit the window, blocks if they do not
    json     one JSON document; lists are in a field of it
    ndjson   one JSON object a line: a list's items, or a stream's events
    yaml     the same data as json

--jq filters the JSON with a jq expression, and --template formats it with a Go template. In lists
and streams in ndjson they apply to each item. You do not need to install jq.

    playctl snapshot --jq '.worldMap.occupants[].name'
    playctl context list --template '{{range .contexts}}{{.server}} {{end}}'

On a terminal, control characters and reordering characters in their output are removed,
as others may have written it; a pipe gets the text unchanged. JSON escapes them.

With --output json or ndjson an error is a JSON object on standard error: error, hint, exitCode, and
if the host refused, code and requestId. An unexpected certificate or root key of the host also has
a code: fingerprint_mismatch, root_key_mismatch.

The fields of json, ndjson and yaml are stable: fields may be added, but none is renamed or removed
without a new major version. Times are RFC 3339 in UTC there; a table shows them as people write
them. The field "context" names the context that was used, if any.

A table shortens a node id to its first 12 digits and a UUID to its first 8. Commands
accept such a prefix, an agent's label, or the whole id.`
