package suggest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"CRAETE":    "CREATE",
		"crate":     "CREATE",
		"Shwo":      "SHOW",
		"sho":       "SHOW",
		"SHOW":      "SHOW",
		"größse":    "größe",
		"XY":        "",
		"":          "",
		"something": "",
	} {
		if got := Nearest(word, []string{"CREATE", "SHOW", "USE", "größe"}); got != want {
			t.Errorf("the nearest to %q is %q, want %q", word, got, want)
		}
	}
	if got := Nearest("Lwa", []string{"Law", "Low"}); got != "Law" {
		t.Errorf("a swap of neighbors is one change, but %q is nearer", got)
	}
}

// One change of a letter leaves a long word the nearest to itself, and swapping
// the sides changes no distance.
func TestDistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(rapid.StringMatching(`[abc]{0,6}`).Draw(t, "a")), []rune(rapid.StringMatching(`[abc]{0,6}`).Draw(t, "b"))
		d := distance(a, b)
		if d != distance(b, a) || d > max(len(a), len(b)) || (d == 0) != (string(a) == string(b)) {
			t.Fatalf("the distance of %q and %q is %d, back %d", string(a), string(b), d, distance(b, a))
		}
		word := strings.Repeat("x", 3) + string(a)
		if got := Nearest(word+"y", []string{word}); got != word {
			t.Fatalf("%q is not the nearest to %q", word, word+"y")
		}
	})
}
