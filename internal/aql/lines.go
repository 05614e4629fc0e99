package aql

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// LineError is one error, with its place in the program. It does not contain
// passphrases that are written in the program.
type LineError struct {
	// Source names the program, such as its file.
	Source string
	// Line and Column start at 1, and Column counts Unicode code points.
	Line, Column int
	// Message says what is wrong and what to do.
	Message string
	// Excerpt is the line of the program, its passphrases masked.
	Excerpt string
	// Err is the cause if a statement failed when it ran; nil for a mistake in the
	// program.
	Err error
}

// Error implements error. It has three lines: the place with the message, the
// line of the program, and a caret under the column.
func (p *LineError) Error() string {
	number := strconv.Itoa(p.Line)
	return fmt.Sprintf("%s:%d:%d: %s\n %s | %s\n %s | %s^",
		p.Source, p.Line, p.Column, p.Message,
		number, p.Excerpt, strings.Repeat(" ", len(number)), p.indent())
}

// Unwrap returns the cause.
func (p *LineError) Unwrap() error { return p.Err }

// indent is as wide as the text before the column.
func (p *LineError) indent() string {
	text := []rune(p.Excerpt)
	before := max(0, p.Column-1)
	// The column after the last character is for something that is missing.
	missing := max(0, before-len(text))
	return strings.Repeat(" ", ansi.StringWidth(string(text[:before-missing]))+missing)
}

// Failure returns the error for a statement that failed when it ran. The column is
// that of the statement, or of the operand that caused it.
func (p *Program) Failure(line *Line, column int, cause error) *LineError {
	failure := p.lineError(line, column, cause.Error())
	failure.Err = cause
	return failure
}

// lineError returns the error for a line of the program.
func (p *Program) lineError(line *Line, column int, message string) *LineError {
	return &LineError{Source: p.Source, Line: line.Number, Column: column, Message: message, Excerpt: clean(masked(line.text))}
}

// clean makes a line safe to show, with a column for each character.
func clean(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case isForbidden(r):
			return '\uFFFD'
		}
		return r
	}, line)
}

// LineErrors are all mistakes of a program, in its order.
type LineErrors []*LineError

// Error implements error, with all of them.
func (p LineErrors) Error() string {
	texts := make([]string, len(p))
	for i, one := range p {
		texts[i] = one.Error()
	}
	return strings.Join(texts, "\n")
}

// HoldsSecret reports whether a line of a program contains a passphrase, whether
// the line is valid or not.
func HoldsSecret(line string) bool { return masked(line) != line }

// masked returns a line with its passphrases masked, character by character, so
// that columns do not change. Only a variable after PASSPHRASE is not masked. It
// does not use the lexer, because the line may be invalid.
func masked(line string) string {
	const keyword = "PASSPHRASE"
	runes := []rune(line)
	for at := 0; at+len(keyword) <= len(runes); at++ {
		if !strings.EqualFold(string(runes[at:at+len(keyword)]), keyword) {
			continue
		}
		start := at + len(keyword)
		for start < len(runes) && (runes[start] == ' ' || runes[start] == '\t') {
			start++
		}
		if start == len(runes) || runes[start] == '$' {
			continue
		}
		return string(runes[:start]) + strings.Repeat("*", len(runes)-start)
	}
	return line
}

// WithoutSecrets returns the lines of a session that may be stored: none that
// contains a passphrase, and none that assigns a literal to a variable that was
// later used as a passphrase.
func WithoutSecrets(lines []string) []string {
	var kept []string
	served := map[string]bool{}
	for _, line := range slices.Backward(lines) {
		parsed, _ := Parse("", line)
		statement := parsed.Lines[0].Statement
		let, isLet := statement.(Let)
		isPassphrase := isLet && served[let.Name.Text]
		eachOperand(statement, func(field reflect.StructField, o *Operand) {
			if isPassphrase || field.Tag.Get("kind") == kindPassphrase {
				served[o.Variable.name()] = true
			}
		})
		if !isPassphrase && !HoldsSecret(line) {
			kept = append(kept, line)
		}
	}
	slices.Reverse(kept)
	return kept
}
