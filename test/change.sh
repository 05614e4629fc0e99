#!/usr/bin/env bash
#
# ./test.sh --change [BASE]: tests quickly what differs from a commit, and says what it
# left out. Files that git does not know yet count as well.

set -euo pipefail
cd "$(dirname "$0")/.."

main() {
  local base=${1:-} status=0 files packages scripts wire page left="the black box"
  [ -n "$base" ] || base=$(git merge-base HEAD origin/HEAD 2>/dev/null) || base=HEAD
  files=$(git diff --name-only "$base" -- && git ls-files --others --exclude-standard) || fail "git cannot compare with $base"
  [ -n "$files" ] || fail "nothing differs from $base: name another commit after --change"
  wire=$(grep -E '^((chain|protocol|internal/(creds|host|store|world))/.*\.go|test/blackbox/.*)$' <<<"$files" | grep -v _test.go) || true
  page=$(grep ^web/ <<<"$files") || true
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT

  part go build ./...
  part go vet -tags full ./...
  packages=$(comm -12 <(changed_folders | sort -u) <(go list -f '{{.Dir}}' ./... | sort))
  # shellcheck disable=SC2086 # several packages are several words
  part go test -ldflags=-w ./test/rules $packages
  scripts=$(grep /internal/command <<<"$packages" | xargs -I{} find {}/testdata -name '*.txtar' -printf '%f|' 2>/dev/null) || true
  [ -z "$scripts" ] || part go test -ldflags=-w ./cmd/playctl -run "Help|TestScripts/^(${scripts//.txtar/})\$"
  if [ -n "$wire" ]; then
    left="black-box files that name nothing of the change"
    go build -o "$scratch/playctl" ./cmd/playctl
    # shellcheck disable=SC2046 # several files are several words
    part env PLAYCTL="$scratch/playctl" test/blackbox/run.sh $(touched "$base")
  fi
  if [ -n "$page" ]; then
    web/install.sh
    part npm --prefix web run --silent check
    part env NODE_OPTIONS=--test-reporter=dot npm --prefix web run --silent unit --workspace watch
  fi
  echo "left out, for ./test.sh: the race detector, the tests of other packages, ${scripts:+other }scripts of commands, $left," \
    "the TypeScript client, the page in a browser"
  return "$status"
}

# part COMMAND... runs a part, and names it where it failed.
part() {
  "$@" || { status=$? && echo "FAILED: $*"; }
}

# changed_folders lists the closest folder with Go code of each of $files.
changed_folders() {
  local folder
  while read -r folder; do
    while folder=$(dirname "$folder") && [ "$folder" != . ]; do
      ! compgen -G "$folder/*.go" >/dev/null || { echo "$PWD/$folder" && break; }
    done
  done <<<"$files"
}

# touched BASE lists the black-box files that changed, those that have the name of a changed
# file, and those that name a field, an operation or a route of a changed line; none means
# all of them.
touched() {
  local names
  names=$(sed -nE 's|.*/([a-z]+)[^/]*\.go$|\1|p' <<<"$wire" | paste -sd '|')
  git diff -U0 "$1" -- '*.go' ':!*_test.go' | grep '^[+-]' | grep -oE '"/?[A-Za-z][A-Za-z-]{3,}[",/]' | tr -d '"/,' >"$scratch/words" || true
  {
    sed -n 's|^test/blackbox/\(.*\.test\.mjs\)$|\1|p' <<<"$wire"
    cd test/blackbox
    printf '%s\n' *.test.mjs | grep -E "^(${names:-none})s?[._]"
    grep -lwF -f "$scratch/words" -- *.test.mjs
  } | sort -u || true
}

fail() {
  echo "test.sh: $*" >&2
  exit 1
}

main "$@"
