#!/usr/bin/env bash
# Answers one question, which is a JSON object on standard input. What this prints is the
# answer: a text, or a JSON object with "message" and "result". Without jq: texts have no
# other escapes than \" here.
set -euo pipefail
question=$(cat)

field() { sed -n "s/.*\"$1\":\"\(\(\\\\\"\|[^\"]\)*\)\".*/\1/p" <<<"$question" | sed 's/\\"/"/g'; }

case $(field toolName) in
'') # a person, or another agent, says something
	echo "You said: $(field text)"
	;;
assist_count)
	words=$(field text | wc -w)
	echo "{\"message\": \"It has $((words)) words.\", \"result\": {\"words\": $((words))}}"
	;;
*)
	echo "there is no tool $(field toolName)"
	exit 1 # the answer is then that it failed
	;;
esac
