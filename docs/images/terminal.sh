#!/usr/bin/env bash
#
# Makes tail.svg and tail-map.svg anew: it runs the demo world, shows it in a
# terminal of 100 columns and 30 rows, and draws what stands there. Needs Go and
# tmux. It takes some minutes, because it waits until the demo shows what it has.
# PLAYCTL names a playctl that was built already.
#
#   docs/images/terminal.sh

set -euo pipefail
cd "$(dirname "$0")/../.."

readonly columns=100 rows=30

scratch=$(mktemp -d)
# A server of its own, which ends with this script.
export TMUX_TMPDIR=$scratch
host=
# A terminal's end is no reason for a host to end, so it is stopped by a signal.
trap '[ -z "$host" ] || kill "$host"; tmux kill-server 2>/dev/null || true; rm -rf "$scratch"' EXIT

# await runs a command until it succeeds, for at most so many seconds.
await() {
  local seconds=$1
  shift
  local end=$((SECONDS + seconds))
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || { echo "terminal.sh: this never came: $*" >&2; exit 1; }
    sleep 0.2
  done
}

# screen prints what a window shows, with its colors.
screen() { tmux capture-pane -e -p -t "$1"; }

# shows reports whether a window shows a line that a pattern matches.
shows() { tmux capture-pane -p -t "$1" | grep -qE "$2"; }

# someone_travels_and_speaks keeps the map when it has a trail and words at once.
someone_travels_and_speaks() {
  screen map >"$scratch/map"
  tmux capture-pane -p -t map >"$scratch/plain"
  grep -q '···' "$scratch/plain" && grep -qE '●[A-Z][a-z]+: ' "$scratch/plain" && grep -q verified "$scratch/plain"
}

playctl=${PLAYCTL:-$scratch/playctl}
[ -n "${PLAYCTL:-}" ] || go build -o "$playctl" ./cmd/playctl
go build -o "$scratch/picture" ./internal/gen/terminalpicture
export HOME=$scratch
tmux -f /dev/null new-session -d -x "$columns" -y "$rows" -s host "exec $playctl serve --demo --ephemeral --listen 127.0.0.1:0 --output json >$scratch/banner"
host=$(tmux display-message -p -t host '#{pane_pid}')
await 60 grep -q '"credentialsFile"' "$scratch/banner"
field() { sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" "$scratch/banner"; }
server=$(field url)
credentials=$(field credentialsFile)
tail="env PLAYCTL_SERVER=$server PLAYCTL_CREDENTIALS_FILE=$credentials COLORTERM= TERM=xterm-256color $playctl tail"
tmux new-session -d -x "$columns" -y "$rows" -s lines "$tail"
tmux new-session -d -x "$columns" -y "$rows" -s map "$tail --view map"

await 120 someone_travels_and_speaks
"$scratch/picture" <"$scratch/map" >docs/images/tail-map.svg
# A full screen of lines, with a journey among them.
await 600 shows lines "^live .*rev"
full() { [ "$(tmux capture-pane -p -t lines | grep -c .)" -ge $((rows - 1)) ] && shows lines travels; }
await 600 full
screen lines | "$scratch/picture" >docs/images/tail.svg
