package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// stream is a host that sends one event stream.
type stream struct{ body []byte }

// RoundTrip responds to the routes that a stream needs.
func (s stream) RoundTrip(r *http.Request) (*http.Response, error) {
	kind, body := protocol.MediaTypeJSON, []byte(`{"sid":"s","rev":1,"seq":1,"capabilities":["resume"]}`)
	if strings.HasSuffix(r.URL.Path, "/events") {
		kind, body = protocol.MediaTypeSSE, s.body
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}, nil
}

// signalsOfLine returns the Go client's reports about a stream until its end.
func signalsOfLine(line []byte) ([]string, error) {
	body, err := base64.StdEncoding.AppendDecode(nil, line)
	if err != nil {
		return nil, fmt.Errorf("a line is no base64: %w", err)
	}
	c, err := client.New(client.Options{BaseURL: "http://127.0.0.1:9", Transport: stream{body}})
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	events := c.Events(context.Background(), client.StreamOptions{})
	var said []string
	for signal := range events.All() {
		switch signal.Type {
		case client.SignalConnecting, client.SignalOpen:
		case client.SignalCursor:
			said = append(said, fmt.Sprint("cursor ", signal.Cursor))
		case client.SignalEvent:
			said = append(said, eventText(&signal.Event))
		case client.SignalLost:
			return append(said, endText(signal.Err)), nil
		}
	}
	return nil, errors.New("a stream ended")
}

func eventText(e *client.Event) string {
	at := "nowhere"
	if e.HasSeq {
		at = strconv.FormatUint(e.Seq, 10)
	}
	data := "broken"
	if _, err := protocol.ParseObject(e.Data); err == nil {
		if canonical, err := chain.Canonicalize(nil, e.Data); err == nil {
			data = string(canonical)
		}
	}
	return fmt.Sprintf("event %s %s %s", e.Kind, at, data)
}

func endText(err error) string {
	switch {
	case err == nil:
		return "end"
	case errors.Is(err, client.ErrFrame):
		return "broken"
	}
	return err.Error()
}
