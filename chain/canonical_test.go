package chain_test

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"

	"github.com/playctl/playctl/chain"
)

func TestCanonicalize(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"scalars":          {` [ null , true,false ,"",0] `, `[null,true,false,"",0]`},
		"empty":            {"{\n}", `{}`},
		"nested empty":     {`[{ },[ ]]`, `[{},[]]`},
		"keys sorted":      {`{"b":1,"a":{"d":2,"c":3}}`, `{"a":{"c":3,"d":2},"b":1}`},
		"short key first":  {`{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		"escaped keys":     {`{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		"UTF-16 order":     {"{\"\uFB33\":1,\"\U0001F600\":2,\"\u20AC\":3}", "{\"\u20AC\":3,\"\U0001F600\":2,\"\uFB33\":1}"},
		"minimal escapes":  {`"\u0008\t\n\f\r\u0000\u001f\"\\\/\u007f\u2028<&>é"`, "\"\\b\\t\\n\\f\\r\\u0000\\u001f\\\"\\\\/\x7f\u2028<&>é\""},
		"surrogate pair":   {`"\ud83d\ude80"`, `"🚀"`},
		"numbers":          {`[-0,0.0,1.0,100e-2,1e21,1e-7,0.000001,-1.5E+3]`, `[0,0,1,1,1e+21,1e-7,0.000001,-1500]`},
		"large integers":   {`[9007199254740993,999999999999999,-1000000000000000]`, `[9007199254740992,999999999999999,-1000000000000000]`},
		"extreme numbers":  {`[5e-324,1.7976931348623157e308,1e-400,123456789012345678901]`, `[5e-324,1.7976931348623157e+308,0,123456789012345680000]`},
		"RFC 8785 example": {`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]}`, `{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}`},
	} {
		got, err := chain.Canonicalize([]byte("kept"), []byte(c.in))
		if err != nil || string(got) != "kept"+c.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, c.want)
		}
	}
}

func TestCanonicalizeRefusesInvalidText(t *testing.T) {
	for name, c := range map[string]struct{ in, message string }{
		"empty":             {"", "EOF at byte 0"},
		"blank":             {" ", "EOF at byte 1"},
		"two values":        {"1 2", "after top-level value at byte 2"},
		"duplicate key":     {`{"a":1,"b":2,"\u0061":3}`, "duplicate"},
		"lone surrogate":    {`["\ud800"]`, "surrogate pair"},
		"wrong pair":        {`"\ud800\u0041"`, "surrogate pair"},
		"reversed pair":     {`"\ude80\ud83d"`, "surrogate pair"},
		"invalid UTF-8":     {"\"\xff\"", "invalid UTF-8"},
		"UTF-8 surrogate":   {"\"\xed\xa0\x80\"", "invalid UTF-8"},
		"cut character":     {"\"\xf0\x9f\"", "invalid UTF-8"},
		"too large":         {"1e400", "double range"},
		"leading zero":      {"[01]", "after array value"},
		"bare minus":        {"-", "EOF"},
		"no fraction":       {"1.", "EOF"},
		"no exponent":       {"1e+", "EOF"},
		"infinity":          {"Infinity", "at start of value"},
		"half a word":       {"tru", "EOF"},
		"open array":        {"[1", "EOF"},
		"trailing comma":    {"[1,]", "at start of value"},
		"open object":       {`{"a":1`, "EOF"},
		"no colon":          {`{"a" 1}`, "after object name"},
		"no key":            {`{1:2}`, "at start of string"},
		"object comma":      {`{"a":1,}`, "at start of string"},
		"open string":       {`"abc`, "EOF"},
		"open escape":       {`"abc\`, "EOF"},
		"unknown escape":    {`"\x"`, "escape sequence"},
		"short escape":      {`"\u12"`, "escape sequence"},
		"signed escape":     {`"\u+123"`, "escape sequence"},
		"control character": {"\"a\nb\"", "in string"},
		"byte order mark":   {"\ufeff{}", "at start of value"},
		"too deep":          {nested(chain.MaxDepth + 1), "nesting"},
		"too deep objects":  {strings.Repeat(`{"a":`, chain.MaxDepth) + "{}" + strings.Repeat("}", chain.MaxDepth), "nesting"},
	} {
		got, err := chain.Canonicalize([]byte("kept"), []byte(c.in))
		if !errors.Is(err, chain.ErrJSON) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: error %v, want ErrJSON with %q", name, err, c.message)
		}
		if string(got) != "kept" {
			t.Errorf("%s: dst is %q after the error", name, got)
		}
	}
	if _, err := chain.Canonicalize(nil, []byte(nested(chain.MaxDepth))); err != nil {
		t.Errorf("nesting at the limit: %v", err)
	}
}

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// TestCanonicalizeAfterFailure checks that a pass that stopped within objects does
// not affect the next one.
func TestCanonicalizeAfterFailure(t *testing.T) {
	for range 20 {
		if _, err := chain.Canonicalize(nil, []byte(`{"z":{"y":1,"x":[{"b":2,"a":`)); err == nil {
			t.Fatal("no error")
		}
		got, err := chain.Canonicalize(nil, []byte(`{"b":1,"a":2}`))
		if err != nil || string(got) != `{"a":2,"b":1}` {
			t.Fatalf("got %s, %v", got, err)
		}
	}
}

// TestCanonicalizeAllocates checks that values cost no allocations, except strings
// with escapes, which jsontext decodes. It uses the minimum of several runs: under
// the race detector a sync.Pool drops the decoder at random.
func TestCanonicalizeAllocates(t *testing.T) {
	text := []byte("[" + strings.Repeat(`{"a":[1,2.5,"x"],"c":{"b":true,"a":null},"b":"é"},`, 500) + "0]")
	dst := make([]byte, 0, len(text))
	least := math.Inf(1)
	for range 50 {
		least = min(least, testing.AllocsPerRun(1, func() {
			if _, err := chain.Canonicalize(dst, text); err != nil {
				t.Fatal(err)
			}
		}))
	}
	if least > 10 {
		t.Errorf("a text of 500 objects makes %v allocations, want at most 10", least)
	}
}

// FuzzCanonicalize compares with two other implementations of RFC 8785.
func FuzzCanonicalize(f *testing.F) {
	for _, seed := range []string{
		`{"b":[1,2.50,-0],"a":{"\u00e9":"\ud83d\ude00","z":null}}`, `[1e21,1e-7,123456789012345678]`,
		`"\u0000\b\/"`, `{"\ufb33":1,"😀":2}`, `{"\u005c":1,"a":2,"\ue000":3,"\ud800\udc00":4,"\u005c\"":5}`, `{"a":1,"a":2}`, `[[[]]]`, "\"\xff\"", `-0.0`, `01`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := chain.Canonicalize(nil, text)
		want, wantErr := jcs.Transform(text)
		if err != nil {
			if !errors.Is(err, chain.ErrJSON) {
				t.Fatalf("error of the wrong kind: %v", err)
			}
			if wantErr == nil && !strings.Contains(err.Error(), "nesting") {
				t.Fatalf("refused %q: %v", text, err)
			}
			return
		}
		if wantErr != nil {
			t.Fatalf("accepted %q: %v", text, wantErr)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%q became %s, want %s", text, got, want)
		}
		sorted := jsontext.Value(bytes.Clone(text))
		if err := sorted.Canonicalize(); err != nil || !bytes.Equal(got, sorted) {
			t.Fatalf("%q became %s, jsontext makes it %s, %v", text, got, sorted, err)
		}
		if again, err := chain.Canonicalize(nil, got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%s became %s, %v the second time", got, again, err)
		}
	})
}

// FuzzNumber compares the text of doubles of every kind.
func FuzzNumber(f *testing.F) {
	for _, n := range []float64{0, -1, 0.1, 1e21, 1e-7, 5e-324, math.MaxFloat64, 1 << 53, 1<<53 + 2, 123456.789} {
		f.Add(math.Float64bits(n))
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		n := math.Float64frombits(bits)
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return
		}
		want, err := jcs.NumberToJSON(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []byte{'e', 'g', 'f'} {
			text := strconv.FormatFloat(n, format, -1, 64)
			if got, err := chain.Canonicalize(nil, []byte(text)); err != nil || string(got) != want {
				t.Fatalf("%s became %s, %v, want %s", text, got, err, want)
			}
		}
	})
}
