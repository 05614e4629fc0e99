// Package watch holds the watch page as it was built. The page's sources are
// beside it; dist is committed, so that building the program needs no Node.
package watch

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files is the built page: index.html, and what it is made of in assets, whose
// names have a hash of their content.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		// The folder is part of the program.
		panic(err)
	}
	return files
}
