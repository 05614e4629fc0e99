//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/command"
)

// answeringProgram answers in parts and has a tool, with JSON lines.
const answeringProgram = `#!/bin/sh
while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
	case $line in
	*'"cancel":true'*) ;;
	*'"text":"wait"'*) ;;
	*'"kind":"assist"'*) printf '%s' "$line" >args.json; echo '{"id":"'"$id"'","message":"three-steps-to-go"}' ;;
	*)
		echo '{"id":"'"$id"'","part":"part-one "}'
		echo '{"id":"'"$id"'","part":"part-two"}'
		echo '{"id":"'"$id"'"}'
		;;
	esac
done
`

const routeTool = `[{"name": "assist_route", "description": "Shows the way", "parameters": {"type": "object", "required": ["to", "note", "when"],
	"properties": {"to": {"type": "string"}, "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "when": {"type": ["string", "null"], "enum": ["now", "later", null]}, "floor": {"type": "integer"}, "by": {"enum": ["foot", "boat"], "type": "string"}}}}]`

// answered returns a person on whose host a program answers for Ada.
func answered(t *testing.T) *person {
	t.Helper()
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+serveInProcess(t, p.home), "NO_COLOR=1")
	for name, text := range map[string]string{"agent.sh": answeringProgram, "tools.json": routeTool} {
		if err := os.WriteFile(filepath.Join(p.home, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := p.types("agent", "run", "Ada", "--lines", "--assist-tools", "tools.json", "--", "./agent.sh")
	program.sees("Ctrl-C takes it off") // the end of the test ends it
	return p
}

// A prompt shows answers as they arrive, and prompts for the arguments of a tool.
func TestChat(t *testing.T) {
	t.Parallel()
	p := answered(t)
	chat := p.types("chat", "Ada")
	chat.sees("You talk with Ada")
	chat.presses("hello\r")
	chat.sees("part-two")
	chat.presses("/too\t\r")
	chat.sees("Shows the way")

	chat.presses("/assist_r\t\r")
	chat.sees("to (string)")
	chat.presses("\r")
	chat.sees("to is needed")
	chat.presses("shop\r")
	chat.sees("note (string, may be empty)")
	chat.presses("uphill\r")
	chat.sees("when (now or later, may be empty)")
	chat.presses("\r")
	chat.sees("floor (integer, may be empty)")
	chat.presses("x\r")
	chat.sees("floor is not a valid integer")
	chat.presses("3\r")
	chat.sees("by (foot or boat, may be empty)")
	chat.presses("train\r")
	chat.sees("by is one of foot, boat")
	chat.presses("boat\r")
	chat.sees("three-steps-to-go")
	args, err := os.ReadFile(filepath.Join(p.home, "args.json"))
	if err != nil || !strings.Contains(string(args), `"args":{"by":"boat","floor":3,"note":"uphill","to":"shop","when":null}`) {
		t.Errorf("the program got %s, %v", args, err)
	}

	// The arrow keys recall earlier lines; Ctrl-C ends a question.
	chat.presses("\x1b[A\x1b[A\x1b[A")
	chat.sees("hello")
	chat.presses("\r")
	chat.sees("part-two")
	chat.presses("/tools\r") // A line that is typed during an answer is entered after it.
	chat.sees("Shows the way")
	chat.presses("wait\r")
	chat.presses(ctrlC)
	chat.sees("you did not wait")
	chat.presses("\x04")
	chat.ends(command.ExitDone)

	chat = p.types("chat", "Ada")
	chat.sees("You talk with Ada")
	chat.presses(ctrlC)
	chat.ends(command.ExitInterrupted)
	if shown := p.types("chat", "Nobody").ends(command.ExitFailed); !strings.Contains(shown, "there is no agent") {
		t.Errorf("chat with nobody shows:\n%s", shown)
	}
	shown := p.runs("sh", "-c", "playctl chat Ada </dev/null").ends(command.ExitUsage)
	if !strings.Contains(shown, "needs a terminal") || !strings.Contains(shown, `hint: in a script use "playctl intercom send"`) {
		t.Errorf("chat without a terminal shows:\n%s", shown)
	}
	p.types("create-agent-node", "Bob", "--keep-phrase").ends(command.ExitDone)
	shown = p.types("chat", "Bob").ends(command.ExitFailed)
	if !strings.Contains(shown, `hint: "playctl agent list" shows who is; "playctl agent run Bob -- COMMAND"`) {
		t.Errorf("chat with an agent that is not on the map shows:\n%s", shown)
	}
	p.types("add-agent", "Bob").ends(command.ExitDone)
	chat = p.types("chat", "Bob")
	chat.sees("You talk with Bob")
	chat.presses("hello\r")
	chat.sees("error: ")
	chat.sees("hint: ")
	chat.sees(`"playctl agent run NAME -- COMMAND"`)
	chat.presses("\x04")
	chat.ends(command.ExitDone)
}

// The list of agents is live, and can ask one of them.
func TestTop(t *testing.T) {
	t.Parallel()
	p := answered(t)
	p.types("create-agent-node", "Bob", "--keep-phrase").ends(command.ExitDone)
	const enters, leaves = "\x1b[?1049h", "\x1b[?1049l"
	top := p.types("top")
	top.sees(enters)
	top.sees("Ada")
	top.sees("yes")
	p.types("add-agent", "Bob").ends(command.ExitDone)
	top.sees("Bob")
	top.presses("/bo\r")
	top.sees("filter:")
	top.presses("\x1b")
	top.sees("Ada")
	top.presses("\x1b[B\x1b[A\r") // down, up, Enter
	top.sees("tools:")
	top.presses("a")
	top.sees("ask:")
	top.presses("hello\r")
	top.sees("part-two")
	p.types("record-interaction", "Ada", "all-is-well").ends(command.ExitDone)
	top.sees("all-is-well")
	top.presses("q")
	top.sees(leaves)
	top.ends(command.ExitDone)

	top = p.types("top")
	top.sees("Ada")
	top.presses(ctrlC)
	top.sees(leaves)
	top.ends(command.ExitInterrupted)
}
