package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/playctl/playctl/protocol"
)

// wantCode checks a body token by token: the slow and obvious definition with which
// ParseObject is compared.
func wantCode(body []byte) protocol.Code {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	top := jsontext.Kind(0)
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) && top != 0 && d.StackDepth() == 0 {
			break
		}
		if err != nil {
			return protocol.CodeJSONInvalid
		}
		if top == 0 {
			top = token.Kind()
		} else if d.StackDepth() == 0 && token.Kind() != '}' && token.Kind() != ']' {
			return protocol.CodeJSONInvalid // a second value
		}
		if d.StackDepth() > protocol.MaxDepth {
			return protocol.CodeJSONInvalid
		}
		if token.Kind() == '0' {
			n, err := strconv.ParseFloat(token.String(), 64)
			if err != nil || math.IsInf(n, 0) {
				return protocol.CodeJSONInvalid
			}
		}
	}
	if top != '{' {
		return protocol.CodeBodyInvalid
	}
	return ""
}

// oneValue reports whether a text is a single value; wantCode does not detect the
// second of two containers itself.
func oneValue(body []byte) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	var v json.RawMessage
	if d.Decode(&v) != nil {
		return false
	}
	return errors.Is(d.Decode(&v), io.EOF)
}

func FuzzParseObject(f *testing.F) {
	for _, body := range []string{
		`{}`, `[]`, `1`, ``, ` {"a" : [1, {"b":null}], "c":"\ud83d\ude00"} `, `{"a":1e309}`, `{"a":1,"\u0061":2}`,
		`{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{} {}`, `{}[]`, "\xEF\xBB\xBF{}", nested(256), nested(257), `{"a":-0.0e-99999}`,
		registerBody, journeyBody, `{"a":tru}`, `{"a":"` + strings.Repeat(`\\`, 40) + `"}`, `{"a":1` + strings.Repeat("0", 400) + `}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := protocol.ParseObject(bytes.Clone(body))
		got := protocol.Code("")
		if err != nil {
			got = err.Code
		}
		want := wantCode(body)
		if want != protocol.CodeJSONInvalid && !oneValue(body) {
			want = protocol.CodeJSONInvalid
		}
		if got != want {
			t.Fatalf("%q gives %q, want %q", body, got, want)
		}
		if err != nil {
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			t.Fatalf("%q was accepted: %v", body, err)
		}
		if o.Len() != len(members) {
			t.Fatalf("%q has %d members, want %d", body, o.Len(), len(members))
		}
		for name, value := range members {
			if !bytes.Equal(o.Raw(name), value) {
				t.Fatalf("member %q of %q is %q, want %q", name, body, o.Raw(name), value)
			}
		}
	})
}

var allowedCodes = map[protocol.Code]bool{
	protocol.CodeBodyInvalid: true, protocol.CodeChatToolMissing: true, protocol.CodeStableKeyUnknown: true,
}

// FuzzRequests checks for every kind of request: no panic, errors that name a
// field, and accepted values that parse to the same value after they are written.
func FuzzRequests(f *testing.F) {
	all := append(append([]request{}, requests...), rpcRequests...)
	all = append(all,
		request{name: "recordJourney", parse: anyParser(protocol.ParseRequest[protocol.RecordJourneyRequest]), body: journeyBody},
		request{name: "intercomCommand", parse: anyParser(protocol.ParseRequest[protocol.IntercomCommand]), body: intercomCommandBody("assist")},
		request{name: "intercomResponse", parse: anyParser(protocol.ParseRequest[protocol.IntercomResponse]), body: intercomResponseBody("failed")},
	)
	for i, r := range all {
		f.Add(uint8(i), []byte(r.body))
	}
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		r := all[int(kind)%len(all)]
		// The written form of a longer body, which escapes more characters, can
		// exceed a limit.
		if len(body) > protocol.MaxInteractionChars {
			return
		}
		o, err := protocol.ParseObject(body)
		if err != nil {
			return
		}
		first, err := r.parse(o)
		if err != nil {
			if !allowedCodes[err.Code] || err.Field == "" || !strings.Contains(err.Message, err.Field) {
				t.Fatalf("%s of %q: %s for %q: %s", r.name, body, err.Code, err.Field, err.Message)
			}
			return
		}
		wire, merr := json.Marshal(first)
		if merr != nil {
			t.Fatalf("%s of %q: %v", r.name, body, merr)
		}
		second, err := r.parse(object(t, string(wire)))
		if err != nil {
			t.Fatalf("%s of %q is written as %s: %v", r.name, body, wire, err)
		}
		wireEqual(t, second, string(wire))
	})
}

// FuzzNormalizeResult checks that no part of a realtime secret remains, whatever a
// result contains.
func FuzzNormalizeResult(f *testing.F) {
	f.Add([]byte(`{"a":1,"realtimeWebrtc":{"clientSecret":"x"}}`), "hi")
	f.Add([]byte(`{"re\u0061ltimeWebrtc":1,"messageKind":"audio","message":null}`), "")
	f.Add([]byte(" {\n} "), "\xff")
	f.Fuzz(func(t *testing.T, result []byte, message string) {
		normal, secret, err := protocol.NormalizeResult(result, message)
		if err != nil {
			return
		}
		var sent, got map[string]any
		decode(t, string(result), &sent)
		decode(t, string(normal), &got)
		if _, there := got["realtimeWebrtc"]; there {
			t.Fatalf("%q keeps its secret: %q", result, normal)
		}
		if value := sent["realtimeWebrtc"]; (value != nil) != (secret != nil) {
			t.Fatalf("the secret of %q is %q", result, secret)
		}
		kind, _ := got["messageKind"].(string)
		if kind != "text" && kind != "audio" && kind != "media" {
			t.Fatalf("%q is of kind %q", result, kind)
		}
		for name, value := range sent {
			if name == "realtimeWebrtc" || name == "messageKind" || name == "message" {
				continue
			}
			if encode(t, got[name]) != encode(t, value) {
				t.Fatalf("%q lost %q", result, name)
			}
		}
		if _, err := protocol.ParseObject(protocol.WithRealtimeWebRTC(normal, secret)); err != nil {
			t.Fatalf("%q with its secret: %v", normal, err)
		}
	})
}

// FuzzParseErrorBody checks that any reply of a host becomes an error that can be
// shown.
func FuzzParseErrorBody(f *testing.F) {
	f.Add(400, []byte(`{"error":"no","code":"sid_missing","requestId":"r"}`))
	f.Add(502, []byte(`<html>`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := protocol.ParseErrorBody(status, body)
		if e.Message == "" || e.Code == "" || len(e.Error()) > 3*4*1000+100 {
			t.Fatalf("%d %q gives %+v", status, body, e)
		}
	})
}
