package protocol_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

// ecmaScriptSpace is the set of characters listed in the protocol reference.
const ecmaScriptSpace = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

func TestIsWhiteSpaceMatchesDefinedSet(t *testing.T) {
	for r := rune(-1); r <= utf8.MaxRune+1; r++ {
		want := r >= 0 && strings.ContainsRune(ecmaScriptSpace, r)
		if r == utf8.RuneError {
			want = false
		}
		if got := protocol.IsWhiteSpace(r); got != want {
			t.Errorf("IsWhiteSpace(%U) = %t, want %t", r, got, want)
		}
	}
}

func TestTrimSpaceTrimsDefinedSet(t *testing.T) {
	text := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune(ecmaScriptSpace+"a\u0085\u200b😀")), rapid.Rune()))
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		if got, want := protocol.TrimSpace(s), strings.Trim(s, ecmaScriptSpace); got != want {
			t.Fatalf("TrimSpace(%q) = %q, want %q", s, got, want)
		}
	})
	for _, s := range []string{"", " ", "a", "\u0085", "\u0085 a", "a\x00", "\x00a", "a\u00a0", "\ufeffa", "\xff a \xff", " \xff "} {
		if got, want := protocol.TrimSpace(s), strings.Trim(s, ecmaScriptSpace); got != want {
			t.Errorf("TrimSpace(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestNormalizeTextCutsAtCodePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(protocol.MaxInteractionChars-2, protocol.MaxInteractionChars+2).Draw(t, "n")
		unit := rapid.SampledFrom([]string{"a", "é", "€", "😀"}).Draw(t, "unit")
		s := strings.Repeat(unit, n)
		got := protocol.NormalizeText(s)
		if want := strings.Repeat(unit, min(n, protocol.MaxInteractionChars)); got != want {
			t.Fatalf("%d times %s left %d bytes, want %d", n, unit, len(got), len(want))
		}
	})
}

func TestValidID(t *testing.T) {
	for _, s := range []string{"a", "__human__", hexA, chars(128), "a/b", "ü-1"} {
		if !protocol.ValidID(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"", " ", "a:b", "a b", chars(129), "a\x00", "a\x7f", "\u0085", "a\u180e\u2003", "\xff", "a\ufeff"} {
		if protocol.ValidID(s) {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestNormalizeIDs(t *testing.T) {
	upper := " \ufeff" + strings.ToUpper(hexA) + "\n"
	if got := protocol.NormalizeNodeID(upper); got != hexA {
		t.Errorf("NormalizeNodeID = %q", got)
	}
	for s, want := range map[string]string{upper: hexA, " Ada ": " Ada ", "Ada": "Ada", "": ""} {
		if got := protocol.NormalizeAgentID(s); got != want {
			t.Errorf("NormalizeAgentID(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestPersonLabels(t *testing.T) {
	for s, want := range map[string]bool{protocol.HumanLabel: true, "__x": true, "_x": false, "": false, hexA: false} {
		if got := protocol.IsPersonLabel(s); got != want {
			t.Errorf("IsPersonLabel(%q) = %t", s, got)
		}
	}
}

func TestValidIdempotencyKey(t *testing.T) {
	for _, s := range []string{"a", "!~", strings.Repeat("x", 128)} {
		if !protocol.ValidIdempotencyKey(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"", " ", "a b", "a\t", "é", "\x7f", strings.Repeat("x", 129)} {
		if protocol.ValidIdempotencyKey(s) {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestNodeKindOf(t *testing.T) {
	for key, want := range map[string]string{
		"__genesis__": "genesis", "__header__": "header", "agent:a:b": "occupant", "mcp:x": "occupant",
		"human:x": "occupant", "structure:x": "occupant", "space:x": "space",
		"": "", "agent": "", "Space:x": "", "__genesis__ ": "", "player:x": "",
	} {
		if got := protocol.NodeKindOf(key); got != want {
			t.Errorf("NodeKindOf(%q) = %q, want %q", key, got, want)
		}
	}
	rows := []protocol.Occupant{
		&protocol.Agent{NodeID: "n", AgentID: "a"}, &protocol.MCP{ID: "m"}, &protocol.Human{ID: "h"}, &protocol.Structure{ID: "s"},
	}
	for _, row := range rows {
		if got := protocol.NodeKindOf(row.StableKey()); got != protocol.NodeOccupant {
			t.Errorf("the key %q of a row is of kind %q", row.StableKey(), got)
		}
	}
	if got := protocol.NodeKindOf((&protocol.Space{ID: "s"}).StableKey()); got != protocol.NodeSpace {
		t.Errorf("the key of a space is of kind %q", got)
	}
}

// The letters of the root key determine every node id of a world, so clients in any
// language must lower-case them identically. The expected texts are those of
// ECMAScript's toLowerCase.
func TestLowerCaseMatchesECMAScript(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "ABCdef09": "abcdef09", "ÀÉ": "àé", "ẞ": "ß", "Ǆ": "ǆ", "Ⅻ": "ⅻ", "𐐀": "𐐨",
		// One letter becomes two.
		"İ": "i̇", "İSTANBUL": "i̇stanbul", "I": "i",
		// A sigma at the end of a word has its own form.
		"ΟΔΟΣ": "οδος", "ΟΔΟΣ ΣΟΦΙΑΣ": "οδος σοφιας", "Σ": "σ", "ΣΣ": "σς", "Α.Σ": "α.ς", "ΑΣ'Α": "ασ'α", "ΑΣ\u0301": "ας\u0301",
	} {
		if got := protocol.LowerCase(text); got != want {
			t.Errorf("LowerCase(%q) = %q, want %q", text, got, want)
		}
		for _, normalize := range []func(string) string{protocol.NormalizeNodeID, protocol.NormalizeRootKey} {
			if got := normalize("\ufeff " + text + "\u3000"); got != want {
				t.Errorf("%q with white space around it is normalized to %q, want %q", text, got, want)
			}
		}
	}
}

func TestNormalizePhrase(t *testing.T) {
	t.Parallel()
	for phrase, want := range map[string]string{
		"": "", " \t ": "", "one": "one", " Amber\u00a0\ufeff angle\r\n": "Amber angle", "a\u0085b": "a\u0085b", "e\u0301 \xff": "e\u0301 \xff",
	} {
		if got := protocol.NormalizePhrase(phrase); got != want {
			t.Errorf("NormalizePhrase(%q) = %q, want %q", phrase, got, want)
		}
	}
}
