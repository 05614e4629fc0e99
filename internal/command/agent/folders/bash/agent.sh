#!/usr/bin/env bash
# Answers one question: its text is on standard input, PLAYCTL_TOOL is the tool that is
# called, if any, and PLAYCTL_ARG_… has the tool's arguments. What this prints is the
# answer: a text, or for a tool also a JSON object with "message" and "result".
set -euo pipefail

case $PLAYCTL_TOOL in
'') # a person, or another agent, says something
	printf 'You said: '
	cat
	;;
assist_count)
	read -r -d '' -a words <<<"${PLAYCTL_ARG_text-}" || true # it ends without the NUL that -d '' waits for
	printf '{"message": "It has %d words.", "result": {"words": %d}}\n' "${#words[@]}" "${#words[@]}"
	;;
*)
	echo "there is no tool $PLAYCTL_TOOL"
	exit 1 # the answer is then that it failed
	;;
esac
