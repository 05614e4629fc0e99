package protocol_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

func TestFormatTime(t *testing.T) {
	for want, at := range map[string]time.Time{
		"2026-01-02T03:04:05.678Z": time.Date(2026, 1, 2, 3, 4, 5, 678_999_999, time.UTC),
		"2026-01-02T03:04:05.000Z": time.Date(2026, 1, 2, 5, 4, 5, 0, time.FixedZone("", 2*60*60)),
		"0001-01-01T00:00:00.000Z": {},
	} {
		if got := protocol.FormatTime(at); got != want {
			t.Errorf("FormatTime(%v) = %s, want %s", at, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, s := range []string{
		"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z", "2026-01-02T05:34:05+02:30",
		"2026-01-01T23:04:05-04:00", "2026-01-02T03:04:05.000000000000Z", "2026-01-02T03:04:05-00:00",
	} {
		got, err := protocol.ParseTime(s)
		if err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("ParseTime(%s) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{
		"", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-1-2T03:04:05Z",
		"2026-01-02T3:04:05Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.Z", "2026-02-30T03:04:05Z",
		"2026-01-02T24:00:00Z", "2026-01-02T03:04:61Z", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+02:60",
		"2026-01-02T03:04:05+0200", "2026-01-02T03:04:05+02", "2026-01-02T03:04:05Zx", " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05z ",
	} {
		if got, err := protocol.ParseTime(s); err == nil {
			t.Errorf("ParseTime(%q) = %v, want an error", s, got)
		}
	}
}

func TestTimeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 253_402_300_799_999).Draw(t, "ms")
		at := time.UnixMilli(ms)
		text := protocol.FormatTime(at)
		got, err := protocol.ParseTime(text)
		if err != nil || !got.Equal(at) {
			t.Fatalf("%v became %s became %v, %v", at, text, got, err)
		}
	})
}

func FuzzParseTime(f *testing.F) {
	f.Add("2026-01-02T03:04:05.678Z")
	f.Add("2026-01-02T03:04:05+02:00")
	f.Add("2026-01-02T3:04:05,1+99:99")
	f.Fuzz(func(t *testing.T, s string) {
		at, err := protocol.ParseTime(s)
		if err != nil {
			return
		}
		if y := at.Year(); y < 0 || y > 9999 {
			return // an offset moved it out of the range that can be written
		}
		again, err := protocol.ParseTime(protocol.FormatTime(at))
		if err != nil || !again.Equal(at.Truncate(time.Millisecond)) {
			t.Errorf("%q is %v, written and read again %v, %v", s, at, again, err)
		}
	})
}
