package chain

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// span is a string that was read. One without escapes is plain: it stands in
// the input as it is, and its canonical text is the same.
type span struct {
	text  []byte
	plain bool
}

// readText reads the JSON string at pos and moves past it. What it returns is
// good until the next string with escapes is read.
func (c *canonizer) readText() (span, error) {
	c.pos++
	start := c.pos
	for c.pos < len(c.in) {
		switch b := c.in[c.pos]; b {
		case '"':
			c.pos++
			return span{c.in[start : c.pos-1], true}, nil
		case '\\':
			c.text = append(c.text[:0], c.in[start:c.pos]...)
			return c.readEscaped()
		default:
			if err := c.readChar(b); err != nil {
				return span{}, err
			}
		}
	}
	return span{}, c.fail("a string is not closed")
}

// readEscaped goes on with a string from its first escape on, decoding it into
// c.text.
func (c *canonizer) readEscaped() (span, error) {
	for c.pos < len(c.in) {
		start := c.pos
		switch b := c.in[c.pos]; b {
		case '"':
			c.pos++
			return span{text: c.text}, nil
		case '\\':
			if err := c.readEscape(); err != nil {
				return span{}, err
			}
		default:
			if err := c.readChar(b); err != nil {
				return span{}, err
			}
			c.text = append(c.text, c.in[start:c.pos]...)
		}
	}
	return span{}, c.fail("a string is not closed")
}

// readChar moves past one character of a string, which starts with b and is no
// quote and no escape.
func (c *canonizer) readChar(b byte) error {
	switch {
	case b < ' ':
		return c.fail("a control character stands in a string")
	case b < utf8.RuneSelf:
		c.pos++
		return nil
	}
	size := validRune(c.in[c.pos:])
	if size == 0 {
		return c.fail("a string is not UTF-8")
	}
	c.pos += size
	return nil
}

// writeText appends a string that was read, and so is UTF-8.
func (c *canonizer) writeText(s span) (err error) {
	if s.plain {
		c.out = append(c.out, '"')
		c.out = append(c.out, s.text...)
		c.out = append(c.out, '"')
		return nil
	}
	c.out, err = appendText(c.out, s.text)
	return err
}

func (c *canonizer) readEscape() error {
	if c.pos+1 == len(c.in) {
		return c.fail("a string is not closed")
	}
	escaped := c.in[c.pos+1]
	if escaped == 'u' {
		return c.readUnicodeEscape()
	}
	switch escaped {
	case '"', '\\', '/':
	case 'b':
		escaped = '\b'
	case 'f':
		escaped = '\f'
	case 'n':
		escaped = '\n'
	case 'r':
		escaped = '\r'
	case 't':
		escaped = '\t'
	default:
		return c.fail("an unknown escape")
	}
	c.text = append(c.text, escaped)
	c.pos += 2
	return nil
}

func (c *canonizer) readUnicodeEscape() error {
	r, ok := c.codeUnit(c.pos)
	if !ok {
		return c.fail("a malformed escape")
	}
	size := 6
	if utf16.IsSurrogate(r) {
		second, _ := c.codeUnit(c.pos + 6)
		if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
			return c.fail("a lone surrogate")
		}
		size = 12
	}
	c.text = utf8.AppendRune(c.text, r)
	c.pos += size
	return nil
}

// codeUnit reads the \uXXXX at the given position.
func (c *canonizer) codeUnit(at int) (rune, bool) {
	if len(c.in)-at < 6 || c.in[at] != '\\' || c.in[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(c.in[at+2:at+6]), 16, 16)
	// ParseUint takes no sign and, with an explicit base, no underscore.
	return rune(n), err == nil
}
