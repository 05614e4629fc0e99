package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestDraw(t *testing.T) {
	t.Parallel()
	screen := "\x1b[1mtown\x1b[0m  <&>\n" +
		"\x1b[38;5;214m●Ada\x1b[39m \x1b[2msays\x1b[22m \x1b[32mhi\n" +
		"still green\x1b[m and \x1b[38;2;1;2;3m日本\x1b[0m.\x1b[48;5;9m \x1b[91mx\n"
	var picture strings.Builder
	if err := draw(strings.NewReader(screen), &picture); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`viewBox="0 0 217 75"`,
		`<text x="12.0" y="25.6" fill="#d6d9de" font-weight="bold" textLength="33.6" xml:space="preserve">town</text>`,
		`>  &lt;&amp;&gt;</text>`,
		`<text x="12.0" y="42.6" fill="#ffaf00" textLength="33.6" xml:space="preserve">●Ada</text>`,
		`fill="#d6d9de" opacity="0.6" textLength="33.6" xml:space="preserve">says</text>`,
		`fill="#7fb069" textLength="16.8" xml:space="preserve">hi</text>`,
		`<text x="12.0" y="59.6" fill="#7fb069" textLength="92.4" xml:space="preserve">still green</text>`,
		`<text x="146.4" y="59.6" fill="#010203" textLength="33.6" xml:space="preserve">日本</text>`,
		`<text x="180.0" y="59.6" fill="#d6d9de" textLength="8.4" xml:space="preserve">.</text>`,
		`fill="#ee8888" textLength="8.4" xml:space="preserve">x</text>`,
	} {
		if !strings.Contains(picture.String(), want) {
			t.Errorf("the picture lacks %s\n%s", want, picture.String())
		}
	}
	for decoder := xml.NewDecoder(strings.NewReader(picture.String())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is not XML: %v", err)
		}
	}
}

func TestIndexed(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "#d96b6b", 16: "#000000", 21: "#0000ff", 196: "#ff0000", 231: "#ffffff", 232: "#080808", 255: "#eeeeee", 256: plain.color} {
		if got := indexed(n); got != want {
			t.Errorf("color %d is %s, want %s", n, got, want)
		}
	}
}
