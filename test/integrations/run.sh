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

if ! cat package.json package-lock.json | cmp -s - node_modules/.installed-for; then
  npm ci --loglevel error --no-audit --no-fund
  cat package.json package-lock.json >node_modules/.installed-for
fi
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
node --test --test-timeout=300000 --test-concurrency=2 "${files[@]}"
