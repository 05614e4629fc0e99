package bolt_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store/bolt"
)

// Commits in a log that the database does not name, and that do not continue it,
// are neither ignored silently nor deleted.
func TestLogThatDoesNotContinueStoreIsKept(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*testing.T, string)
		contains string
	}{
		"a gap beside a damaged page": {func(t *testing.T, path string) {
			damageNewestMeta(t, path)
			log := content(t, bolt.WriteAheadPath(path))
			second := bytes.Index(log[bolt.WriteAheadHeader+1:], []byte("\xfeply")) + bolt.WriteAheadHeader + 1
			overwriteAt(t, bolt.WriteAheadPath(path), second+20, []byte{log[second+20] ^ 1})
		}, "entries 1 to 10, 8 of them, after entry 0 of the store"},
		"cut beside a damaged page": {func(t *testing.T, path string) {
			damageNewestMeta(t, path)
			must(t, os.Truncate(bolt.WriteAheadPath(path), bolt.WriteAheadHeader+bolt.WriteAheadSegment))
		}, "entries 1 to 10, 10 of them, after entry 0 of the store"},
	} {
		t.Run(name, func(t *testing.T) {
			o := crashedStore(t, 5, 1)
			test.change(t, o.Path)
			log := content(t, bolt.WriteAheadPath(o.Path))
			for _, readOnly := range []bool{true, false} {
				o.ReadOnly = readOnly
				j := open(t, o)
				left := j.LeftLog()
				problems, err := j.CheckPages(context.Background())
				closeStore(t, j)
				kept, text, _ := strings.Cut(left, " has commits that do not continue the store: ")
				if text != test.contains || err != nil || !strings.Contains(strings.Join(problems, "\n"), left) {
					t.Errorf("read only: %t: %q, problems %q, %v; want %s", readOnly, left, problems, err, test.contains)
					continue
				}
				if !bytes.Equal(log, content(t, kept)) {
					t.Errorf("read only: %t: %s is not the log", readOnly, kept)
				}
			}
			j := open(t, o)
			if left := j.LeftLog(); left != "" {
				t.Errorf("after the log was moved: %q", left)
			}
			closeStore(t, j)
		})
	}
}
