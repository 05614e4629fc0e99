package aql

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// These are the keys that the prompt handles itself, and those that it sends to the
// editor.
const (
	keyCtrlC     = 0x03
	keyEnd       = 0x05 // Ctrl-E
	keyCtrlG     = 0x07
	keyCtrlH     = 0x08
	keyCtrlR     = 0x12
	keyClear     = 0x15 // Ctrl-U, up to the cursor
	keyEscape    = 0x1b
	keyBackspace = 0x7f
)

const plainPrompt = "aql> "

// keys changes the input of a terminal to that of a shell: Ctrl-C clears the line,
// instead of ending the editor, and Ctrl-R searches the history.
type keys struct {
	io.ReadWriter
	history *history
	editor  *term.Terminal
	// typed is input that was not handled yet; passed is input for the editor.
	typed, passed []byte
	searching     bool
	query         string
	// skip is the number of newer matching lines to skip.
	skip int
}

// Read implements io.Reader.
func (k *keys) Read(into []byte) (int, error) {
	for len(k.passed) == 0 {
		if len(k.typed) == 0 {
			buffer := make([]byte, len(into))
			n, err := k.ReadWriter.Read(buffer)
			if k.typed = buffer[:n]; err != nil {
				return 0, err //nolint:wrapcheck // a stream passes errors on
			}
		}
		if k.searching {
			k.search()
		} else {
			k.pass()
		}
	}
	n := copy(into, k.passed)
	k.passed = k.passed[n:]
	return n, nil
}

// pass forwards the input up to a Ctrl-R, which starts a search.
func (k *keys) pass() {
	before, _, found := bytes.Cut(k.typed, []byte{keyCtrlR})
	if found && len(before) == 0 {
		k.typed = k.typed[1:]
		k.searching, k.query, k.skip = true, "", 0
		k.show()
		return
	}
	k.passed = bytes.ReplaceAll(before, []byte{keyCtrlC}, []byte{keyEnd, keyClear})
	k.typed = k.typed[len(before):]
}

// search handles the keys of a search. Any other key ends it, with the found line in the
// editor.
func (k *keys) search() {
	for len(k.typed) > 0 && k.searching {
		key := k.typed[0]
		switch {
		case key == keyCtrlR:
			if k.found(k.skip+1) != "" {
				k.skip++
			}
		case key == keyBackspace || key == keyCtrlH:
			_, size := utf8.DecodeLastRuneInString(k.query)
			k.query, k.skip = k.query[:len(k.query)-size], 0
		case key >= ' ':
			k.query, k.skip = k.query+string(k.typed[:1]), 0
		default:
			k.searching = false
			k.editor.SetPrompt(plainPrompt)
		}
		switch {
		case key == keyCtrlC || key == keyCtrlG:
			k.query, k.skip = "", 0
			k.typed = k.typed[1:]
		case k.searching || key == keyEscape && len(k.typed) == 1:
			k.typed = k.typed[1:]
		}
	}
	k.show()
}

// found returns the newest line of the history that contains the query, after skip newer
// ones; "" for none.
func (k *keys) found(skip int) string {
	last := ""
	for i := 0; i < k.history.Len() && k.query != ""; i++ {
		if line := k.history.At(i); line != last && strings.Contains(strings.ToLower(line), strings.ToLower(k.query)) {
			if last = line; skip == 0 {
				return line
			}
			skip--
		}
	}
	return ""
}

// show lets the editor show the query and the found line.
func (k *keys) show() {
	if k.searching {
		k.editor.SetPrompt(fmt.Sprintf("search %q: ", strings.ToValidUTF8(k.query, "")))
	}
	// The editor itself reports an error of the terminal.
	_, _ = k.editor.Write(nil)
	k.passed = append(k.passed, keyEnd, keyClear)
	k.passed = append(k.passed, k.found(k.skip)...)
}
