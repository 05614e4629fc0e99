package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
)

// standIn begins the texts that stand for ids that the SDK would change.
const standIn = "playctl:"

// exactIDs passes requests whose ids the SDK would change with a text as the id, and
// answers them with the number as the client wrote it. It also removes a byte order mark,
// and sets the Accept header for clients that do not say what they accept.
func exactIDs(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") == "" {
			r.Header.Set("Accept", "application/json, text/event-stream")
		}
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
			if _, large := errors.AsType[*http.MaxBytesError](err); large {
				http.Error(w, "the body is larger than 4 MiB", http.StatusRequestEntityTooLarge)
				return
			}
			if err != nil {
				http.Error(w, "the body cannot be read", http.StatusBadRequest)
				return
			}
			body = markNumbers(bytes.TrimPrefix(body, byteOrderMark))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		next.ServeHTTP(&unmarking{w}, r)
	})
}

// markNumbers replaces an id that the SDK would change, also that of a request to be
// canceled.
func markNumbers(body []byte) []byte {
	var m, params message
	if json.Unmarshal(body, &m) != nil {
		return body
	}
	changed := m.mark("id")
	if json.Unmarshal(m["params"], &params) == nil && params.mark("requestId") {
		if text, err := json.Marshal(params); err == nil {
			m["params"], changed = text, true
		}
	}
	if text, err := json.Marshal(m); err == nil && changed {
		return text
	}
	return body
}

// mark replaces an id by a text and reports whether that was necessary.
func (m message) mark(member string) bool {
	id := message{"id": m[member]}.id()
	if _, exact := exactID(id); exact || id == nil {
		return false
	}
	m[member] = slices.Concat([]byte(`"`+standIn), id, []byte(`"`))
	return true
}

// unmarking writes answers with the numbers of their requests. The SDK writes each event
// at once.
type unmarking struct{ http.ResponseWriter }

// Unwrap is for http.ResponseController.
func (w *unmarking) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements http.ResponseWriter.
func (w *unmarking) Write(p []byte) (int, error) {
	const begin = `{"jsonrpc":"2.0","id":"` + standIn
	at := bytes.Index(p, []byte("\ndata: "+begin))
	switch {
	case at >= 0:
		at += len("\ndata: ")
	case bytes.HasPrefix(p, []byte(begin)):
		at = 0
	default:
		return w.ResponseWriter.Write(p) //nolint:wrapcheck // it stands for the other writer
	}
	id, rest, _ := bytes.Cut(p[at+len(begin):], []byte(`"`))
	exact := bytes.Join([][]byte{p[:at], []byte(`{"jsonrpc":"2.0","id":`), id, rest}, nil)
	if _, err := w.ResponseWriter.Write(exact); err != nil {
		return 0, err //nolint:wrapcheck // it stands for the other writer
	}
	return len(p), nil
}
