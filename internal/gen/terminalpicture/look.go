package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// background is the background color of the terminal.
const background = "#14171b"

var plain = look{color: "#d6d9de"}

// named are the sixteen named colors, in a muted dark theme.
var named = [16]string{
	"#1c1f24", "#d96b6b", "#7fb069", "#d9b36b", "#6b9bd9", "#b57fd9", "#5fb8b8", "#d6d9de",
	"#6b7280", "#ee8888", "#99cc88", "#eecc88", "#88bbee", "#cc99ee", "#77cccc", "#ffffff",
}

// look is the color and the attributes of text.
type look struct {
	color     string
	bold, dim bool
}

// attributes returns a look's attributes in a picture, without its color.
func (l look) attributes() string {
	var text string
	if l.bold {
		text += ` font-weight="bold"`
	}
	if l.dim {
		text += ` opacity="0.6"`
	}
	return text
}

// with returns the look after the codes of one SGR sequence (ECMA-48, 8.3.117).
func (l look) with(codes string) look {
	numbers := numbersIn(codes)
	for i := 0; i < len(numbers); i++ {
		switch n := numbers[i]; {
		case n == 0:
			l = plain
		case n == 1:
			l.bold = true
		case n == 2:
			l.dim = true
		case n == 22:
			l.bold, l.dim = false, false
		case n == 39:
			l.color = plain.color
		case n >= 30 && n <= 37:
			l.color = named[n-30]
		case n >= 90 && n <= 97:
			l.color = named[n-82]
		case n == 38 || n == 48:
			// 48 sets the background of the text, which pictures omit.
			color, used := extended(numbers[i+1:])
			if n == 38 && color != "" {
				l.color = color
			}
			i += used
		}
	}
	return l
}

// numbersIn parses the numbers of a sequence; one without any means 0.
func numbersIn(codes string) []int {
	var numbers []int
	for _, text := range strings.FieldsFunc(codes, func(r rune) bool { return r == ';' || r == ':' }) {
		n, err := strconv.Atoi(text)
		if err != nil {
			continue
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return []int{0}
	}
	return numbers
}

// extended parses a color of 256 ("5;n") or of 16 million ("2;r;g;b"), and returns
// how many numbers it used.
func extended(numbers []int) (color string, used int) {
	switch {
	case len(numbers) >= 2 && numbers[0] == 5:
		return indexed(numbers[1]), 2
	case len(numbers) >= 4 && numbers[0] == 2:
		return fmt.Sprintf("#%02x%02x%02x", numbers[1]&255, numbers[2]&255, numbers[3]&255), 4
	}
	return "", len(numbers)
}

// indexed returns a color of xterm's palette of 256; the first ones have names.
func indexed(n int) string {
	switch {
	case n < 0 || n > 255:
		return plain.color
	case n < len(named):
		return named[n]
	}
	red, green, blue, _ := ansi.IndexedColor(n).RGBA()
	return fmt.Sprintf("#%02x%02x%02x", red>>8, green>>8, blue>>8)
}
