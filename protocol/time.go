package protocol

import (
	"fmt"
	"time"
)

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// FormatTime gives a time as the contract writes them: RFC 3339 in UTC with
// milliseconds; finer parts are cut.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// ParseTime reads any RFC 3339 time, strictly, and gives it in UTC.
func ParseTime(s string) (time.Time, error) {
	var t time.Time
	// time.Parse takes some texts that RFC 3339 does not have; this does not.
	if err := t.UnmarshalText([]byte(s)); err != nil {
		return time.Time{}, fmt.Errorf("read a time: want RFC 3339 such as 2026-01-02T03:04:05.678Z: %w", err)
	}
	return t.UTC(), nil
}
