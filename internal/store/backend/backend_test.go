package backend_test

import (
	"testing"

	"github.com/playctl/playctl/internal/store/backend"
)

// Every address and every path has one backend, and help for it.
func TestEveryBackendIsFound(t *testing.T) {
	t.Parallel()
	if file, known := backend.Of(""); !known || len(file.Schemes) != 0 {
		t.Errorf("the store in a file has the schemes %q", file.Schemes)
	}
	seen := map[string]bool{}
	for _, b := range backend.All() {
		if b.Help == "" || b.Locate == nil {
			t.Errorf("the backend of %q has no help or no Locate", b.Schemes)
		}
		for _, scheme := range b.Schemes {
			if seen[scheme] {
				t.Errorf("%q has two backends", scheme)
			}
			seen[scheme] = true
			for _, form := range []string{scheme, scheme + "+form"} {
				if found, known := backend.Of(form); !known || found.Schemes[0] != b.Schemes[0] {
					t.Errorf("%q has the backend %q (%v)", form, found.Schemes, known)
				}
			}
		}
	}
	if _, known := backend.Of("gopher"); known {
		t.Error("gopher has a backend")
	}
}
