#!/usr/bin/env bash
#
# Compares the benchmarks of another commit with those of the work tree. Both are built
# first and run in turns, package by package, so that what else the machine does falls on
# both. Packages that have benchmarks in one of the two only are left out.
#
#   bench/compare.sh 636a8e77                     six rounds of all that take no minutes
#   bench/compare.sh 636a8e77 10                  ten rounds
#   bench/compare.sh 636a8e77 10 'Merge|Change$'  of some benchmarks
#   bench/compare.sh 636a8e77 10 . ./chain        of some packages
#
# BENCHTIME is how long each benchmark runs in a round, 0.3s unless it is set; those of
# bench, which start hosts, a second. It needs Go and git, and a redis-server for the
# store on Redis.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly benchstat=golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
# Of the folder bench; how its others are run is in RESULTS.md.
readonly short='RecordInteraction|Snapshot$|Authentication|Help|Start/events=0'

if [ $# -eq 0 ] || [ "$1" = -h ] || [ "$1" = --help ]; then
  sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
  exit 2
fi
base=$1 rounds=${2:-6} pattern=${3:-}
shift $(($# < 3 ? $# : 3))

scratch=$(mktemp -d)
finish() {
  git worktree remove --force "$scratch/base" 2>/dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT
git worktree add --quiet --detach "$scratch/base" "$base"
ln -s "$PWD" "$scratch/new"

# build STATE PACKAGE builds the tests of a package, unless it has no benchmark.
build() {
  git -C "$scratch/$1" grep -q '^func Benchmark' -- "$2/*_test.go" || return 0
  mkdir -p "$scratch/$1.tests/$2"
  go -C "$scratch/$1" test -c -o "$scratch/$1.tests/$2/" "./$2"
}

module=$(go list -m)
packages=()
for package in $(go list "${@:-./...}"); do
  folder=${package#"$module/"}
  for state in base new; do build "$state" "$folder"; done
  [ ! -d "$scratch/base.tests/$folder" ] || [ ! -d "$scratch/new.tests/$folder" ] || packages+=("$folder")
done
for state in base new; do go -C "$scratch/$state" build -o "$scratch/playctl.$state" ./cmd/playctl; done

for round in $(seq "$rounds"); do
  states=(base new)
  [ $((round % 2)) = 1 ] || states=(new base)
  for folder in "${packages[@]}"; do
    time=${BENCHTIME:-0.3s} chosen=${pattern:-.}
    [ "$folder" != bench ] || time=${BENCHTIME:-1s} chosen=${pattern:-$short}
    for state in "${states[@]}"; do
      # Where benchmarks start the program, it is the one of their state.
      (cd "$scratch/$state/$folder" && PLAYCTL=$scratch/playctl.$state "$scratch/$state.tests/$folder/"*.test \
        -test.run '^$' -test.bench "$chosen" -test.benchmem -test.benchtime "$time") >>"$scratch/$state.txt"
    done
  done
  echo "round $round of $rounds" >&2
done
go run "$benchstat" "$scratch/base.txt" "$scratch/new.txt"
