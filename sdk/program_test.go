package sdk_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

type booking struct {
	People  int      `json:"people" jsonschema:"how many people come"`
	Day     string   `json:"day"`
	Area    string   `json:"area,omitempty" enum:"inside,outside"`
	Dishes  []string `json:"dishes,omitzero" enum:"soup,fish"`
	Child   *int     `json:"child"`
	ignored int
}

type trip struct {
	At   time.Time            `json:"at"`
	Back *time.Time           `json:"back"`
	Days []string             `json:"days,omitempty" format:"date"`
	More map[string]time.Time `json:"more,omitempty"`
}

type table struct {
	Table int `json:"table"`
}

func book(_ context.Context, in booking) (table, error) {
	if in.People > 9 {
		return table{}, sdk.ToolErrorf("no table is free for %d", in.People)
	}
	return table{2*in.People + in.ignored}, nil
}

func echo(_ context.Context, text string) (string, error) { return "You said: " + text, nil }

// addProgram adds an agent with functions.
func addProgram(t *testing.T, w *sdk.RemotePlayWorld, name string, options ...sdk.AgentOption) *sdk.Agent {
	t.Helper()
	a, err := w.Agent(t.Context(), name, options...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// callTool calls a tool and returns the message, the result and the asker's error.
func callTool(t *testing.T, w *sdk.RemotePlayWorld, a *sdk.Agent, tool, args string) (message, result, failure string) {
	t.Helper()
	q := sdk.IntercomQuestion{To: a.PlayerID(), Tool: tool}
	if args != "" {
		q.Args = []byte(args)
	}
	answer, err := w.Ask(t.Context(), q)
	if err != nil {
		return "", "", err.Error()
	}
	return answer.Message, string(answer.Result), ""
}

// An agent needs nothing but a name: its node is created, and is the same in every
// run.
func TestAgentByName(t *testing.T) {
	a := newAccount(t, 0)
	var ids []string
	for range 2 {
		w, err := sdk.New(a.options())
		if err != nil {
			t.Fatal(err)
		}
		ada := addProgram(t, w, "Ada", sdk.Chat(echo), sdk.Func("book", "Books a table", book))
		ids = append(ids, ada.PlayerID())
		row := agentsOn(t, a.host)[ada.PlayerID()]
		if row == nil || row.Name != "Ada" || !slices.Equal(row.ToolNames, []string{"chat_tool", "assist_book"}) {
			t.Fatalf("the row is %+v", row)
		}
		if got, err := ask(t, w, ada.PlayerID(), "hello"); err != nil || got != "You said: hello" {
			t.Errorf("%q, %v", got, err)
		}
		if _, result, failure := callTool(t, w, ada, "assist_book", `{"people": 3, "day": "2026-01-02"}`); !strings.Contains(result, `"table":6`) {
			t.Errorf("booked %s %s", result, failure)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := agentsOn(t, a.host); len(left) > 0 {
			t.Errorf("on the map are %v", left)
		}
	}
	// The clients in TypeScript and Python derive it the same way.
	mac := hmac.New(sha256.New, []byte(a.main.PasswHash.Reveal()))
	mac.Write([]byte("playctl agent Ada"))
	want, err := sdk.DeriveNodeIDFromMaterial(protocol.NewSecret(hex.EncodeToString(mac.Sum(nil))), a.host.RootKey())
	if err != nil || ids[0] != want || ids[1] != want {
		t.Errorf("the ids are %v, want %s, %v", ids, want, err)
	}
}

// The form of the arguments has the fields of the struct, in their order.
func TestFormOfStructArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		ada := addProgram(t, openWorld(t, host, nil), "Ada", sdk.Func("book", "Books a table", book))
		row := agentsOn(t, host)[ada.PlayerID()]
		want := `{"additionalProperties":false,"properties":{` +
			`"area":{"enum":["inside","outside"],"type":"string","x-order":2},` +
			`"child":{"type":"integer","x-order":4},` +
			`"day":{"type":"string","x-order":1},` +
			`"dishes":{"items":{"enum":["soup","fish"],"type":"string"},"type":"array","x-order":3},` +
			`"people":{"description":"how many people come","type":"integer","x-order":0}},` +
			`"required":["people","day"],"type":"object"}`
		if got := string(row.AssistTools[0].Parameters); got != want || row.AssistTools[0].Description != "Books a table" {
			t.Errorf("the parameters are\n%s, want\n%s", got, want)
		}
	})
}

// Dates have their format in the form, for which the page has a control.
func TestFormOfDateArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		ada := addProgram(t, w, "Ada", sdk.Func("go", "", func(_ context.Context, in trip) (string, error) {
			return in.At.UTC().Format(time.Kitchen) + " " + strings.Join(in.Days, " "), nil
		}))
		at := `"format":"date-time","type":"string"`
		want := `{"additionalProperties":false,"properties":{` +
			`"at":{` + at + `,"x-order":0},` +
			`"back":{` + at + `,"x-order":1},` +
			`"days":{"items":{"format":"date","type":"string"},"type":"array","x-order":2},` +
			`"more":{"additionalProperties":{` + at + `},"type":"object","x-order":3}},` +
			`"required":["at"],"type":"object"}`
		if got := string(agentsOn(t, host)[ada.PlayerID()].AssistTools[0].Parameters); got != want {
			t.Errorf("the parameters are\n%s, want\n%s", got, want)
		}
		if answer, _, failure := callTool(t, w, ada, "assist_go", `{"at": "2026-05-06T07:08:09.000Z", "days": ["2026-05-06"]}`); answer != "7:08AM 2026-05-06" {
			t.Errorf("the answer is %q, %s", answer, failure)
		}
		for args, want := range map[string]string{
			`{"at": "tomorrow"}`: `at: "tomorrow" is not a date-time, such as 2026-05-06T07:08:09Z`,
			`{"at": "2026-05-06T07:08:09Z", "days": ["2026-05-06", "2026-02-30"]}`: `days: "2026-02-30" is not a date, such as 2026-05-06`,
			`{"at": "2026-05-06T07:08:09Z", "more": {"x": "2026-05-06"}}`:          `more.x: "2026-05-06" is not a date-time, such as 2026-05-06T07:08:09Z`,
		} {
			if _, _, failure := callTool(t, w, ada, "assist_go", args); !strings.HasSuffix(failure, want) {
				t.Errorf("%s: %s", args, failure)
			}
		}
	})
}

// Arguments are checked before the function is called, and the reply says what is
// wrong.
func TestArgumentsAreChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openWorld(t, openHost(t), nil)
		ada := addProgram(t, w, "Ada", sdk.Func("book", "", book))
		for args, want := range map[string]string{
			`{"people": "three", "day": ""}`: `people: type: three has type "string", want "integer"`,
			`{"people": 1.5, "day": ""}`:     `people: type: 1.5 has type "number", want "integer"`,
			`{"day": ""}`:                    `required: missing properties: ["people"]`,
			``:                               `required: missing properties: ["people" "day"]`,
			`{"people": 1, "day": "", "area": "roof"}`:           `area: enum: roof does not equal any of: [inside outside]`,
			`{"people": 1, "day": "", "dishes": ["soup", "ox"]}`: `dishes: enum: ox does not equal any of: [soup fish]`,
			`{"people": 1, "day": "", "price": 1}`:               `unexpected additional properties ["price"]`,
			`{"people": 10, "day": ""}`:                          `no table is free for 10`,
			`{"people": null, "day": ""}`:                        `want "integer"`,
			// Null stands for an optional argument that was left out.
			`{"people": 11, "day": "", "child": null, "dishes": null}`: `no table is free for 11`,
		} {
			_, _, failure := callTool(t, w, ada, "assist_book", args)
			if !strings.HasPrefix(failure, "the agent failed: ") || !strings.HasSuffix(failure, want) {
				t.Errorf("%s: %s", args, failure)
			}
		}
	})
}

// The return value of a function becomes the message, the result, or both.
func TestFunctionReturnValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openWorld(t, openHost(t), nil)
		type noArguments struct{}
		ada := addProgram(t, w, "Ada",
			sdk.Func("text", "", func(context.Context, noArguments) (string, error) { return "a text", nil }),
			sdk.Func("assist_number", "", func(context.Context, noArguments) (int, error) { return 7, nil }),
			sdk.Func("list", "", func(context.Context, noArguments) ([]int, error) { return []int{1, 2}, nil }),
			sdk.Func("map", "", func(_ context.Context, in map[string]int) (map[string]int, error) { return in, nil }),
			sdk.Func("both", "", func(context.Context, noArguments) (sdk.IntercomAnswer, error) {
				return sdk.IntercomAnswer{Message: "done", Result: []byte(`{"ok":true}`)}, nil
			}),
			sdk.Func("none", "", func(ctx context.Context, _ noArguments) (noArguments, error) {
				return noArguments{}, errors.Join(sdk.Stream(ctx, "in "), sdk.Stream(ctx, "parts"))
			}),
			sdk.Func("nil", "", func(context.Context, noArguments) (*table, error) { return nil, nil }),
			sdk.Func("function", "", func(context.Context, noArguments) (any, error) { return func() {}, nil }),
		)
		for tool, want := range map[string][3]string{
			"text": {"a text"}, "number": {"7"}, "list": {"[1,2]"}, "none": {"in parts"}, "nil": {},
			"map": {"", `"a":1`}, "both": {"done", `"ok":true`},
			"function": {"", "", "something went wrong in the agent's program"},
		} {
			args := ""
			if tool == "map" {
				args = `{"a":1}`
			}
			message, result, failure := callTool(t, w, ada, "assist_"+tool, args)
			if message != want[0] || !strings.Contains(result, want[1]) || !strings.HasSuffix(failure, want[2]) || (failure == "") != (want[2] == "") {
				t.Errorf("%s: %q, %q, %q", tool, message, result, failure)
			}
		}
		if _, err := ask(t, w, ada.PlayerID(), "hello"); err == nil || !strings.Contains(err.Error(), "this agent does not chat") {
			t.Errorf("an agent without Chat: %v", err)
		}
	})
}

// Parts arrive in order, and together are the answer of a function that returns no
// text.
func TestFunctionStreamsParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		long := strings.Repeat("é", protocol.MaxIntercomTextBytes/2+7)
		var from string
		var late func() error
		ada := addProgram(t, openWorld(t, host, nil), "Ada", sdk.Chat(func(ctx context.Context, text string) (string, error) {
			late = func() error { return sdk.Stream(ctx, "late") }
			from = sdk.CallOf(ctx).Command.FromPlayerID
			if text == "long" {
				return "", sdk.Stream(ctx, "e"+long)
			}
			for _, part := range strings.SplitAfter("one two three four", " ") {
				if err := sdk.Stream(ctx, part); err != nil {
					return "", err
				}
			}
			return "", nil
		}))
		for text, want := range map[string][2]string{"count": {"one two three four", "one two three four"}, "long": {"e" + long, ""}} {
			var parts strings.Builder
			answer, err := openWorld(t, host, nil).Ask(t.Context(), sdk.IntercomQuestion{
				To: ada.PlayerID(), Text: text, OnPartial: func(part *protocol.IntercomEvent) { parts.WriteString(part.Message) },
			})
			if err != nil || answer.Message != want[1] || parts.String() != want[0] {
				t.Errorf("%s: %d bytes in parts, then %+v, %v", text, parts.Len(), answer, err)
			}
		}
		if from != protocol.HumanLabel {
			t.Errorf("the asker is %s", from)
		}
		if err := late(); !errors.Is(err, sdk.ErrAnswered) {
			t.Errorf("a part after the function returned: %v", err)
		}
		if sdk.CallOf(t.Context()) != nil || sdk.Stream(t.Context(), "x") == nil {
			t.Error("a context of no call is accepted as one of a function")
		}
	})
}

// The developer gets the whole error, and the asker nothing of it.
func TestErrorDetailsGoToDeveloperOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secret := errors.New("the key is 1234")
		chat := sdk.Chat(func(_ context.Context, text string) (string, error) {
			if text == "panic" {
				panic(secret)
			}
			return "", secret
		})
		var logged bytes.Buffer
		w := openWorld(t, openHost(t), func(o *sdk.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
		var seen []error
		listening := addProgram(t, w, "Ada", chat, sdk.OnError(func(err error) { seen = append(seen, err) }))
		silent := addProgram(t, w, "Bob", chat)
		for _, text := range []string{"fail", "panic"} {
			for _, a := range []*sdk.Agent{listening, silent} {
				if _, err := ask(t, w, a.PlayerID(), text); !errors.Is(err, sdk.ErrAgentFailed) || strings.Contains(err.Error(), "1234") {
					t.Errorf("the asker got %v", err)
				}
			}
		}
		if len(seen) != 2 || !errors.Is(seen[0], secret) || !strings.Contains(seen[1].Error(), "1234") {
			t.Errorf("the developer got %v", seen)
		}
		if n := strings.Count(logged.String(), "1234"); n != 2 || !strings.Contains(logged.String(), "level=WARN") {
			t.Errorf("%d were logged:\n%s", n, logged.String())
		}
	})
}
