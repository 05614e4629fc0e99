package host

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// badValues are values that no field of any body accepts, or accepts only where
// they mean the same as an absent one.
var badValues = map[string]string{
	"null":            `null`,
	"boolean":         `true`,
	"number":          `7`,
	"negative":        `-1`,
	"fraction":        `0.5`,
	"huge number":     `1e308`,
	"empty text":      `""`,
	"blank text":      `" \t"`,
	"long text":       `"` + strings.Repeat("x", 140_000) + `"`,
	"text with NUL":   `"a\u0000b"`,
	"text with colon": `"a:b c"`,
	"upper case":      `"CHAT_TOOL"`,
	"array":           `[]`,
	"nested array":    `[[["x"]]]`,
	"long array":      `[` + strings.Repeat(`"x",`, 600) + `"x"]`,
	"object":          `{}`,
	"deep object":     strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 200),
}

// badTexts returns bodies that are not strict JSON, each derived from a valid one.
var badTexts = map[string]func(string) string{
	"empty":           func(string) string { return "" },
	"white space":     func(string) string { return " \n" },
	"cut short":       func(b string) string { return b[:len(b)-1] },
	"trailing data":   func(b string) string { return b + "{}" },
	"trailing comma":  func(b string) string { return b[:len(b)-1] + ",}" },
	"duplicate key":   func(b string) string { return `{"zz":1,"zz":2,` + b[1:] },
	"not UTF-8":       func(b string) string { return `{"zz":"` + "\xff\xfe" + `",` + b[1:] },
	"lone surrogate":  func(b string) string { return `{"zz":"\ud800",` + b[1:] },
	"byte order mark": func(b string) string { return "\xef\xbb\xbf" + b },
	"NaN":             func(b string) string { return `{"zz":NaN,` + b[1:] },
	"Infinity":        func(b string) string { return `{"zz":-Infinity,` + b[1:] },
	"beyond doubles":  func(b string) string { return `{"zz":1e999,` + b[1:] },
	"leading zero":    func(b string) string { return `{"zz":007,` + b[1:] },
	"single quotes":   func(b string) string { return `{'zz':1,` + b[1:] },
	"a comment":       func(b string) string { return "/* */" + b },
	"too deep": func(b string) string {
		return `{"zz":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `,` + b[1:]
	},
	"far too deep":     func(b string) string { return `{"zz":` + strings.Repeat("[", 100_000) + `,` + b[1:] },
	"control in text":  func(b string) string { return `{"zz":"` + "\x01" + `",` + b[1:] },
	"a bare word":      func(string) string { return "chat" },
	"UTF-16":           func(string) string { return "\xff\xfe{\x00}\x00" },
	"two values":       func(b string) string { return b + " " + b },
	"object in quotes": func(b string) string { return `"` + strings.ReplaceAll(b, `"`, `\"`) },
}

// targets are every route and operation that takes a body, each with a valid one.
func targets(f *fixture) map[string]target {
	all := map[string]target{}
	good := goodRequests(f)
	for _, rt := range f.host.routes() {
		if rt.body == bodyIgnored {
			continue
		}
		name := rt.method + " " + rt.path
		if rt.path != f.host.service.RPC() {
			all[name] = target{method: rt.method, path: rt.path, good: good[name], optional: rt.body == bodyOptional}
			continue
		}
		for op := range f.host.operations {
			g := good[string(op)]
			g.body = `{"op":"` + string(op) + `","payload":` + g.body + `}`
			all[string(op)] = target{method: rt.method, path: rt.path, good: g}
		}
	}
	return all
}

type target struct {
	method, path string
	good         goodRequest
	// optional reports whether an empty body counts as {}.
	optional bool
}

func (g target) send(f *fixture, body string) *reply {
	options := []func(*http.Request){}
	if g.good.caller != nil {
		options = append(options, g.good.caller)
	}
	return f.do(g.method, g.path+"?sid="+f.world.View().SID, body, options...)
}

// check compares a reply with the requirements for every bad input.
func check(t *testing.T, f *fixture, before string, r *reply, fields ...string) {
	t.Helper()
	if r.status >= 500 {
		t.Errorf("%d %s", r.status, r.body)
		return
	}
	if r.status < 400 {
		return
	}
	if after := f.stateSummary(); after != before {
		t.Errorf("a refusal (%d) changed the state: %s, before %s", r.status, after, before)
	}
	var e protocol.ErrorBody
	if err := json.Unmarshal(r.body, &e); err != nil {
		t.Errorf("the body of the refusal is not an error: %s", r.body)
		return
	}
	if e.Code == protocol.CodeBodyInvalid {
		for _, field := range fields {
			if strings.Contains(e.Error, field) {
				return
			}
		}
		t.Errorf("%q names none of the fields %v", e.Error, fields)
	}
}

// TestBadValuesInEveryField puts every bad value into every place of every body,
// and removes every field. The host refuses the body with a 4xx that names the
// field and changes nothing, or accepts it with its proper meaning.
func TestBadValuesInEveryField(t *testing.T) {
	f := newFixture(t)
	for name, g := range targets(f) {
		t.Run(name, func(t *testing.T) {
			for _, place := range memberPaths(t, g.good.body) {
				field := place[len(place)-1]
				// A long value is not encoded again for every place.
				const marker = `"the value goes here"`
				body := put(t, g.good.body, place, marker)
				for kind, value := range badValues {
					t.Run(strings.Join(place, ".")+"/"+kind, func(t *testing.T) {
						before := f.stateSummary()
						check(t, f, before, g.send(f, strings.Replace(body, marker, value, 1)), place...)
					})
				}
				t.Run(strings.Join(place, ".")+"/missing", func(t *testing.T) {
					before := f.stateSummary()
					check(t, f, before, g.send(f, put(t, g.good.body, place, "")), field)
				})
				t.Run(strings.Join(place, ".")+"/wrong case", func(t *testing.T) {
					before := f.stateSummary()
					wrong := strings.Replace(g.good.body, `"`+field+`":`, `"`+strings.ToUpper(field)+`":`, 1)
					check(t, f, before, g.send(f, wrong), field)
				})
			}
		})
	}
}

// TestEveryBodyMustBeStrictJSON sends every route every kind of text that is not strict JSON.
func TestEveryBodyMustBeStrictJSON(t *testing.T) {
	f := newFixture(t)
	for name, g := range targets(f) {
		for kind, spoil := range badTexts {
			if kind == "empty" && g.optional || kind == "trailing comma" && g.good.body == `{}` {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				before := f.stateSummary()
				body := g.good.body
				if body == `{}` {
					body = `{"a":1}`
				}
				r := g.send(f, spoil(body))
				r.t = t
				r.refused(protocol.CodeJSONInvalid)
				if after := f.stateSummary(); after != before {
					t.Errorf("the refusal changed the state: %s, before %s", after, before)
				}
			})
		}
	}
}

// memberPaths lists the paths of all members of an object, outer ones first. The
// first element of an array represents all.
func memberPaths(t *testing.T, body string) [][]string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	var places [][]string
	var walk func(prefix []string, v any)
	walk = func(prefix []string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				place := append(slices.Clone(prefix), k)
				places = append(places, place)
				walk(place, v[k])
			}
		case []any:
			if len(v) > 0 {
				walk(append(slices.Clone(prefix), "0"), v[0])
			}
		}
	}
	walk(nil, value)
	return places
}

// put replaces the value at a place of an object with a JSON text, or removes it
// if the text is empty.
func put(t *testing.T, body string, place []string, text string) string {
	t.Helper()
	if len(place) == 0 {
		return text
	}
	if place[0] == "0" {
		var list []json.RawMessage
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
		list[0] = json.RawMessage(put(t, string(list[0]), place[1:], text))
		return marshal(t, list)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &object); err != nil {
		t.Fatal(err)
	}
	next := put(t, string(object[place[0]]), place[1:], text)
	if next == "" {
		delete(object, place[0])
	} else {
		object[place[0]] = json.RawMessage(next)
	}
	return marshal(t, object)
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v: %v", fmt.Sprint(v), err)
	}
	return string(b)
}
