package render

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"pgregory.net/rapid"
)

func TestUseColor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		mode     ColorMode
		env      map[string]string
		terminal bool
		want     bool
	}{
		{"a terminal has color", ColorAuto, nil, true, true},
		{"a pipe has none", ColorAuto, nil, false, false},
		{"the flag overrides the pipe", ColorAlways, map[string]string{"NO_COLOR": "1"}, false, true},
		{"the flag overrides the terminal", ColorNever, map[string]string{"CLICOLOR_FORCE": "1"}, true, false},
		{"NO_COLOR of any value", ColorAuto, map[string]string{"NO_COLOR": "no"}, true, false},
		{"NO_COLOR overrides force", ColorAuto, map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, true, false},
		{"an empty NO_COLOR is ignored", ColorAuto, map[string]string{"NO_COLOR": ""}, true, true},
		{"force colors a pipe", ColorAuto, map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
		{"force of 0 is ignored", ColorAuto, map[string]string{"CLICOLOR_FORCE": "0"}, false, false},
		{"a dumb terminal has none", ColorAuto, map[string]string{"TERM": "dumb"}, true, false},
		{"CLICOLOR of 0", ColorAuto, map[string]string{"CLICOLOR": "0"}, true, false},
	}
	for _, test := range tests {
		env := func(name string) string { return test.env[name] }
		if got := UseColor(test.mode, env, test.terminal); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	look := Look{Now: noon}
	for before, want := range map[time.Duration]string{
		0:                     "just now",
		12 * time.Second:      "12 s ago",
		3*time.Minute + 59e9:  "3 min ago",
		5 * time.Hour:         "5 h ago",
		25 * time.Hour:        "1 day ago",
		49 * time.Hour:        "2 days ago",
		-3 * time.Second:      "just now", // by the clock of another machine
		-2 * time.Minute:      "in 2 min",
		31 * 24 * time.Hour:   "2026-02-01",
		300 * time.Nanosecond: "just now",
	} {
		if got := look.Age(noon.Add(-before)); got != want {
			t.Errorf("%s before: got %q, want %q", before, got, want)
		}
	}
	if got := look.Age(time.Time{}); got != "never" {
		t.Errorf("the zero time: %q", got)
	}
	if got := look.AgeOf("2026-03-04T11:00:00.000Z"); got != "1 h ago" {
		t.Errorf("a text: %q", got)
	}
	if got := look.AgeOf("tomorrow\x07"); got != "tomorrow\uFFFD" {
		t.Errorf("no time: %q", got)
	}
	zoned := Look{Zone: time.FixedZone("", 3600)}
	if got := zoned.Clock("2026-03-04T11:00:00.000Z"); got != "12:00:00" {
		t.Errorf("a clock: %q", got)
	}
}

// Whatever a name contains, it stays on its line and controls nothing.
func TestCleanRemovesControlCharacters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		clean := Clean(text)
		for _, r := range clean {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
				t.Fatalf("%q left %q", text, r)
			}
		}
		if strings.ToValidUTF8(clean, "") != clean {
			t.Fatalf("%q is not UTF-8", clean)
		}
		if Clean(clean) != clean {
			t.Fatalf("cleaning %q again changes it", clean)
		}
	})
}

func label(text string) func() string { return func() string { return text } }

// A spinner shows nothing for a short wait, something for a long one, and clears
// its line at the end.
func TestSpin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		stop := Spin(&out, Look{}, label("Waiting"))
		<-time.After(spinnerDelay - 1)
		stop()
		if out.Len() != 0 {
			t.Errorf("a short wait showed %q", out.String())
		}
		stop = Spin(&out, Look{}, label("Waiting\x1b[2J"))
		<-time.After(spinnerDelay + spinnerStep/2)
		stop()
		stop()
		if want := "\r\x1b[K⠋ Waiting\uFFFD[2J\r\x1b[K"; out.String() != want {
			t.Errorf("a long wait showed %q, want %q", out.String(), want)
		}
	})
}
