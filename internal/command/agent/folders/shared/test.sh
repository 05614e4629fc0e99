#!/bin/sh
# Asks the agent in a world of its own, which is gone afterwards.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
agent=
end() {
	[ -z "$agent" ] || kill "$agent" 2>/dev/null || true
	playctl stop --data-dir "$folder" >/dev/null || true
	rm -rf "$folder"
}
trap end EXIT
export PLAYCTL_CREDENTIALS_FILE="$folder/credentials.json"
playctl create-root-key --root-file "$folder/root" >/dev/null
PLAYCTL_SERVER=$(playctl serve --detach --ephemeral --listen 127.0.0.1:0 --data-dir "$folder" --root-file "$folder/root" --jq .url)
export PLAYCTL_SERVER
./run.sh >"$folder/agent.log" 2>&1 &
agent=$!
tries=0
until [ "$(playctl agent list --jq '.agents[].answering' 2>/dev/null)" = yes ]; do
	tries=$((tries + 1))
	if [ "$tries" -gt 600 ] || ! kill -0 "$agent" 2>/dev/null; then
		cat "$folder/agent.log" >&2
		exit 1
	fi
	sleep 0.1
done

is() {
	[ "$2" = "$3" ] || { echo "$1: it answered '$2', not '$3'" >&2; cat "$folder/agent.log" >&2; exit 1; }
	echo "ok: $1"
}
is 'a question' "$(playctl intercom send {{.Agent}} 'Where is the shop?')" 'You said: Where is the shop?'
is 'a tool' "$(playctl intercom send {{.Agent}} --tool assist_count --args '{"text": "one two three"}' --jq .result.words)" 3

# Any text: on several lines, with quotes and backslashes, in any language, long.
text=$(printf 'two  lines:\n"quoted" and %s\n\ta \\n that is none, $HOME, äöü 日本 {}' "'single'")
long=$(printf '%05000d %05000d' 0 0)
is 'a text on several lines' "$(playctl intercom send {{.Agent}} "$text" --jq .message)" "You said: $text"
is 'JSON as a text' "$(playctl intercom send {{.Agent}} '{"error": "none"}')" 'You said: {"error": "none"}'
is 'a long text' "$(playctl intercom send {{.Agent}} "$long")" "You said: $long"
count() { playctl intercom send {{.Agent}} --tool assist_count --args "{\"text\": \"$1\"}" --jq .result.words; }
is 'words on several lines' "$(count 'one\ntwo\tthree\n\n four \\ \"six\" * ü')" 8
is 'no words' "$(count '')" 0
is 'many characters' "$(count "$long")" 2
