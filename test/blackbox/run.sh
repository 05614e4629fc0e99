#!/usr/bin/env bash
#
# Builds playctl and runs the black-box client against it. Arguments are test
# files; without any, all of them run.
#
#   test/blackbox/run.sh
#   test/blackbox/run.sh stream.test.mjs
#   test/blackbox/run.sh --redis            two hosts on a Redis server take the calls in turn
#
# PLAYCTL names a binary to test instead of building one.

set -euo pipefail
cd "$(dirname "$0")"

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "run.sh: Node is not installed: get version 20 or later, with npm, from https://nodejs.org" >&2
  exit 1
fi

work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || { kill "$server" && wait "$server"; } || true
  rm -rf "$work"
}
trap finish EXIT

redis=no
if [ "${1:-}" = --redis ]; then
  redis=yes
  shift
fi

if ! cmp -s package-lock.json node_modules/.installed-for; then
  npm ci --loglevel error --no-audit --no-fund >&2
  cp package-lock.json node_modules/.installed-for
fi
if [ -z "${PLAYCTL:-}" ]; then
  (cd ../.. && go build -o "$work/playctl" ./cmd/playctl)
  export PLAYCTL=$work/playctl
fi
export BLACKBOX_WORLD=$work/world
mkdir -m 700 "$BLACKBOX_WORLD"
node lib/make_world.mjs "$BLACKBOX_WORLD"

if [ "$redis" = yes ]; then
  # What it keeps is read by the test that looks for secrets; it need not last.
  export BLACKBOX_REDIS=redis+unix://$work/redis/socket BLACKBOX_REDIS_DIR=$work/redis
  mkdir "$work/redis"
  redis-server --port 0 --unixsocket "$work/redis/socket" --dir "$work/redis" --appendonly yes --appendfsync no --save '' \
    --logfile "$work/redis/log" --daemonize no &
  server=$!
fi

[ $# -gt 0 ] || set -- ./*.test.mjs
# A process, and what every file imports, cost more than most files do themselves: four
# programs run them all, each file as a suite of its own.
node lib/programs.mjs "$work/programs" "$@"
# A test that waits for an event that never comes ends at its own limit, this
# one is for a process that does not; a file has 180 s, as lib/programs.mjs says.
node --test --test-concurrency=4 --test-timeout=600000 --test-reporter=spec "$work"/programs/*.test.mjs
