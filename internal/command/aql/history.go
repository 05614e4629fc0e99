package aql

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
)

// maxHistory is how many lines of AQL are kept.
const maxHistory = 1000

// aqlHistory is what a person typed at the prompt, for the arrow keys. Lines
// with a passphrase are not in it.
type aqlHistory struct {
	path string
	// lines are the oldest first; the last added of them are of this session.
	lines []string
	added int
}

// loadAQLHistory reads the history of earlier sessions. A file that cannot be
// read is as good as none.
func loadAQLHistory(a *command.App) *aqlHistory {
	folder := a.StateFolder()
	if folder == "" {
		return &aqlHistory{}
	}
	h := &aqlHistory{path: filepath.Join(folder, "aql_history")}
	h.lines = h.read()
	return h
}

func (h *aqlHistory) read() []string {
	text, err := os.ReadFile(h.path)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// Add implements term.History.
func (h *aqlHistory) Add(line string) {
	line = strings.TrimSpace(line)
	if line == "" || leaves(line) || aql.HoldsSecret(line) || len(h.lines) > 0 && h.At(0) == line {
		return
	}
	h.lines = append(h.lines, line)
	h.added++
}

// Len implements term.History.
func (h *aqlHistory) Len() int { return len(h.lines) }

// At implements term.History: 0 is the newest line.
func (h *aqlHistory) At(i int) string { return h.lines[len(h.lines)-1-i] }

// save adds the session's lines to the file, which another session may have
// written meanwhile. Only at its end it is known which of them hold a text that
// served as a passphrase.
func (h *aqlHistory) save() error {
	session := aql.WithoutSecrets(h.lines[len(h.lines)-h.added:])
	if h.path == "" || len(session) == 0 {
		return nil
	}
	lines := append(h.read(), session...)
	lines = lines[max(0, len(lines)-maxHistory):]
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	return creds.WriteSecretFile(h.path, []byte(strings.Join(lines, "\n")+"\n"), true)
}
