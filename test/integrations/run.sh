#!/usr/bin/env bash
#
# Packs the TypeScript client, installs it beside the real libraries of frameworks and
# runs the tests here: test/integrations/run.sh [FILE...]. It needs Node and npm.

set -euo pipefail
cd "$(dirname "$0")"

if [ -z "${PLAYCTL:-}" ]; then
  PLAYCTL=$(mktemp -d)/playctl
  trap 'rm -rf "$(dirname "$PLAYCTL")"' EXIT
  (cd ../.. && go build -o "$PLAYCTL" ./cmd/playctl)
fi
export PLAYCTL
# What reports to the vendors of the libraries is off.
export LANGCHAIN_TRACING_V2=false LANGSMITH_TRACING=false DO_NOT_TRACK=1 DENO_NO_UPDATE_CHECK=1

# install FOLDER installs what it asks for, unless that is there.
install() {
  cat "$1/package.json" "$1/package-lock.json" | cmp -s - "$1/node_modules/.installed-for" && return
  npm ci --prefix "$1" --loglevel error --no-audit --no-fund
  cat "$1/package.json" "$1/package-lock.json" >"$1/node_modules/.installed-for"
}

install .
install lowest
install lowest1
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

files=("$@")
[ ${#files[@]} -gt 0 ] || files=(./*.test.mjs)
status=0
node --test --test-timeout=300000 --test-concurrency=2 "${files[@]}" || status=$?

# once_more FOLDER FILES... runs those of the files that were asked for with the packages of a folder.
once_more() {
  local folder=$1 file asked=()
  shift
  for file in "${files[@]}"; do
    [[ " $* " != *" ${file##*/} "* ]] || asked+=("$file")
  done
  [ ${#asked[@]} -eq 0 ] ||
    LOWEST=$folder NODE_OPTIONS="--import=$PWD/lowest.mjs" node --test --test-timeout=300000 --test-concurrency=2 "${asked[@]}" || status=$?
}

# The adapters with the lowest versions that the package takes of what they adapt, those of LangChain's line 1 as well.
once_more lowest ai.test.mjs claude.test.mjs langgraph.test.mjs mcp.test.mjs openai-agents.test.mjs types.test.mjs
once_more lowest1 langchain.test.mjs langgraph.test.mjs
exit "$status"
