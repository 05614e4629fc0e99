#!/usr/bin/env bash
#
# Brings the packages that package-lock.json names, unless they are there. It
# fails where a package.json asks for something else than the lock file has.

set -euo pipefail
cd "$(dirname "$0")"

# What the packages depend on; beside them is what they were installed for.
wanted() { cat package.json package-lock.json ./*/package.json; }
readonly installed=node_modules/.installed-for

if ! wanted | cmp -s - "$installed"; then
  if ! npm ci --loglevel error; then
    echo "install.sh: npm could not install what web/package-lock.json names: its reason is above" >&2
    exit 1
  fi
  wanted >"$installed"
fi
