package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// demoPart is the least length of a part of an answer: a few words.
const demoPart = 24

// assist is a tool of a demo agent that callers may use.
type assist struct {
	tool   sdk.Tool
	answer func(call *sdk.IntercomCall) (sdk.IntercomAnswer, error)
}

// allTools returns the tools that a demo agent registers.
func (p *persona) allTools() []sdk.Tool {
	tools := slices.Clone(p.tools)
	for _, a := range p.assists {
		tools = append(tools, a.tool)
	}
	return tools
}

// listen answers questions to the demo's agents until the demo ends. It returns when the
// stream is open, so that no question after that is missed.
func (d *demo) listen(ctx context.Context) (err error) {
	d.commands, err = d.world.SubscribeIntercomCommands(ctx, sdk.IntercomOptions{
		Execute: d.answer,
		OnError: func(err error) {
			if ctx.Err() == nil {
				d.app.Warn("an agent of the demo could not answer: "+err.Error(), "")
			}
		},
	})
	if err != nil {
		return err
	}
	select {
	case <-d.commands.Ready():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answer carries out one command as the agent that received it.
func (d *demo) answer(ctx context.Context, call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
	caller := slices.IndexFunc(d.cast, func(p persona) bool { return p.name == call.Agent.Registration().RegisteredAgent.Name })
	if caller < 0 {
		return sdk.IntercomAnswer{}, errors.New("this agent is not part of the demo")
	}
	switch call.Command.Kind {
	case protocol.IntercomChat:
		answer := sdk.IntercomAnswer{Message: d.cast[caller].reply(call.Command.Text)}
		return answer, inParts(ctx, call, answer.Message)
	case protocol.IntercomAssist:
		for _, a := range d.cast[caller].assists {
			if a.tool.Name == call.Command.ToolName {
				return a.answer(call)
			}
		}
		return sdk.IntercomAnswer{}, fmt.Errorf("people may not call %s", call.Command.ToolName)
	}
	return sdk.IntercomAnswer{}, errors.New("the demo's agents answer in text only")
}

// inParts sends a text in parts, except for the end, which the whole answer includes.
func inParts(ctx context.Context, call *sdk.IntercomCall, text string) error {
	for len(text) > demoPart {
		end := strings.IndexByte(text[demoPart:], ' ')
		if end < 0 {
			return nil
		}
		end += demoPart + 1
		if err := call.Stream(ctx, sdk.IntercomAnswer{Message: text[:end]}); err != nil {
			return err
		}
		text = text[end:]
	}
	return nil
}

// reply returns the agent's answer to a text: the answer of the scene whose question has
// the most words in common with it, the first of several; without any word in common, a
// list of questions.
func (p *persona) reply(text string) string {
	said := words(text)
	best, common := "", 0
	for i := range p.scenes {
		n := 0
		for _, word := range words(p.scenes[i].question) {
			if slices.Contains(said, word) {
				n++
			}
		}
		if n > common {
			best, common = p.scenes[i].answer, n
		}
	}
	if common > 0 {
		return best
	}
	return p.greeting + " Ask me, for example: " + p.scenes[0].question
}

// shortWord is the greatest length of words that are ignored, as they carry little
// meaning.
const shortWord = 3

// words returns the significant words of a text, in lower case.
func words(text string) []string {
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(all, func(word string) bool { return len(word) <= shortWord })
}
