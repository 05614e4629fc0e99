package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// payloadLine matches a leaf of the worked example, digestLine one of its digests.
var (
	payloadLine = regexp.MustCompile(`(?m)^(?:__genesis__|__header__|agent:aa:bb) {2,}(.+)$`)
	digestLine  = regexp.MustCompile(`(?m)^(?:leaf \d|\d and \d|root) {2,}([0-9a-f]{64})`)
)

// TestWorkedExampleIsCorrect runs the algorithm of the protocol page, without this
// repository's chain package, on the page's own example.
func TestWorkedExampleIsCorrect(t *testing.T) {
	tree := repository(t)
	page := read(t, tree, protocolPage)
	hash := func(label, text string) string {
		sum := sha256.Sum256([]byte("wilforlan:player-chain:" + label + "\x00" + text))
		return hex.EncodeToString(sum[:])
	}
	var level, got, want []string
	for _, match := range payloadLine.FindAllStringSubmatch(page, -1) {
		level = append(level, hash("leaf", match[1]))
	}
	got = slices.Clone(level)
	for len(level) > 1 {
		var next []string
		for pair := range slices.Chunk(level, 2) {
			next = append(next, hash("node", pair[0]+pair[len(pair)-1]))
		}
		level = next
		got = append(got, level...)
	}
	for _, match := range digestLine.FindAllStringSubmatch(page, -1) {
		want = append(want, match[1])
	}
	if !slices.Equal(got, want) || len(want) != 6 {
		t.Errorf("the worked example's digests are\n%s\nwant\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// TestDocumentedAnswersMatchVectors checks that the page's derived id is one of
// the known answers with which the code is tested.
func TestDocumentedAnswersMatchVectors(t *testing.T) {
	tree := repository(t)
	page := read(t, tree, protocolPage)
	for vectors, shape := range map[string]*regexp.Regexp{
		"internal/creds/testdata/credentials.json": regexp.MustCompile("(?m)^\\| `(?:passwHash|nodeId)` \\| `([0-9a-f]{64})` \\|$"),
		"chain/testdata/chain.json":                regexp.MustCompile(`(?m)^(?:leaf \d|root) {2,}([0-9a-f]{64})`),
	} {
		text, err := fs.ReadFile(tree, vectors)
		if err != nil {
			t.Fatal(err)
		}
		found := shape.FindAllStringSubmatch(page, -1)
		if len(found) < 2 {
			t.Errorf("%s: %s finds %d values, want at least 2", protocolPage, shape, len(found))
		}
		for _, match := range found {
			if !strings.Contains(string(text), match[1]) {
				t.Errorf("%s has %s, which is not in %s", protocolPage, match[1], vectors)
			}
		}
	}
}
