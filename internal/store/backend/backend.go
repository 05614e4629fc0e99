// Package backend lists the kinds of stores that a world can be kept in. Each describes
// itself.
package backend

import (
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/redis"
)

// All returns the kinds of stores, the one in a file first.
func All() []store.Backend {
	return []store.Backend{
		bolt.Backend(),
		redis.Backend(),
	}
}

// Of returns the backend of a scheme, "" for the one in a file. The scheme may be
// followed by a plus and a form of the store.
func Of(scheme string) (store.Backend, bool) {
	scheme, _, _ = strings.Cut(strings.ToLower(scheme), "+")
	for _, b := range All() {
		if slices.Contains(b.Schemes, scheme) || scheme == "" && len(b.Schemes) == 0 {
			return b, true
		}
	}
	return store.Backend{}, false
}

// Schemes returns the schemes of all stores on servers.
func Schemes() []string {
	var all []string
	for _, b := range All() {
		all = append(all, b.Schemes...)
	}
	return all
}
