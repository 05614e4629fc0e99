package chain

import (
	"cmp"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s to dst as a canonical JSON string. It fails on a text
// that is not UTF-8; dst is then returned as it was.
func AppendString(dst []byte, s string) ([]byte, error) {
	out, err := appendText(dst, s)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// appendText appends s as a canonical JSON string: quoted, with the minimal
// escapes of RFC 8785 section 3.2.2.2. s must be valid UTF-8.
func appendText[T string | []byte](dst []byte, s T) ([]byte, error) {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			size := validRune(s[i:])
			if size == 0 {
				return dst, fmt.Errorf("%w: a text is not UTF-8 at byte %d", ErrJSON, i)
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"'), nil
}

// validRune is the length of the multi-byte character that s starts with, 0 if
// it is not UTF-8.
func validRune[T string | []byte](s T) int {
	var head [utf8.UTFMax]byte
	n := copy(head[:], s)
	r, size := utf8.DecodeRune(head[:n])
	if r == utf8.RuneError && size <= 1 {
		return 0
	}
	return size
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// compareUTF16 orders two UTF-8 texts by their UTF-16 code units, the order of
// object keys in RFC 8785 section 3.2.3. It differs from the order of the bytes
// only where a character above U+FFFF, whose first unit is a surrogate, meets
// one from U+E000 to U+FFFF.
func compareUTF16(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] == b[i] {
			continue
		}
		if a[i] < 0xEE && b[i] < 0xEE {
			return cmp.Compare(a[i], b[i])
		}
		// One of the two bytes leads a character, so both do: what is before
		// them is equal.
		return compareUnits(a, b, i)
	}
	return cmp.Compare(len(a), len(b))
}

// compareUnits compares the characters that start at byte i of a and of b.
func compareUnits(a, b []byte, i int) int {
	x, _ := utf8.DecodeRune(a[i:])
	y, _ := utf8.DecodeRune(b[i:])
	hx, lx := units(x)
	hy, ly := units(y)
	if hx != hy {
		return cmp.Compare(hx, hy)
	}
	return cmp.Compare(lx, ly)
}

// units are the UTF-16 code units of r, the second 0 if it needs only one.
func units(r rune) (first, second rune) {
	if r < 0x10000 {
		return r, 0
	}
	return utf16.EncodeRune(r)
}
