package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
)

// parseError is the JSON-RPC code for invalid JSON.
const parseError = -32700

// lines reads the messages of a client, one on each line. The transport of the SDK ends
// at invalid JSON: here it is answered with an error, and the next line is read.
type lines struct {
	in  *bufio.Reader
	out io.Writer
	// line is the rest of a line for the transport.
	line []byte
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: bufio.NewReader(in), out: out}
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.line) == 0 {
		line, err := l.next()
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0:
		case err == nil && len(line) > sdkmcp.DefaultMaxLineLength, json.Valid(text):
			// The transport refuses a line that is too long.
			l.line = line
			continue
		default:
			if err := l.refuse(text); err != nil {
				return 0, err
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.line)
	l.line = l.line[n:]
	return n, nil
}

// next returns the next line, or the beginning of a line that is too long.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err //nolint:wrapcheck // a reader ends with io.EOF itself
		}
		if len(line) > sdkmcp.DefaultMaxLineLength {
			return line, nil
		}
	}
}

// refuse answers a line of invalid JSON.
func (l *lines) refuse(text []byte) error {
	var value any
	answer, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": parseError, "message": fmt.Sprintf("the line is not JSON: %v", json.Unmarshal(text, &value))},
	})
	if err != nil {
		return fmt.Errorf("answer a line that is not JSON: %w", err)
	}
	if _, err := l.out.Write(append(answer, '\n')); err != nil {
		return fmt.Errorf("answer a line that is not JSON: %w", err)
	}
	return nil
}

// shared is an output for whole lines of several writers. Close leaves it open.
type shared struct {
	mu  sync.Mutex
	out io.Writer
}

// Write implements io.Writer.
func (s *shared) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(line) //nolint:wrapcheck // the transport has words of its own
}

// Close implements io.Closer.
func (s *shared) Close() error { return nil }
