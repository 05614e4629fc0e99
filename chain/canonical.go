package chain

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is the greatest nesting of arrays and objects in a text that
// Canonicalize accepts. A body of 1 MiB could nest half a million levels, which no
// JSON reader in any language can handle.
const MaxDepth = 512

// canonicalScalars makes jsontext write numbers as in RFC 8785; it writes strings
// so anyway. The members of objects stay in the order of the input: jsontext sorts
// them in a second pass over the tokens, which takes as long as the first one even
// if the text is sorted. See sorter.
var canonicalScalars = json.JoinOptions(jsontext.CanonicalizeRawInts(true), jsontext.CanonicalizeRawFloats(true))

// Canonicalize appends the canonical form (RFC 8785) of one JSON text to dst.
//
// It refuses, with an error that is ErrJSON and states the byte offset, any text
// that is `json_invalid` in the protocol: bad syntax, duplicate keys, invalid
// UTF-8, lone surrogates, numbers outside the double range, data after the value,
// and nesting beyond MaxDepth. On an error dst is returned unchanged.
func Canonicalize(dst, jsonText []byte) ([]byte, error) {
	out, err := jsontext.AppendFormat(dst, jsonText, canonicalScalars)
	if err != nil {
		return dst, syntaxError(err)
	}
	s := sorters.Get().(*sorter)
	defer s.release()
	if _, err := s.value(out[len(dst):], 0, 0); err != nil {
		return dst, err
	}
	if s.huge {
		if err := checkNumbers(jsonText); err != nil {
			return dst, err
		}
	}
	return out, nil
}

// syntaxError returns jsontext's error without the names on the path to the error,
// whose length the author of the text controls.
func syntaxError(err error) error {
	at, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return fmt.Errorf("%w: %w at byte %d", ErrJSON, at.Err, at.ByteOffset)
}

// checkNumbers refuses a number outside the double range in a valid text.
func checkNumbers(jsonText []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(jsonText))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // the text was found valid, so this is its end
		}
		if token.Kind() == '0' {
			if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
				return fmt.Errorf("%w: a number outside the double range at byte %d", ErrJSON, d.InputOffset())
			}
		}
	}
}

// sorter puts the members of objects in canonical order, in place. Its slices
// keep their capacity between texts.
type sorter struct {
	members []member // members of the objects that are open
	scratch []byte   // an object's members in their new order
	// huge says that a number is near the end of the double range, where
	// jsontext writes the largest double for all that is beyond.
	huge bool
}

// member is the place of one member of an object in the text: the name with its
// quotes, and the value.
type member struct{ name, nameEnd, end int }

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// maxKept bounds the buffers that a sorter returns to the pool.
const maxKept = 1 << 16

func (s *sorter) release() {
	if cap(s.scratch)+cap(s.members) <= maxKept {
		s.members, s.huge = s.members[:0], false
		sorters.Put(s)
	}
}

// value sorts the value that starts at a position of a valid text without white
// space, and returns its end.
func (s *sorter) value(text []byte, at, depth int) (end int, err error) {
	switch text[at] {
	case '{', '[':
		if depth == MaxDepth {
			return 0, fmt.Errorf("%w: nesting beyond %d", ErrJSON, MaxDepth)
		}
		if text[at] == '{' {
			return s.object(text, at+1, depth+1)
		}
		for at++; text[at] != ']'; {
			if text[at] == ',' {
				at++
			}
			if at, err = s.value(text, at, depth+1); err != nil {
				return 0, err
			}
		}
		return at + 1, nil
	case '"':
		return at + textEnd(text[at:]), nil
	}
	end = at + valueEnd(text[at:])
	s.huge = s.huge || bytes.HasSuffix(text[at:end], []byte("e+308"))
	return end, nil
}

// object sorts the object whose first member starts at a position.
func (s *sorter) object(text []byte, start, depth int) (end int, err error) {
	first, sorted := len(s.members), true
	at := start
	for text[at] != '}' {
		if text[at] == ',' {
			at++
		}
		m := member{name: at, nameEnd: at + textEnd(text[at:])}
		if at, err = s.value(text, m.nameEnd+1, depth); err != nil {
			return 0, err
		}
		m.end = at
		if n := len(s.members); n > first && sorted {
			prev := s.members[n-1]
			sorted = compareNames(text[prev.name:prev.nameEnd], text[m.name:m.nameEnd]) < 0
		}
		s.members = append(s.members, m)
	}
	if !sorted {
		s.reorder(text, s.members[first:], start, at)
	}
	s.members = s.members[:first]
	return at + 1, nil
}

// reorder writes the members, which fill the text from start to end, in order.
func (s *sorter) reorder(text []byte, members []member, start, end int) {
	slices.SortFunc(members, func(a, b member) int {
		return compareNames(text[a.name:a.nameEnd], text[b.name:b.nameEnd])
	})
	s.scratch = s.scratch[:0]
	for i, m := range members {
		if i > 0 {
			s.scratch = append(s.scratch, ',')
		}
		s.scratch = append(s.scratch, text[m.name:m.end]...)
	}
	copy(text[start:end], s.scratch)
}

// compareNames orders two quoted names by their UTF-16 code units, as RFC 8785
// section 3.2.3 requires. That is the order of their bytes except for escapes and
// characters from U+E000 on, whose first byte is 0xEE or more.
func compareNames(a, b []byte) int {
	a, b = a[1:len(a)-1], b[1:len(b)-1]
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == '\\' || y == '\\' || x != y && (x >= 0xEE || y >= 0xEE) {
			return slices.Compare(codeUnits(a), codeUnits(b))
		}
		if x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// codeUnits returns the UTF-16 code units of a name given without its quotes.
func codeUnits(name []byte) []uint16 {
	text, _ := asText(append(append([]byte{'"'}, name...), '"'))
	return utf16.Encode([]rune(text))
}

// appendNumber appends f in the form of ECMAScript's Number::toString, as RFC 8785
// section 3.2.2.3 requires. f must be finite.
func appendNumber(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, fmt.Errorf("%w: %v has no JSON form", ErrJSON, f)
	}
	if i := int64(f); -maxExactInt < f && f < maxExactInt && float64(i) == f {
		return strconv.AppendInt(dst, i, 10), nil // also turns -0 into 0
	}
	return jsontext.AppendFloat(dst, f, 64), nil
}

// maxExactInt is the magnitude below which every integer is exactly a double
// (2^53), so its decimal text is its ECMAScript text.
const maxExactInt = 1 << 53

// appendString appends s to dst as a canonical JSON string. It fails on a text that
// is not UTF-8; dst is then returned unchanged.
func appendString(dst []byte, s string) ([]byte, error) {
	if plain(s) {
		return append(append(append(dst, '"'), s...), '"'), nil
	}
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return dst, fmt.Errorf("%w: a string is not UTF-8", ErrJSON)
	}
	return out, nil
}

// plain reports whether a text is the same in JSON: ASCII without control
// characters, quotes and backslashes. It checks eight bytes at once, since most
// texts of a host are of that kind.
func plain(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		eight := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quote, backslash := eight^ones*'"', eight^ones*'\\'
		// A subtraction sets the high bit of a byte that was smaller, and of no
		// byte before the first such one.
		if (eight|(eight-ones*' ')|(quote-ones)|(backslash-ones))&highs != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
