package space

import (
	"testing"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"create-space": createdSpaceResult{},
		"list-spaces":  spacesResult{},
		"inspect-space, add-amenity, remove-amenity": spaceResult{},
		"remove-space": removedSpaceResult{},
	})
}
