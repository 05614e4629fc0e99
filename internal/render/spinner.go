package render

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// spinnerDelay is the least wait with a spinner, and spinnerStep how long each
// picture is shown.
const (
	spinnerDelay = 150 * time.Millisecond
	spinnerStep  = 100 * time.Millisecond
)

var spinnerPictures = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Spin shows a spinner on a terminal once a wait has lasted longer than a blink,
// and returns the function that ends it and clears its line. The caller must call
// it; it returns when nothing will be written any more, and may be called twice.
// label is called for each picture; out must be a terminal.
func Spin(out io.Writer, look Look, label func() string) (stop func()) {
	done := make(chan struct{})
	var owned sync.WaitGroup
	owned.Go(func() { spin(out, look, label, done) })
	return sync.OnceFunc(func() {
		close(done)
		owned.Wait()
	})
}

func spin(out io.Writer, look Look, label func() string, done <-chan struct{}) {
	delay := time.NewTimer(spinnerDelay)
	defer delay.Stop()
	select {
	case <-done:
		return
	case <-delay.C:
	}
	ticker := time.NewTicker(spinnerStep)
	defer ticker.Stop()
	for picture := 0; ; picture = (picture + 1) % len(spinnerPictures) {
		// A failed write to the terminal is no reason to stop the work.
		_, _ = fmt.Fprintf(out, "\r\x1b[K%s %s", look.Accent(spinnerPictures[picture]), tail(Clean(label()), look.Width-len("⠋ ")))
		select {
		case <-done:
			_, _ = io.WriteString(out, "\r\x1b[K")
			return
		case <-ticker.C:
		}
	}
}

// tail returns the end of a text that is too long for a line; a width of less than
// 1 is no limit.
func tail(text string, width int) string {
	if over := ansi.StringWidth(text) - width; width > 0 && over > 0 {
		return ansi.TruncateLeft(text, over+1, "…")
	}
	return text
}
