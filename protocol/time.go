package protocol

import (
	"errors"
	"fmt"
	"time"
)

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// FormatTime gives a time as the contract writes them: RFC 3339 in UTC with
// milliseconds; finer parts are cut.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

var errNotRFC3339 = errors.New("not RFC 3339")

// ParseTime reads any RFC 3339 time, strictly, and gives it in UTC.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	// time.Parse also takes hours of one digit, a comma before the fraction and
	// offsets beyond a day, which RFC 3339 does not have.
	if err == nil && !shapedAsRFC3339(s) {
		err = errNotRFC3339
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read a time: want RFC 3339 such as 2026-01-02T03:04:05.678Z: %w", err)
	}
	return t.UTC(), nil
}

// shapedAsRFC3339 checks what time.Parse is lenient with, in a text that it
// took.
func shapedAsRFC3339(s string) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(s) <= seconds || s[len("2006-01-02T15")] != ':' {
		return false
	}
	zone := s[seconds:]
	if zone[0] == '.' {
		digits := 1
		for digits < len(zone) && zone[digits] >= '0' && zone[digits] <= '9' {
			digits++
		}
		zone = zone[digits:]
	}
	if zone == "Z" {
		return true
	}
	return len(zone) == len("+07:00") && zone[1:3] <= "23" && zone[4:] <= "59"
}
