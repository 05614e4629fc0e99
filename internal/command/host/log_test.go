package host

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/command"
)

// The log of requests has text from strangers: it contains no control characters that a
// terminal acts on, and programs read the original text.
func TestHostileTextInLog(t *testing.T) {
	const hostile = "/a\x1b]52;c;eA==\a\u009b2J\u202eb\u2066\x7f\u0085"
	for _, format := range []string{"text", "json"} {
		var out strings.Builder
		log, err := logger(&command.App{Program: &command.Program{Stderr: &out}}, &serveSettings{logLevel: "info", logFormat: format})
		if err != nil {
			t.Fatal(err)
		}
		log.Info("request", "path", hostile)
		if strings.ContainsAny(out.String(), "\x1b\a\u009b\u202e\u2066\x7f\u0085") {
			t.Errorf("%s: the log is %q", format, out.String())
		}
		var line struct{ Path string }
		if format == "json" && (json.Unmarshal([]byte(out.String()), &line) != nil || line.Path != hostile) {
			t.Errorf("the line is read as %q", line.Path)
		}
	}
}
