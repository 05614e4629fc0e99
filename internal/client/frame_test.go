package client

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// readFrames reads a stream to its end and returns each frame as one line.
func readFrames(r io.Reader) (frames []string, err error) {
	fr := newFrameReader(r)
	for {
		f, err := fr.next()
		if errors.Is(err, io.EOF) {
			return frames, nil
		}
		if err != nil {
			return frames, err
		}
		frames = append(frames, fmt.Sprintf("%q %v %s %q %v", f.id, f.hasID, f.kind, f.data, f.hasData))
	}
}

func TestFrames(t *testing.T) {
	const event = `"7" true k "d" true`
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"LF":                     {"id: 7\nevent: k\ndata: d\n\n", []string{event}},
		"CR":                     {"id: 7\revent: k\rdata: d\r\r", []string{event}},
		"CRLF":                   {"id: 7\r\nevent: k\r\ndata: d\r\n\r\n", []string{event}},
		"mixed":                  {"id: 7\revent: k\r\ndata: d\n\r", []string{event}},
		"no space":               {"id:7\nevent:k\ndata:d\n\n", []string{event}},
		"two spaces":             {"event:  k\ndata:  d\n\n", []string{`"" false  k " d" true`}},
		"no kind":                {"data: d\n\n", []string{`"" false message "d" true`}},
		"lines of data":          {"data: a\ndata\ndata: b\n\n", []string{`"" false message "a\n\nb" true`}},
		"empty data":             {"data\n\n", []string{`"" false message "" true`}},
		"comments":               {": hello\nid: 7\n: x\nevent: k\ndata: d\n:\n\n: bye\n\n", []string{event}},
		"cursor":                 {"id: 7\n\n", []string{`"7" true message "" false`}},
		"empty id":               {"id\n\n", []string{`"" true message "" false`}},
		"kind without data":      {"event: k\n\ndata: d\n\n", []string{`"" false message "d" true`}},
		"id with NUL":            {"id: 7\x00\ndata: d\n\n", []string{`"" false message "d" true`}},
		"unknown field":          {"color: red\nid: 7\nevent: k\ndata: d\n\n", []string{event}},
		"byte order mark":        {"\uFEFFid: 7\nevent: k\ndata: d\n\n", []string{event}},
		"second byte order mark": {"\uFEFF\uFEFFid: 7\nevent: k\ndata: d\n\n", []string{`"" false k "d" true`}},
		"unfinished":             {"id: 7\nevent: k\ndata: d\n\ndata: lost\n", []string{event}},
		"colon in the value":     {"data: a: b\n\n", []string{`"" false message "a: b" true`}},
		"nothing":                {"", nil},
		"blank lines":            {"\n\r\n\r\r\n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for way, r := range map[string]io.Reader{
				"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
			} {
				got, err := readFrames(r)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("%s: %q, %v; want %q", way, got, err, c.want)
				}
			}
		})
	}
}

// A line that ends with CR is complete immediately: its LF may be the first byte
// after a long silence.
func TestLineThatEndsWithCRDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	got := make(chan frame)
	go func() {
		f, err := newFrameReader(r).next()
		if err != nil {
			t.Error(err)
		}
		got <- f
	}()
	if _, err := io.WriteString(w, "data: d\r\n\r"); err != nil {
		t.Fatal(err)
	}
	if f := <-got; string(f.data) != "d" {
		t.Errorf("got %q", f.data)
	}
	_ = w.Close()
}

func TestRetryField(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"2000": 2 * time.Second, "0": time.Millisecond, "-1": 0, "1.5": 0, "": 0, "1e3": 0,
		"99999999999999999999999999": 24 * time.Hour, "86400001": 24 * time.Hour,
	} {
		fr := newFrameReader(strings.NewReader("retry: " + text + "\ndata\n\n"))
		if _, err := fr.next(); err != nil {
			t.Fatal(err)
		}
		if fr.retry != want {
			t.Errorf("retry: %s is %v, want %v", text, fr.retry, want)
		}
	}
}

// endless repeats a text forever and counts the bytes read.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text[(e.read+n)%len(e.text):])
	}
	e.read += n
	return n, nil
}

// A hostile host cannot exhaust memory: every kind of endless frame ends with an
// error soon after the limit.
func TestEndlessFrameIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"a line": "x", "data": "data: 0123456789\n", "unknown fields": "x: y\n", "a comment": ": x",
		"ids": "id: 1\n", "a kind": "event:",
	} {
		source := &endless{text: text}
		fr := newFrameReader(source)
		fr.limit = 1 << 16
		if _, err := fr.next(); !errors.Is(err, ErrFrame) {
			t.Errorf("%s: %v, want ErrFrame", name, err)
		}
		if source.read > 1<<18 {
			t.Errorf("%s: %d bytes were read", name, source.read)
		}
		if len(fr.line) > 1<<17 {
			t.Errorf("%s: a line of %d bytes is kept", name, len(fr.line))
		}
	}
}

// Heartbeats do not count toward a frame's size, however many arrive.
func TestHeartbeatsDoNotCount(t *testing.T) {
	fr := newFrameReader(strings.NewReader(strings.Repeat(": alive\n", 1000) + "data: d\n\n"))
	fr.limit = 100
	if f, err := fr.next(); err != nil || string(f.data) != "d" {
		t.Errorf("got %q, %v", f.data, err)
	}
}

func TestFramesMustBeUTF8(t *testing.T) {
	for _, text := range []string{"data: \xff\n\n", "event: \xff\ndata: d\n\n", "id: \xff\n\n"} {
		if _, err := readFrames(strings.NewReader(text)); !errors.Is(err, ErrFrame) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzFrames compares the reader with a slow implementation, and with itself when
// the bytes arrive one by one.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		"id: 7\nevent: k\ndata: d\n\n", "data: a\rdata: b\r\n\r\n", ":c\nid\n\nretry: 5\n\n", "\uFEFFdata:x\n\n", "id: 1\x00\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readFrames(strings.NewReader(text))
		slow, slowErr := readFrames(iotest.OneByteReader(strings.NewReader(text)))
		if fmt.Sprint(got) != fmt.Sprint(slow) || (err == nil) != (slowErr == nil) {
			t.Fatalf("at once %q, %v; byte by byte %q, %v", got, err, slow, slowErr)
		}
		if want := defineFrames(text); err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// defineFrames parses an event stream by splitting the whole text.
func defineFrames(text string) (frames []string) {
	text = strings.TrimPrefix(text, "\uFEFF")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	var id, kind string
	var data []string
	hasID := false
	for _, line := range lines[:len(lines)-1] {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if hasID || data != nil {
				if kind == "" {
					kind = "message"
				}
				frames = append(frames, fmt.Sprintf("%q %v %s %q %v", id, hasID, kind, strings.Join(data, "\n"), data != nil))
			}
			id, kind, data, hasID = "", "", nil, false
		case name == "id" && !strings.Contains(value, "\x00"):
			id, hasID = value, true
		case name == "event":
			kind = value
		case name == "data":
			data = append(data, value)
		}
	}
	return frames
}
