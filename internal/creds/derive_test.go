package creds

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/playctl/playctl/protocol"
)

func TestNormalizeRootKey(t *testing.T) {
	for in, want := range map[string]string{
		"":              "",
		" \ufeffN1\n":   "n1",
		"ABCDEF":        "abcdef",
		"two  words":    "two  words",
		"\u0085N":       "\u0085n",
		"ÀÉ":            "àé",
		"İ":             "i\u0307", // strings.ToLower gives "i" alone
		"ΟΔΟΣ":          "οδος",    // the last sigma has its own form
		"ß":             "ß",
		"\u3000A\u00a0": "a",
	} {
		if got := protocol.NormalizeRootKey(in); got != want {
			t.Errorf("protocol.NormalizeRootKey(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDeriveNodeIDNormalizesTheRootKey(t *testing.T) {
	v := loadVectors(t)
	got, err := DeriveNodeID(HashPhrase(v.Phrases[0].Phrase), " "+strings.ToUpper(v.RootKeys[0])+"\r\n")
	if err != nil || got != v.Phrases[0].NodeIDs[0] {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestDerivationRequiresInput(t *testing.T) {
	if _, err := DeriveNodeID(PasswHash{}, "n1"); !errors.Is(err, ErrHashMissing) {
		t.Errorf("no hash: %v", err)
	}
	if _, err := RootKeyFromSecret(nil); !errors.Is(err, ErrSecretEmpty) {
		t.Errorf("no secret: %v", err)
	}
}

func TestGenerateRootKey(t *testing.T) {
	first, second := GenerateRootKey(), GenerateRootKey()
	if first == second || !protocol.ValidHex64(first) || !protocol.ValidHex64(second) {
		t.Errorf("root keys %s and %s", first, second)
	}
}

func FuzzNormalizeRootKey(f *testing.F) {
	for _, seed := range []string{"", "n1", " ABC ", "İΣ", "\xff", "ΑΣ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := protocol.NormalizeRootKey(text)
		ascii := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
		if ascii && got != strings.ToLower(strings.Trim(text, " \t\n\v\f\r")) {
			t.Fatalf("protocol.NormalizeRootKey(%q) = %q", text, got)
		}
		if strings.TrimFunc(got, protocol.IsWhiteSpace) != got {
			t.Fatalf("protocol.NormalizeRootKey(%q) = %q has white space at an end", text, got)
		}
	})
}

func BenchmarkDeriveNodeID(b *testing.B) {
	hash := HashPhrase("amber")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DeriveNodeID(hash, "n1"); err != nil {
			b.Fatal(err)
		}
	}
}
