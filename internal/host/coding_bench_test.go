package host

import (
	"io/fs"
	"testing"

	"github.com/playctl/playctl/web/watch"
)

// BenchmarkCompressWhole compresses the files of the page, and reports how long they are.
func BenchmarkCompressWhole(b *testing.B) {
	files := watch.Files()
	names, err := fs.Glob(files, "assets/*")
	if err != nil {
		b.Fatal(err)
	}
	var texts [][]byte
	for _, name := range append(names, pageIndex) {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, text)
	}
	for _, coding := range codings {
		b.Run(string(coding), func(b *testing.B) {
			b.ReportAllocs()
			length := 0
			for b.Loop() {
				length = 0
				for _, text := range texts {
					length += len(compressWhole(text, coding))
				}
			}
			b.ReportMetric(float64(length), "compressed-B")
		})
	}
}
