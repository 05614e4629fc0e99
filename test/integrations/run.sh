#!/usr/bin/env bash
#
# Packs the TypeScript client, installs it beside the real libraries of frameworks and
# runs the tests here: test/integrations/run.sh [FILE...]. It needs Node and npm, which
# install the Node versions of the tests: 20, the oldest that the client supports, and 22.

set -euo pipefail
cd "$(dirname "$0")"

if [ -z "${PLAYCTL:-}" ]; then
  PLAYCTL=$(mktemp -d)/playctl
  trap 'rm -rf "$(dirname "$PLAYCTL")"' EXIT
  (cd ../.. && go build -o "$PLAYCTL" ./cmd/playctl)
fi
export PLAYCTL
# Reports to the vendors of the libraries are off.
export LANGCHAIN_TRACING_V2=false LANGSMITH_TRACING=false DO_NOT_TRACK=1 DENO_NO_UPDATE_CHECK=1

# install FOLDER installs its dependencies, unless they are installed already.
install() {
  cat "$1/package.json" "$1/package-lock.json" | cmp -s - "$1/node_modules/.installed-for" && return
  npm ci --prefix "$1" --loglevel error --no-audit --no-fund
  cat "$1/package.json" "$1/package-lock.json" >"$1/node_modules/.installed-for"
}

install .
install lowest
install lowest1
install nodes/20
install nodes/22
../../web/install.sh
packed=$(npm pack --silent --pack-destination node_modules ../../web/sdk | tail -1)
rm -rf node_modules/@playctl/sdk
mkdir -p node_modules/@playctl/sdk
tar -xzf "node_modules/$packed" -C node_modules/@playctl/sdk --strip-components=1
# Its own dependencies, which npm would install with a published package.
mkdir -p node_modules/@cfworker node_modules/@noble
rm -rf node_modules/@cfworker/json-schema node_modules/@noble/hashes
cp -r ../../web/node_modules/@cfworker/json-schema node_modules/@cfworker/
cp -r ../../web/node_modules/@noble/hashes node_modules/@noble/

readonly node20=$PWD/nodes/20/node_modules/.bin/node node22=$PWD/nodes/22/node_modules/.bin/node
# For programs that a test starts and whose library requires a newer Node.
export NODE22=$node22
# Tests that require Node 22 or newer.
readonly newer=ai7.test.mjs

files=("$@")
[ ${#files[@]} -gt 0 ] || files=(./*.test.mjs)
status=0

# only NAMES... prints the requested files that have one of the names.
only() {
  local file
  for file in "${files[@]}"; do
    [[ " $* " != *" ${file##*/} "* ]] || echo "$file"
  done
}

# tests NODE FILES... runs files in a version of Node.
tests() {
  local node=$1
  shift
  [ $# -eq 0 ] || "$node" --test --test-timeout=600000 --test-concurrency=2 "$@" || status=$?
}

# once_more FOLDER FILES... runs the requested ones of the files with the packages of a folder, in Node 22.
once_more() {
  local folder=$1 asked
  shift
  mapfile -t asked < <(only "$@")
  LOWEST=$folder NODE_OPTIONS="--import=$PWD/lowest.mjs" tests "$node22" "${asked[@]}"
}

older=()
for file in "${files[@]}"; do
  [ "${file##*/}" = "$newer" ] || older+=("$file")
done
mapfile -t newest < <(only "$newer")
tests "$node20" "${older[@]}"
tests "$node22" "${newest[@]}"

# The adapters with the lowest supported versions of their frameworks, including those of LangChain's line 1.
once_more lowest ai.test.mjs ai7.test.mjs claude.test.mjs langgraph.test.mjs mcp.test.mjs openai-agents.test.mjs types.test.mjs
once_more lowest1 langchain.test.mjs langgraph.test.mjs
exit "$status"
