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

// personWithAgent returns a person on whose host a program answers for Ada.
func personWithAgent(t *testing.T) *person {
	t.Helper()
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+serveInProcess(t, p.home), "NO_COLOR=1")
	for name, text := range map[string]string{"agent.sh": answeringProgram, "tools.json": routeTool} {
		if err := os.WriteFile(filepath.Join(p.home, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := p.start("agent", "run", "Ada", "--lines", "--assist-tools", "tools.json", "--", "./agent.sh")
	program.expect("stays on the map until Ctrl-C") // the end of the test ends it
	return p
}

// A prompt shows answers as they arrive, and prompts for the arguments of a tool.
func TestChat(t *testing.T) {
	t.Parallel()
	p := personWithAgent(t)
	chat := p.start("chat", "Ada")
	chat.expect("You are talking with Ada")
	chat.press("hello\r")
	chat.expect("part-two")
	chat.press("/help\r")
	chat.expect("calls the tool of that name")
	chat.press("/too\t\r")
	chat.expect("Shows the way")

	chat.press("/assist_r\t\r")
	chat.expect("to (string)")
	chat.press("\r")
	chat.expect("to is required")
	chat.press("shop\r")
	chat.expect("note (string, may be empty)")
	chat.press("uphill\r")
	chat.expect("when (now or later, may be empty)")
	chat.press("\r")
	chat.expect("floor (integer, may be empty)")
	chat.press("x\r")
	chat.expect("floor is not a valid integer")
	chat.press("3\r")
	chat.expect("by (foot or boat, may be empty)")
	chat.press("train\r")
	chat.expect("by must be one of foot, boat")
	chat.press("boat\r")
	chat.expect("three-steps-to-go")
	args, err := os.ReadFile(filepath.Join(p.home, "args.json"))
	if err != nil || !strings.Contains(string(args), `"args":{"by":"boat","floor":3,"note":"uphill","to":"shop","when":null}`) {
		t.Errorf("the program got %s, %v", args, err)
	}

	// The arrow keys recall earlier lines; Ctrl-C ends a question.
	chat.press("\x1b[A\x1b[A\x1b[A\x1b[A")
	chat.expect("hello")
	chat.press("\r")
	chat.expect("part-two")
	chat.press("/tools\r") // A line that is typed during an answer is entered after it.
	chat.expect("Shows the way")
	chat.press("wait\r")
	chat.press(ctrlC)
	chat.expect("you did not wait")
	chat.press("\x04")
	chat.waitExit(command.ExitDone)

	chat = p.start("chat", "Ada")
	chat.expect("You are talking with Ada")
	chat.press(ctrlC)
	chat.waitExit(command.ExitInterrupted)
	if shown := p.start("chat", "Nobody").waitExit(command.ExitFailed); !strings.Contains(shown, "there is no agent") {
		t.Errorf("chat with an unknown agent shows:\n%s", shown)
	}
	shown := p.startProgram("sh", "-c", "playctl chat Ada </dev/null").waitExit(command.ExitUsage)
	if !strings.Contains(shown, "needs a terminal") || !strings.Contains(shown, `hint: in a script use "playctl intercom send"`) {
		t.Errorf("chat without a terminal shows:\n%s", shown)
	}
	p.start("create-agent-node", "Bob", "--keep-phrase").waitExit(command.ExitDone)
	held := p.start("agent", "run", "Eve", "--text", "--", "cat")
	held.expect("stays on the map until Ctrl-C")
	held.press(ctrlC)
	if shown := held.waitExit(command.ExitInterrupted); !strings.HasSuffix(shown, "^C\nEve left the map.\n") {
		t.Errorf("after Ctrl-C the program of an agent shows:\n%s", shown)
	}
	shown = p.start("chat", "Bob").waitExit(command.ExitFailed)
	if !strings.Contains(strings.Join(strings.Fields(shown), " "), `hint: "playctl agent list" lists the agents on the map; "playctl agent run Bob -- COMMAND" adds it and answers for it`) {
		t.Errorf("chat with an agent that is not on the map shows:\n%s", shown)
	}
	p.start("add-agent", "Bob").waitExit(command.ExitDone)
	chat = p.start("chat", "Bob")
	chat.expect("You are talking with Bob")
	chat.press("hello\r")
	chat.expect("error: ")
	chat.expect("hint: ")
	chat.expect(`"playctl agent run NAME -- COMMAND"`)
	chat.press("\x04")
	chat.waitExit(command.ExitDone)
}

// A terminal that only shows lines gets a plain prompt, and no screen is drawn on it.
func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	p := personWithAgent(t)
	p.env = append(p.env, "TERM=dumb")
	chat := p.start("chat", "Ada")
	chat.expect("> ")
	chat.press("hello\n")
	chat.expect("Ada: part-one part-two")
	chat.press("/assist_route\n")
	chat.expect("to (string)")
	chat.press("shop\n\n\n\n\n")
	chat.expect("three-steps-to-go")
	chat.press("/quit\n")
	if shown := chat.waitExit(command.ExitDone); strings.Contains(shown, "\x1b") {
		t.Errorf("a dumb terminal got a control sequence: %q", shown)
	}
	chat = p.start("chat", "Ada")
	chat.expect("> ")
	chat.press("wait\n")
	chat.expect("wait")
	chat.press(ctrlC)
	chat.waitExit(command.ExitInterrupted)
	chat = p.start("chat", "Ada")
	chat.expect("> ")
	chat.press("\x04")
	chat.waitExit(command.ExitDone)
	for _, args := range [][]string{{"top"}, {"tail", "--view", "map"}} {
		shown := strings.Join(strings.Fields(p.start(args...).waitExit(command.ExitUsage)), " ")
		if !strings.Contains(shown, `TERM is "dumb"`) || !strings.Contains(shown, "hint: set TERM to the name of your terminal") {
			t.Errorf("%v shows:\n%s", args, shown)
		}
	}
}

// The list of agents is live, and can ask one of them.
func TestTop(t *testing.T) {
	t.Parallel()
	p := personWithAgent(t)
	p.start("create-agent-node", "Bob", "--keep-phrase").waitExit(command.ExitDone)
	const enters, leaves = "\x1b[?1049h", "\x1b[?1049l"
	top := p.start("top")
	top.expect(enters)
	top.expect("ANSWERING")
	top.expect("Ada")
	top.expect("yes")
	p.start("add-agent", "Bob").waitExit(command.ExitDone)
	top.expect("Bob")
	top.press("?")
	top.expect("ask the agent")
	top.press("?/bo\r")
	top.expect("filter:")
	top.press("\x1b")
	top.expect("Ada")
	top.press("\x1b[B\x1b[A\r") // down, up, Enter
	top.expect("tools:")
	top.press("a")
	top.expect("ask:")
	top.press("hello\r")
	top.expect("part-two")
	p.start("record-interaction", "Ada", "all-is-well").waitExit(command.ExitDone)
	top.expect("all-is-well")
	top.press("q")
	top.expect(leaves)
	top.waitExit(command.ExitDone)

	top = p.start("top")
	top.expect("Ada")
	top.press(ctrlC)
	top.expect(leaves)
	top.waitExit(command.ExitInterrupted)
}
