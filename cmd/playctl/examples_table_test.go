//go:build full && unix

package main

import (
	"regexp"
	"strings"

	"github.com/playctl/playctl/internal/command"
)

// notRun are the examples that are only parsed, with the reason.
var notRun = []struct {
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`playctl qr`), "it needs a host that other machines reach"},
	{regexp.MustCompile(`aql --format`), "it is in a table, not in a shell"},
}

// typed are the keys that a person presses in an example: after seen, or after each of
// several texts separated by |, with the exit code of the example.
var typed = []struct {
	pattern *regexp.Regexp
	seen    string
	keys    string
	code    int
}{
	{regexp.MustCompile(`playctl chat Ada$`), "You are talking with", "\x04", command.ExitDone},
	{regexp.MustCompile(`playctl top$`), "Ada", "q", command.ExitDone},
	{regexp.MustCompile(`playctl serve( --demo| --bridge-url \S+| --store .*| --listen :7420 .*)?$`), "Next, in another terminal", ctrlC, command.ExitDone},
	{regexp.MustCompile(`agent run`), "stays on the map", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`playctl logs .*--follow`), "memory for recent events", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`context export --encrypt`), "passphrase|Repeat the passphrase", "not much of a secret\r", command.ExitDone},
	{regexp.MustCompile(`context import home.age`), "passphrase", "not much of a secret\r", command.ExitDone},
	{regexp.MustCompile(`playctl tail --view map$`), "Ada", "q", command.ExitDone},
	{regexp.MustCompile(`tail .*--(until|follow|limit)`), "", "", command.ExitDone},
	{regexp.MustCompile(`tail.*\| jq`), "jq runs", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`tail --record`), "verified", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`playctl (--context home )?tail`), "verified", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`add-agent Ada --(hold|for)`), "Ada", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`intercom serve`), "Ada", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`replay .*--open`), "/play/watch", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`playctl mcp --`), "MCP client", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`playctl otel`), "OTLP over gRPC", ctrlC, command.ExitInterrupted},
	{regexp.MustCompile(`mcp install claude --agent Ada`), "[y/N]", "y\r", command.ExitDone},
	{regexp.MustCompile(`playctl aql$`), "aql> ", "EXIT\r", command.ExitDone},
	{regexp.MustCompile(`playctl login$`), "invitation:", "$INVITATION\r", command.ExitDone},
	{regexp.MustCompile(`credentials import --context home`), "The phrase of the main node at", "$PHRASE\r", command.ExitDone},
	{regexp.MustCompile(`(delete-agent-node Ada|delete-main-node|session reset.*admin.token|remove-space "Corner shop"( --admin)?|credentials clear --context old|context remove old)$`), "[y/N]", "y\r", command.ExitDone},
	{regexp.MustCompile(`playctl [a-z -]+ .*--yes`), "", "", command.ExitDone},
	{regexp.MustCompile(`create-api-key|(key|watch|invite) revoke|remove --admin|remove-agent|remove-amenity|unregister-mcp|(session reset$)`), "[y/N]", "y\r", command.ExitDone},
}

// before creates what an example requires, or removes what it will create.
var before = []struct {
	pattern *regexp.Regexp
	script  string
}{
	{regexp.MustCompile(`create-main-node|context add|credentials import [~c]|credentials import --context`), `rm -f "$PLAYCTL_CREDENTIALS_FILE" main.txt phrase.txt`},
	{regexp.MustCompile(`create-agent-node|credentials import --agent`), `playctl context show -q >/dev/null; jq '.contexts[].agents=[]' "$PLAYCTL_CREDENTIALS_FILE" > c && cat c > "$PLAYCTL_CREDENTIALS_FILE"`},
	{regexp.MustCompile(`create-agent-node.*ada.txt`), `rm ada.txt`},
	{regexp.MustCompile(`create-root-key`), `rm -rf .playctl world.root`},
	{regexp.MustCompile(`create-space.*shop.txt`), `rm shop.txt`},
	{regexp.MustCompile(`credentials export`), `rm credentials.json`},
	{regexp.MustCompile(`key revoke (ci|winter)`), `playctl key create ci --show-api-key && playctl key create winter --show-api-key`},
	{regexp.MustCompile(`context export --agent`), `playctl key create ci --api-key-file ci.key`},
	{regexp.MustCompile(`context import ada.json`), `playctl context export --agent Ada --file ada.json`},
	{regexp.MustCompile(`playctl login`), `playctl invite -q > invitation.txt 2> /dev/null && rm -f "$PLAYCTL_CREDENTIALS_FILE"`},
	{regexp.MustCompile(`playctl wait .*waiting`), `playctl record-activity Ada waiting`},
	{regexp.MustCompile(`playctl wait Ada --for done`), `playctl record-activity Ada done`},
	{regexp.MustCompile(`tail --record`), `rm monday.ndjson`},
	{regexp.MustCompile(`remove-amenity .* car_wash`), `playctl add-amenity "Corner shop" car_wash`},
	{regexp.MustCompile(`context import home.age`), `playctl context export --encrypt --passphrase-file passphrase.txt --file home.age && rm "$PLAYCTL_CREDENTIALS_FILE"`},
	{regexp.MustCompile(`store (check$|compact|backup (world.backup|-.*)$|restore)`), storeWithHost("")},
	{regexp.MustCompile(`store check --data-dir|migrate --from /var`), storeWithHost(`--data-dir "$HOME/var"`)},
	{regexp.MustCompile(`migrate --from ~`), storeWithHost("")},
	{regexp.MustCompile(`store (check|backup world.backup) --store|migrate --from redis`),
		`playctl serve --detach --listen 127.0.0.1:0 --store "$REDIS" && playctl stop`},
	{regexp.MustCompile(`store check (world|before).backup`), storeWithHost("")},
	{regexp.MustCompile(`store restore|store check (world|before).backup`), `playctl store backup world.backup && cp world.backup before.backup`},
	{regexp.MustCompile(`completion`), `mkdir -p .local/share/bash-completion/completions .config/fish/completions`},
}

// storeWithHost creates a store with a host that has ended again.
func storeWithHost(flags string) string {
	return "playctl serve --detach --listen 127.0.0.1:0 " + flags + " && playctl stop " + flags
}

// startAgent starts an agent's program, and waits until it answers.
func startAgent(agent, program string) string {
	return program + ` >serving.txt 2>&1 & serving=$!
until playctl agent list --jq '.agents[] | select(.name == "` + agent + `").answering' 2>/dev/null | grep -q yes; do sleep 0.1; done`
}

// around has the first and the last commands of an example's shell: programs that run
// meanwhile, and the variables of the example.
var around = []struct {
	pattern     *regexp.Regexp
	first, last string
}{
	{regexp.MustCompile(`\$ROOT`), "ROOT=$(jq -r .merkleRootHex proof.json) LEAVES=$(jq .merkleLeafCount proof.json)", ""},
	{regexp.MustCompile(`\$key`), "key=__header__", ""},
	{regexp.MustCompile(`gh secret set`), "gh() { grep -c =; }", ""},
	// A key is lost while the shell still starts the pipe, and if the shell has a trap.
	{regexp.MustCompile(`tail.*\| jq`), `trap - INT; jq() { echo jq runs >&2; command jq "$@"; }`, ""},
	{regexp.MustCompile(`nodes limit`), "ID=$(playctl whoami --jq .nodeId)", ""},
	{regexp.MustCompile(`watch revoke`), "playctl watch --print; ID=$(playctl watch list --jq '.tokens[0].id')", ""},
	{regexp.MustCompile(`invite revoke`), "ID=$(playctl invite --jq .id 2>/dev/null)", ""},
	{regexp.MustCompile(`intercom send Ada`), startAgent("Ada", "playctl intercom serve Ada --exec ./agent.sh --assist-tools tools.json"), "kill $serving; wait"},
	{regexp.MustCompile(`intercom send Robin`), startAgent("Robin", "playctl agent run Robin --text -- cat"), "kill $serving; wait"},
	{regexp.MustCompile(`playctl (stop|logs)( --lines 20| --follow)?$`), "playctl serve --detach --listen 127.0.0.1:0 --memory-budget 64", "playctl stop 2>/dev/null"},
	{regexp.MustCompile(`playctl (stop|logs) --data-dir world`), "playctl serve --detach --listen 127.0.0.1:0 --data-dir world --memory-budget 64", "playctl stop --data-dir world 2>/dev/null"},
	{regexp.MustCompile(`playctl stop --run-dir second`), "playctl serve --detach --ephemeral --listen 127.0.0.1:0 --run-dir second", "playctl stop --run-dir second 2>/dev/null"},
	{regexp.MustCompile(`serve --detach --data-dir world`), "", "playctl stop --data-dir world"},
	{regexp.MustCompile(`host\.json`), "", "until grep -q url host.json; do sleep 0.1; done; kill $!; wait"},
}

// instead replaces text of the documentation for the test: ports, folders of the system
// and machines that exist in documents only.
var instead = strings.NewReplacer(
	"playctl otel", "playctl otel --http 127.0.0.1:0 --grpc 127.0.0.1:0",
	"playctl serve --ephemeral --listen 127.0.0.1:0", "playctl serve --ephemeral --listen 127.0.0.1:0",
	// The demo creates its accounts with the SDK, which derives their ids.
	"playctl serve --demo", nodeIDs+"= playctl serve --listen 127.0.0.1:0 --demo",
	"playctl serve", "playctl serve --listen 127.0.0.1:0",
	"--listen :7420", "--listen 127.0.0.1:0",
	"127.0.0.1:7421", "127.0.0.1:0",
	`"${fpath[1]}/_playctl"`, "_playctl", // an array in zsh
	"/var/lib/playctl", `"$HOME/var"`,
	"https://hooks.example.com", "http://127.0.0.1:1",
	"0123456789abcdef", `"$ID"`,
)

// scriptOf returns an example as a script for the test's shell, with the URL of a host.
func scriptOf(line, url string) string {
	script := exampleRedis.ReplaceAllString(instead.Replace(exampleHost.ReplaceAllString(line, url)), `"$$REDIS"`)
	first, last := "", ""
	for _, beside := range around {
		if beside.pattern.MatchString(line) {
			first, last = beside.first, beside.last
		}
	}
	// Ctrl-C is for the example: its shell continues, and returns the exit code.
	return strings.Join([]string{"trap : INT", first, script, "code=$?", last, "exit $code"}, "\n")
}
