// Command licenses generates the file with the licenses of everything that the binary
// contains: the modules of Go, its standard library, and the packages of the watch page.
// Run it with go generate ./cmd/playctl, after npm ci in web.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/gen"
)

func main() {
	if err := gen.Run(generate); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err) //nolint:forbidigo // this is main
		os.Exit(1)                                //nolint:forbidigo // as above
	}
}

// licensesFile is the generated file. Archives and images contain it.
const licensesFile = "THIRD_PARTY_LICENSES.txt"

const preamble = `playctl contains the software below, whose licenses require that their texts go with it. The file is
generated: run go generate ./cmd/playctl after a change of dependencies.
`

// rule separates the parts of the file.
var rule = "\n" + strings.Repeat("=", 80) + "\n\n"

// part is software that the binary contains.
type part struct {
	// name is its module or package with its version.
	name string
	// text has its license, and its notice if it has one.
	text string
}

func generate(root string) (*gen.Output, error) {
	parts, err := modules(root)
	if err != nil {
		return nil, err
	}
	pages, err := packages(root)
	if err != nil {
		return nil, err
	}
	// Software with the same text shares it.
	names := map[string][]string{}
	for _, p := range append(parts, pages...) {
		names[p.text] = append(names[p.text], p.name)
	}
	for _, sharing := range names {
		slices.Sort(sharing)
	}
	texts := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return strings.Compare(names[a][0], names[b][0]) })
	out := bytes.NewBufferString(preamble)
	for _, text := range texts {
		out.WriteString(rule + strings.Join(names[text], "\n") + "\n\n" + text + "\n")
	}
	return &gen.Output{Files: map[string][]byte{licensesFile: out.Bytes()}}, nil
}

// legal matches the names of files with the terms of software.
var legal = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice)([.-].*)?$`)

// terms returns the texts of the files with the terms in a folder.
func terms(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", fmt.Errorf("look for a license: %w", err)
	}
	var texts []string
	for _, entry := range entries {
		if entry.IsDir() || !legal.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name())) //nolint:gosec // G304: a file of a module
		if err != nil {
			return "", fmt.Errorf("read a license: %w", err)
		}
		texts = append(texts, tidy(string(text)))
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("%s has no license: find its terms before it is used", folder)
	}
	return strings.Join(texts, "\n\n"), nil
}

// tidy removes what does not matter in a text: line ends of Windows, spaces at the ends of
// lines, and empty lines around the text.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// isMissing reports whether a folder does not exist.
func isMissing(folder string) bool {
	_, err := os.Stat(folder)
	return errors.Is(err, fs.ErrNotExist)
}
