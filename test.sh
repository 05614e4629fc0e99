#!/usr/bin/env bash
#
# Runs the tests. On a machine with Go, Node, git and apt it needs nothing else:
# what the tests call and the machine lacks is installed first.
#
#   ./test.sh                  the usual suite, at most ten minutes on two idle cores: go vet, the Go tests,
#                              with the race detector where goroutines are, the client in test/blackbox
#                              against the real program, the TypeScript client, the watch page's functions,
#                              and its journeys that have the tag @usual in a Chromium
#   ./test.sh --full           all tests with the race detector, at most 45 minutes: also those with the build
#                              tag full, the black box on two hosts with Redis, every journey and every test
#                              of the TypeScript client; then whole requests are fuzzed for three minutes
#   ./test.sh ./chain/...      the Go tests of some packages, as in the usual suite; after --full all of theirs
#   ./test.sh --change [BASE]  a quick check of what differs from BASE, a commit (by default where the branch
#                              left origin/HEAD), without the race detector: go vet and a build of everything,
#                              the rules, the tests of the changed packages, the scripts of the changed
#                              commands, the black-box files that name what was changed, and if web/ changed,
#                              its types and the page's functions
#   ./test.sh --integrations   the TypeScript package in other runtimes, and its adapters with the real
#                              libraries of the frameworks, from npm; the watch page in a Firefox
#   ./test.sh --fuzz 30s       every fuzz target for 30 s each, after its committed corpus
#   ./test.sh --bench          every benchmark, output fit for benchstat
#
# The exit code is that of the tests.

set -euo pipefail
cd "$(dirname "$0")"

# It shows the output of failed tests only.
readonly gotestsum=gotest.tools/gotestsum@v1.13.0
# All code is watched for races but scrypt, which is arithmetic on memory of its own in
# one goroutine: watched, a node id takes many times as long, and two thirds of the
# tests' time went there.
readonly scrypt=(-gcflags=golang.org/x/crypto/scrypt=-race=false)
# The packages that the usual suite watches for races.
readonly concurrent='playctl/(sdk|internal/(bridge|client|creds|host|store|world))(/|$)'

main() {
  local mode=usual fuzz_time=30s
  local packages=()
  while [ $# -gt 0 ]; do
    case $1 in
      --full) mode=full ;;
      --bench) mode=bench ;;
      --integrations) mode=integrations ;;
      --change) mode=change ;;
      --fuzz)
        mode=fuzz
        [ $# -ge 2 ] || fail "--fuzz needs a duration for each target, for example: ./test.sh --fuzz 30s"
        fuzz_time=$2
        shift
        ;;
      -h | --help)
        sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
      -*) fail "unknown flag $1; ./test.sh --help lists them" ;;
      *) packages+=("$1") ;;
    esac
    shift
  done

  scratch=$(mktemp -d) beside=
  trap finish EXIT
  install_tools
  local all=no
  [ "$mode" = change ] || [ ${#packages[@]} -gt 0 ] || { all=yes packages=(./...); }
  case $mode in
    change) test/change.sh "${packages[@]}" ;;
    usual | full) suite "$mode" "$all" "${packages[@]}" ;;
    integrations) integrations ;;
    fuzz) fuzz "$fuzz_time" "${packages[@]}" ;;
    bench) go test -run '^$' -bench . -benchmem -timeout 120m "${packages[@]}" ;;
  esac
}

# finish ends what runs beside, with all that it started, and removes the scratch folder.
finish() {
  [ -z "$beside" ] || { kill -- "-$beside" && wait "$beside"; } 2>/dev/null || true
  rm -rf "$scratch"
}

# install_tools installs the Debian packages of the programs that tests call.
install_tools() {
  command -v go >/dev/null ||
    fail "Go is not installed: get the version that go.mod names from https://go.dev/dl/ and run ./test.sh again"
  command -v npm >/dev/null ||
    fail "Node is not installed: get version 20 or newer, with npm, from https://nodejs.org/ and run ./test.sh again"
  need build-essential cc # links programs under the race detector
  need tmux tmux
  need nginx-light nginx
  need systemd systemd-analyze
  need python3 python3
  need jq jq
  need bsdutils script
  # Debian's redis-server would start a service. This has the same program under another name.
  command -v redis-server >/dev/null || {
    need redis-tools redis-check-rdb
    ln -s "$(command -v redis-check-rdb)" "$scratch/redis-server"
    export PATH="$scratch:$PATH"
  }
}

# install_web_tools gets what only the whole suite calls: a browser, and packages.
install_web_tools() {
  need chromium chromium chromium-browser google-chrome
  # Its engine alone takes half the processor time. Not every system has it, and the
  # tests take the whole browser where it is missing.
  ! apt-cache show chromium-headless-shell >/dev/null 2>&1 || need chromium-headless-shell chromium-headless-shell
  web/install.sh
}

# need PACKAGE COMMAND... installs a Debian package unless one of the commands exists.
need() {
  local package=$1 root=()
  shift
  ! command -v "$@" >/dev/null || return 0
  [ "$(id -u)" = 0 ] || root=(sudo)
  echo "test.sh: installing $package, because tests call $1" >&2
  { "${root[@]}" apt-get update -qq &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$package"; } >&2 ||
    fail "'$1' is missing and apt-get could not install $package: install it by hand and run ./test.sh again"
}

# suite usual|full ALL PACKAGES... vets and tests, then prints once more what failed, and
# how many tests passed and failed: of a long log often the end alone is kept. What is
# tested with Node runs beside Go's tests: either often waits. One build of playctl serves
# all that start it.
suite() {
  local mode=$1 all=$2 watched=$concurrent status=0 vet= list passed failed
  shift 2
  go build -o "$scratch/playctl" ./cmd/playctl
  export PLAYCTL=$scratch/playctl
  : >"$scratch/javascript"
  if [ "$all" = yes ]; then
    install_web_tools
    set -m
    javascript "$mode" >"$scratch/javascript" 2>&1 &
    beside=$!
    set +m
  fi
  go vet -tags full "$@" || { status=$?; vet="FAILED: go vet"; }
  [ "$mode" = usual ] || need strace strace # test/faults lets system calls fail with it
  [ "$mode" = usual ] || { export GOFLAGS="-tags=full ${GOFLAGS:-}" watched=.; }
  list=$(go list "$@") || return
  go_test race "$(grep -E "$watched" <<<"$list")" -race "${scrypt[@]}" || status=$?
  go_test plain "$(grep -vE "$watched" <<<"$list")" || status=$?
  if [ "$all" = yes ]; then
    wait "$beside" || status=$?
    beside=
    cat "$scratch/javascript"
    [ "$mode" = usual ] || go test -run '^$' -fuzz '^FuzzRequest$' -fuzztime 3m -fuzzminimizetime 1s -parallel 1 ./internal/host || status=$?
  fi
  cat "$scratch"/*.json >"$scratch/go"
  passed=$(($(go_tests pass) + $(javascript_tests pass))) failed=$(($(go_tests fail) + $(javascript_tests fail)))
  javascript_failures
  # It reads what was written while the tests ran.
  go run "$gotestsum" --format none --hide-summary skipped --raw-command -- cat "$scratch/go" || status=$?
  [ -z "$vet" ] || echo "$vet"
  echo "$passed passed, $failed failed"
  return "$status"
}

# go_test NAME PACKAGES FLAGS... runs go test. The order of tests is shuffled, so that none leans
# on another. What tests would be vetted with is part of what vet just did. Packages that
# wait for a disk or a process leave the processors to others, and a test that waits leaves
# its place to others. A program under the race detector sleeps for a second before it
# exits, so that other threads finish their reports: a twentieth is enough for that. A larger
# heap is collected less often, which is a seventh of the processor time. Without symbols for
# a debugger programs are linked faster.
go_test() {
  local name=$1 packages=$2
  shift 2
  [ -n "$packages" ] || return 0
  # shellcheck disable=SC2086 # several packages are several words
  GOGC=${GOGC:-400} GORACE="atexit_sleep_ms=50 ${GORACE:-}" go run "$gotestsum" --format pkgname-and-test-fails --hide-summary all \
    --jsonfile "$scratch/$name.json" -- -vet=off -ldflags=-w -p "$(($(getconf _NPROCESSORS_ONLN) + 1))" -parallel 4 \
    -shuffle on -timeout 25m "$@" $packages
}

# javascript usual|full runs what is tested with Node against the real program, all of it also
# after one part failed.
javascript() {
  local mode=$1 status=0 client=() page=(--grep @usual)
  part test/blackbox/run.sh
  if [ "$mode" = full ]; then
    client=(--full) page=()
    part test/blackbox/run.sh --redis
  fi
  cd web || return
  part npm run --silent check
  part npm test --silent --workspace sdk -- "${client[@]}"
  part npm run --silent unit --workspace watch
  part npm run --silent test:browser --workspace watch -- "${page[@]}"
  return "$status"
}

# part COMMAND... runs a part of javascript, and names it where it failed.
part() {
  "$@" || { status=$?; echo "FAILED: $*"; }
}

# integrations tests with what others make: libraries of frameworks, and a Firefox.
integrations() {
  local status=0
  need firefox-esr firefox firefox-esr
  go build -o "$scratch/playctl" ./cmd/playctl
  export PLAYCTL=$scratch/playctl
  web/install.sh
  test/integrations/run.sh || status=$?
  npm --prefix web run --silent test:firefox --workspace watch || status=$?
  return "$status"
}

# go_tests RESULT counts the Go tests, subtests included, that ended so.
go_tests() {
  grep -cE "\"Action\":\"$1\",.*\"Test\":" "$scratch/go" || true
}

# javascript_tests RESULT adds up how many tests ended so from the last lines of the
# runners, Node's ("pass 12") and Playwright's ("12 passed"); one that died before
# them counts nothing, and has its exit code.
javascript_tests() {
  sed -nE "s/^[^ ]+ $1 ([0-9]+)\$/\1/p; s/^  ([0-9]+) $1ed( .*)?\$/\1/p" "$scratch/javascript" |
    awk '{ sum += $1 } END { print sum + 0 }'
}

# javascript_failures lists the parts that failed, and the tests as the runners name
# them: Node's in two forms, and Playwright's.
javascript_failures() {
  grep -E '^ *(FAILED: |not ok [0-9]+ |✖ |[0-9]+\) )' "$scratch/javascript" | grep -v 'failing tests:$' | sort -u || true
}

# fuzz DURATION PACKAGES... runs each fuzz target alone, as go test demands.
fuzz() {
  local duration=$1 package target found=0
  shift
  for package in $(go list "$@"); do
    for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
      found=$((found + 1))
      echo "== $target in $package"
      go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" "$package"
    done
  done
  [ "$found" -gt 0 ] || fail "no fuzz target in $*"
  echo "$found fuzz targets ran for $duration each"
}

fail() {
  echo "test.sh: $*" >&2
  exit 1
}

main "$@"
