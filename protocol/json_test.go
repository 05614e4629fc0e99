package protocol_test

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func nested(depth int) string {
	// The body itself is one level.
	return `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
}

// refused are bodies that are not strict JSON, with a part of the error's text.
var refused = map[string]struct{ body, message string }{
	"empty":                        {"", "empty"},
	"white space only":             {" \r\n\t ", "empty"},
	"byte order mark":              {"\xEF\xBB\xBF{}", "byte order mark"},
	"trailing data":                {`{} {}`, "after its JSON text, at byte 2"},
	"trailing text":                {`{}x`, "byte 2"},
	"trailing nul":                 {"{}\x00", "byte 2"},
	"ends early":                   {`{"a":1`, "ends inside"},
	"ends in a string":             {`{"a":"b`, "ends inside"},
	"ends in a name":               {`{"a`, "ends inside"},
	"duplicate name":               {`{"a":1,"a":2}`, "duplicate"},
	"duplicate by escape":          {`{"a":1,"\u0061":2}`, "duplicate"},
	"duplicate deep":               {`{"x":[{"y":{"a":1,"b":2,"a":3}}]}`, "duplicate"},
	"duplicate far apart":          {`{"a":1,` + manyNames(300) + `"a":2}`, "duplicate"},
	"not UTF-8 in a value":         {"{\"a\":\"\xff\"}", "UTF-8"},
	"not UTF-8 in a name":          {"{\"\xc3\x28\":1}", "UTF-8"},
	"overlong UTF-8":               {"{\"a\":\"\xc0\xaf\"}", "UTF-8"},
	"surrogate in UTF-8":           {"{\"a\":\"\xed\xa0\x80\"}", "UTF-8"},
	"lone high surrogate":          {`{"a":"\ud800"}`, "surrogate"},
	"lone high before text":        {`{"a":"\ud800x"}`, "surrogate"},
	"lone low surrogate":           {`{"a":"\udc00"}`, "surrogate"},
	"surrogates swapped":           {`{"a":"\udc00\ud800"}`, "surrogate"},
	"lone surrogate in a name":     {`{"\ud800":1}`, "surrogate"},
	"lone surrogate, ignored deep": {`{"x":[[{"y":"\uDFFF"}]]}`, "surrogate"},
	"number too large":             {`{"a":1e309}`, "range of doubles"},
	"number too small":             {`{"a":-1e309}`, "range of doubles"},
	"number just beyond":           {`{"a":1.7976931348623159e308}`, "range of doubles"},
	"long number":                  {`{"a":` + strings.Repeat("9", 310) + `}`, "range of doubles"},
	"shortest that is too long":    {`{"a":` + strings.Repeat("9", 309) + `}`, "range of doubles"},
	"number in an ignored field":   {`{"ignored":{"deep":[1,2,1E400]}}`, "range of doubles"},
	"number alone":                 {`1e999`, "range of doubles"},
	"NaN":                          {`{"a":NaN}`, "byte 5"},
	"Infinity":                     {`{"a":-Infinity}`, "byte"},
	"leading zero":                 {`{"a":01}`, "byte"},
	"leading plus":                 {`{"a":+1}`, "byte"},
	"bare point":                   {`{"a":1.}`, "byte"},
	"hexadecimal":                  {`{"a":0x10}`, "byte"},
	"single quotes":                {`{'a':1}`, "byte"},
	"name without quotes":          {`{a:1}`, "byte"},
	"name that is a number":        {`{1:1}`, "byte"},
	"trailing comma":               {`{"a":1,}`, "byte"},
	"leading comma":                {`{,"a":1}`, "byte"},
	"trailing comma in an array":   {`{"a":[1,]}`, "byte"},
	"comment":                      {`{/* a */}`, "byte"},
	"raw control character":        {"{\"a\":\"\n\"}", "byte"},
	"raw nul in a string":          {"{\"a\":\"\x00\"}", "byte"},
	"bad escape":                   {`{"a":"\x41"}`, "byte"},
	"short escape":                 {`{"a":"\u12"}`, "byte"},
	"misspelled literal":           {`{"a":nul}`, "byte"},
	"literal in capitals":          {`{"a":True}`, "byte"},
	"unbalanced":                   {`{"a":[1}`, "byte"},
	"too deep":                     {nested(protocol.MaxDepth + 1), "deeper than 256"},
	"too deep in objects":          {strings.Repeat(`{"a":`, 257) + "1" + strings.Repeat("}", 257), "deeper than 256"},
	"far too deep":                 {strings.Repeat("[", 1<<20), ""},
	"far too deep, closed":         {nested(20000), "deeper than 256"},
}

func TestParseObjectRefusesInvalidText(t *testing.T) {
	for name, c := range refused {
		t.Run(name, func(t *testing.T) {
			_, err := protocol.ParseObject([]byte(c.body))
			if err == nil {
				t.Fatal("the body was accepted")
			}
			if err.Code != protocol.CodeJSONInvalid {
				t.Errorf("code %s, want json_invalid", err.Code)
			}
			if !strings.Contains(err.Message, c.message) {
				t.Errorf("the message %q does not contain %q", err.Message, c.message)
			}
		})
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"n` + strings.Repeat("x", i) + `":0,`)
	}
	return b.String()
}

func TestParseObjectRefusesOtherValues(t *testing.T) {
	for _, body := range []string{`[]`, `"text"`, `1`, ` -0.5 `, `true`, `false`, `null`, `[{"a":1}]`} {
		_, err := protocol.ParseObject([]byte(body))
		if err == nil || err.Code != protocol.CodeBodyInvalid {
			t.Errorf("ParseObject(%s) = %v, want body_invalid", body, err)
		}
	}
}

func TestParseObjectAccepts(t *testing.T) {
	for name, body := range map[string]string{
		"empty object":     `{}`,
		"white space":      " \t\r\n{ \"a\" : [ 1 , { } ] }\r\n",
		"depth at limit":   nested(protocol.MaxDepth),
		"largest double":   `{"a":1.7976931348623157e308,"b":-1.7976931348623157e308}`,
		"below the least":  `{"a":1e-400}`,
		"long fraction":    `{"a":0.` + strings.Repeat("1", 1000) + `}`,
		"308 digits":       `{"a":` + strings.Repeat("1", 308) + `}`,
		"zero exponents":   `{"a":0e999999999}`,
		"surrogate pair":   `{"a":"\ud83d\ude00"}`,
		"nul escape":       `{"a":"\u0000"}`,
		"names differ":     `{"a":1,"A":2,"\u00e1":3,"a\u0301":4}`,
		"same name nested": `{"a":{"a":{"a":1}}}`,
		"empty name":       `{"":1}`,
		"noncharacter":     "{\"a\":\"\uffff\"}",
		"brackets in text": `{"a":"]}\"[{\\","b":"\\\""}`,
		"numbers in text":  `{"a":"1e999"}`,
		"literal forms":    `{"a":true,"b":false,"c":null,"d":[true,false,null]}`,
	} {
		if _, err := protocol.ParseObject([]byte(body)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestObjectMembers(t *testing.T) {
	o := object(t, `{"name":"plain","n\u0061me2":"escaped \n \ud83d\ude00","Name":1,"":"none","o":{"a":[1, 2]},"z":null}`)
	if o.Len() != 6 {
		t.Errorf("Len = %d, want 6", o.Len())
	}
	for name, want := range map[string]string{
		"name": `"plain"`, "Name": `1`, "": `"none"`, "o": `{"a":[1, 2]}`, "z": "null",
		"NAME": "", "a": "", "name2": `"escaped \n \ud83d\ude00"`,
	} {
		if got := string(o.Raw(name)); got != want {
			t.Errorf("Raw(%q) = %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"name": "plain", "name2": "escaped \n 😀", "Name": "other", "z": "other", "missing": "other",
	} {
		if got := o.StringOr(name, "other"); got != want {
			t.Errorf("StringOr(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestBodyAPIKey(t *testing.T) {
	for body, want := range map[string]string{
		`{"apiKey":"k-1"}`: "k-1", `{}`: "", `{"apiKey":null}`: "", `{"apiKey":7}`: "", `{"apikey":"k"}`: "",
	} {
		if got := object(t, body).BodyAPIKey().Reveal(); got != want {
			t.Errorf("BodyAPIKey of %s = %q, want %q", body, got, want)
		}
	}
}

// A body that cannot be parsed may contain a secret: its text must not be repeated
// in the message, which is logged.
func TestSyntaxErrorsDoNotQuoteBody(t *testing.T) {
	const secret = "s3cr3t"
	for _, body := range []string{
		secret, `{"passwHash":` + secret + `}`, `{"` + secret + `":1,"` + secret + `":2}`,
		`{"a":"` + secret + "\xff\"}", `{"a":"` + secret, `{} ` + secret, `"` + secret + `"`,
		`{"` + secret + `":[1e999]}`,
	} {
		_, err := protocol.ParseObject([]byte(body))
		if err == nil {
			t.Fatalf("%s was accepted", body)
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error %q repeats the body", err.Error())
		}
	}
}
