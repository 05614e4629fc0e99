package card

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// mostRunes is the number of characters of a name that are read.
const mostRunes = 80

// letters is the font of the picture: the Go project's, which has the Latin, Greek
// and Cyrillic scripts.
type letters struct{ font *sfnt.Font }

var loadLetters = sync.OnceValues(func() (*letters, error) {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return nil, fmt.Errorf("read the font of the world's picture: %w", err)
	}
	return &letters{f}, nil
})

// shown returns a text on one line with the characters of the font; empty if the
// font lacks most of them.
func (l *letters) shown(text string) string {
	var b strings.Builder
	var buffer sfnt.Buffer
	read, missing := 0, 0
	for _, r := range text {
		if read++; read > mostRunes {
			break
		}
		if unicode.IsSpace(r) {
			r = ' '
		}
		if place, err := l.font.GlyphIndex(&buffer, r); err != nil || place == 0 || !unicode.IsPrint(r) {
			missing++
			continue
		}
		b.WriteRune(r)
	}
	if 2*missing > read {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// write writes a line with its baseline at y: from x on for an align of 0, centered
// at x for 0.5, up to x for 1. It shortens text that is wider than width, and
// returns the width of the written text.
func (s *sheet) write(l *letters, text string, size, x, y, align, width float64, c color.NRGBA) (taken float64, err error) {
	face, err := opentype.NewFace(l.font, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return 0, fmt.Errorf("a face of the font: %w", err)
	}
	defer func() { _ = face.Close() }()
	text = l.shown(text)
	measure := func(text string) float64 { return float64(font.MeasureString(face, text)) / 64 }
	if measure(text) > width {
		runes := []rune(text)
		for len(runes) > 0 && measure(string(runes)+"…") > width {
			runes = runes[:len(runes)-1]
		}
		text = strings.TrimSpace(string(runes)) + "…"
	}
	taken = measure(text)
	(&font.Drawer{
		Dst: s.image, Src: image.NewUniform(c), Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6((x - align*taken) * 64), Y: fixed.Int26_6(y * 64)},
	}).DrawString(text)
	return taken, nil
}

// plate writes a name below a figure, on a paper background, unless there is
// another one.
func (s *sheet) plate(l *letters, name string, x, y float64) error {
	if name = l.shown(name); name == "" {
		return nil
	}
	const size, most = 19, 190
	// The text is first drawn on an empty image to measure its width: the background
	// comes first.
	wide, err := (&sheet{image: image.NewRGBA(image.Rectangle{})}).write(l, name, size, 0, 0, 0, most, ink)
	if err != nil {
		return err
	}
	box := image.Rect(int(x-wide/2)-9, int(y), int(x+wide/2)+10, int(y)+27)
	if slices.ContainsFunc(s.plates, box.Overlaps) {
		return nil
	}
	s.plates = append(s.plates, box)
	s.rounded(x-wide/2-9, y, wide+18, 27, 13, edge)
	s.rounded(x-wide/2-8, y+1, wide+16, 25, 12, paper)
	_, err = s.write(l, name, size, x, y+20, 0.5, most, ink)
	return err
}
