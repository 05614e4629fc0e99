package creds

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tyler-smith/go-bip39/wordlists"

	"github.com/playctl/playctl/protocol"
)

// spaceRuns matches the white space of "Credentials" in the protocol reference; the
// hand-written set is compared with it.
var spaceRuns = regexp.MustCompile(`[\x{0009}-\x{000D}\x{0020}\x{00A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]+`)

func slowNormalize(text string) string {
	return strings.TrimPrefix(strings.TrimSuffix(spaceRuns.ReplaceAllString(text, " "), " "), " ")
}

func TestIsWhiteSpaceMatchesDefinedSet(t *testing.T) {
	var every []rune
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			every = append(every, r)
		}
	}
	space := map[rune]bool{}
	for _, run := range spaceRuns.FindAllString(string(every), -1) {
		for _, r := range run {
			space[r] = true
		}
	}
	for _, r := range every {
		if got := protocol.IsWhiteSpace(r); got != space[r] {
			t.Errorf("protocol.IsWhiteSpace(%U) = %v, want %v", r, got, space[r])
		}
	}
	if len(space) != 25 {
		t.Errorf("the oracle has %d characters, the protocol lists 25", len(space))
	}
}

func TestNormalizePhrase(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		" \t\n\ufeff\u3000":        "",
		"one":                      "one",
		"\ufeffone\u2028\u2029two": "one two",
		"one\u0085two":             "one\u0085two", // white space for Go, not for the protocol
		"one\u200btwo\u180e":       "one\u200btwo\u180e",
		"Cafe\u0301  CAFÉ":         "Cafe\u0301 CAFÉ",
		"a\xff \xfe":               "a\xff \xfe",
	} {
		if got := protocol.NormalizePhrase(in); got != want {
			t.Errorf("protocol.NormalizePhrase(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzNormalizePhrase(f *testing.F) {
	for _, seed := range []string{"", "amber angle", "\ufeff a\u00a0b ", "a\u0085b", "\xff \xef\xbb\xbf"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := protocol.NormalizePhrase(text)
		if want := slowNormalize(text); utf8.ValidString(text) && got != want {
			t.Fatalf("protocol.NormalizePhrase(%q) = %q, the pattern gives %q", text, got, want)
		}
		if again := protocol.NormalizePhrase(got); again != got {
			t.Fatalf("normalizing %q twice gives %q", got, again)
		}
		if !HashPhrase(text).Equal(HashPhrase(got).Secret) {
			t.Fatalf("%q and its normal form hash differently", text)
		}
		phrase, err := ParsePhrase(text)
		if (err == nil) != (utf8.ValidString(text) && got != "") {
			t.Fatalf("ParsePhrase(%q): %v", text, err)
		}
		if err == nil && phrase.Reveal() != got {
			t.Fatalf("ParsePhrase(%q) = %q", text, phrase.Reveal())
		}
	})
}

func TestParsePhraseErrors(t *testing.T) {
	if _, err := ParsePhrase(" \u00a0\n"); !errors.Is(err, ErrPhraseEmpty) {
		t.Errorf("blank: %v", err)
	}
	if _, err := ParsePhrase("one \xff two"); !errors.Is(err, ErrPhraseNotUTF8) {
		t.Errorf("not UTF-8: %v", err)
	}
}

// If every pair of bytes is used once, every word must be drawn equally often: then
// uniform bytes give uniform words.
func TestPhraseWordsAreUniform(t *testing.T) {
	var all bytes.Buffer
	for v := range 1 << 16 {
		all.Write(binary.BigEndian.AppendUint16(nil, uint16(v)))
	}
	counts := map[string]int{}
	drawn := 0
	for {
		phrase, err := phraseFrom(&all)
		if err != nil {
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatal(err)
			}
			break
		}
		for word := range strings.SplitSeq(phrase, " ") {
			counts[word]++
			drawn++
		}
	}
	// 65,536 is not a multiple of ten words: the last six draws are short.
	if drawn != 1<<16-6 || len(counts) != phraseListSize {
		t.Fatalf("%d draws gave %d words", drawn, len(counts))
	}
	for word, n := range counts {
		if n != 32 && n != 31 {
			t.Errorf("%q was drawn %d times, want 32", word, n)
		}
	}
}

func TestPhraseWordsMatchBIP39(t *testing.T) {
	if !slices.Equal(phraseWords(), wordlists.English) {
		t.Error("words.txt is not the published list")
	}
}

func TestGeneratePhrase(t *testing.T) {
	first, second := GeneratePhrase().Reveal(), GeneratePhrase().Reveal()
	if first == second {
		t.Error("the same phrase was generated twice")
	}
	words := strings.Split(first, " ")
	if len(words) != PhraseWords || protocol.NormalizePhrase(first) != first {
		t.Errorf("a phrase of %d words", len(words))
	}
	for _, word := range words {
		if !slices.Contains(wordlists.English, word) {
			t.Errorf("a word that is not in the list")
		}
	}
}
