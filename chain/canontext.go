package chain

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// readText decodes the JSON string at pos into c.text and moves past it.
func (c *canonizer) readText() error {
	c.text = c.text[:0]
	c.pos++
	start := c.pos
	for c.pos < len(c.in) {
		switch b := c.in[c.pos]; {
		case b == '"':
			c.text = append(c.text, c.in[start:c.pos]...)
			c.pos++
			return nil
		case b == '\\':
			c.text = append(c.text, c.in[start:c.pos]...)
			if err := c.readEscape(); err != nil {
				return err
			}
			start = c.pos
		case b < ' ':
			return c.fail("a control character stands in a string")
		case b < utf8.RuneSelf:
			c.pos++
		default:
			size := validRune(c.in[c.pos:])
			if size == 0 {
				return c.fail("a string is not UTF-8")
			}
			c.pos += size
		}
	}
	return c.fail("a string is not closed")
}

// writeText appends c.text, which readText found to be UTF-8.
func (c *canonizer) writeText() (err error) {
	c.out, err = appendText(c.out, c.text)
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
