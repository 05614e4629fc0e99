package render

import (
	"fmt"
	"time"
)

// slack is how far another machine's clock may be ahead, or how long a result may
// have taken since Now was read, before a recent time is shown as a future one.
const slack = time.Minute

// Age returns how long before now a time was, or how long after, in one unit: "just
// now", "12 s ago", "in 3 min", "5 h ago", "2 days ago". Beyond 30 days it is the
// date. The zero time is "never".
func (l Look) Age(moment time.Time) string {
	if moment.IsZero() {
		return "never"
	}
	between := l.Now.Sub(moment)
	shape := "%s ago"
	if between < 0 && between > -slack {
		between = 0
	}
	if between < 0 {
		between, shape = -between, "in %s"
	}
	switch {
	case between < time.Second:
		return "just now"
	case between >= 30*24*time.Hour:
		return moment.In(l.zone()).Format(time.DateOnly)
	}
	return fmt.Sprintf(shape, Span(between))
}

// AgeOf is Age of an RFC 3339 text of the protocol; any other text is returned
// cleaned.
func (l Look) AgeOf(text string) string {
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return Clean(text)
	}
	return l.Age(moment)
}

// Span returns a duration in its largest unit, rounded down: "250 ms", "12 s", "3
// min", "5 h", "1 day", "2 days".
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d < 2*day:
		return "1 day"
	}
	return fmt.Sprintf("%d days", d/day)
}

// Clock returns the time of day of an RFC 3339 text, to the second, in the look's
// zone. It is always 8 columns wide: for a text that is not a time it returns
// blanks.
func (l Look) Clock(text string) string {
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "        "
	}
	return moment.In(l.zone()).Format(time.TimeOnly)
}

func (l Look) zone() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}
	return l.Zone
}
