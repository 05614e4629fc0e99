package chain

import (
	"math"
	"strconv"
)

func (c *canonizer) number() error {
	start := c.pos
	exact := c.scanNumber()
	if c.pos == start {
		return c.fail("a number is malformed")
	}
	text := c.in[start:c.pos]
	if exact {
		c.out = append(c.out, text...)
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(f, 0) {
		c.pos = start
		return c.fail("a number outside the double range")
	}
	c.out, err = appendNumber(c.out, f)
	return err
}

// scanNumber moves past the number at pos, or not at all if it is malformed.
// It reports whether its text is canonical: a plain integer that is exact in a
// double.
func (c *canonizer) scanNumber() (exact bool) {
	rest := c.in[c.pos:]
	i := 0
	if rest[0] == '-' {
		i++
	}
	whole := digits(rest[i:])
	if whole == 0 || whole > 1 && rest[i] == '0' {
		return false
	}
	exact = whole <= exactDigits && (i == 0 || rest[i] != '0')
	i += whole
	if i < len(rest) && rest[i] == '.' {
		n := digits(rest[i+1:])
		if n == 0 {
			return false
		}
		i += 1 + n
		exact = false
	}
	if i < len(rest) && (rest[i] == 'e' || rest[i] == 'E') {
		n := exponent(rest[i:])
		if n == 0 {
			return false
		}
		i += n
		exact = false
	}
	c.pos += i
	return exact
}

// exactDigits is how many decimal digits always fit a double exactly.
const exactDigits = 15

// exponent is the length of the exponent that b starts with, 0 if it is
// malformed.
func exponent(b []byte) int {
	i := 1
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		i++
	}
	n := digits(b[i:])
	if n == 0 {
		return 0
	}
	return i + n
}

func digits(b []byte) int {
	n := 0
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return n
}
