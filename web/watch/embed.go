// Package watch holds the watch page as it was built. The page's sources are
// beside it; dist is committed, so that building the program needs no Node.
package watch

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built page: index.html, the files that it loads in assets, and
// town.js, which other pages load.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		// The folder is part of the program.
		panic(err)
	}
	return files
}
