#!/bin/sh
# Answers one command for "playctl intercom serve": chat, and the tool assist_add.
# The command is a JSON object on standard input; what is printed is the answer.
# It needs jq, and playctl's context of the agent to record the journey.
set -eu

command=$(cat)
get() { printf '%s' "$command" | jq -r "$1"; }

case $(get '.kind + "/" + (.toolName // "")') in
chat/)
  question=$(get .text)
  reply="You said: $question"
  ;;
assist/assist_add)
  question="How much is $(get '"\(.args.a) and \(.args.b)"')?"
  reply=$(get '.args.a + .args.b')
  ;;
*)
  echo "I answer chat and assist_add only"
  exit 1
  ;;
esac

now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
printf '%s' "$command" |
  jq --arg now "$now" --arg question "$question" --arg reply "$reply" '{
    startedAt: $now, completedAt: $now, steps: [
      {type: "origin", content: $question, messageId: (.requestId + ".q")},
      {type: "destination", content: $reply, messageId: (.requestId + ".a")}
    ]}' |
  playctl record-journey "$(get .agentId)" - >&2

printf '%s\n' "$reply"
