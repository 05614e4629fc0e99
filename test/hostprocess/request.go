package hostprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/playctl/playctl/protocol"
)

// Node is a caller with its credentials. Its fields are never printed.
type Node struct {
	// ID and Hash are the node's id and passwHash; empty for none.
	ID, Hash string
	// APIKey is the key of its account.
	APIKey string
	// AdminToken makes it the administrator.
	AdminToken string
}

// Request is one request of a node.
type Request struct {
	Method, Path string
	// Key is the idempotency key, "" for none.
	Key string
	// MinRev requests an answer from at least that rev; 0 for any.
	MinRev uint64
	// Body is encoded as JSON; nil for none.
	Body any
}

// Answer is the answer of a host.
type Answer struct {
	Status int
	// Code is the code of a refusal.
	Code protocol.Code
	// Rev is the rev of the answer, 0 if it states none.
	Rev    uint64
	Header http.Header
	Body   []byte
}

// OK reports whether the answer is not a refusal.
func (a *Answer) OK() bool { return a.Status == http.StatusOK }

// Decode decodes the body into v.
func (a *Answer) Decode(v any) error {
	if err := json.Unmarshal(a.Body, v); err != nil {
		return fmt.Errorf("reading an answer: %w", err)
	}
	return nil
}

// Do sends a request to the host at a URL, once. An error means that there was no
// answer.
func (n Node) Do(ctx context.Context, client *http.Client, url string, r Request) (*Answer, error) {
	req, err := n.request(ctx, url, r)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer to %s %s: %w", r.Method, r.Path, err)
	}
	a := &Answer{Status: res.StatusCode, Header: res.Header, Body: text}
	if rev := res.Header.Get(protocol.HeaderRev); rev != "" {
		if a.Rev, err = strconv.ParseUint(rev, 10, 64); err != nil {
			return nil, fmt.Errorf("%s %s is of rev %q: %w", r.Method, r.Path, rev, err)
		}
	}
	if !a.OK() {
		a.Code = protocol.ParseErrorBody(a.Status, text).Code
	}
	return a, nil
}

func (n Node) request(ctx context.Context, url string, r Request) (*http.Request, error) {
	var body io.Reader = http.NoBody
	if r.Body != nil {
		b, err := json.Marshal(r.Body)
		if err != nil {
			return nil, fmt.Errorf("encoding the body of %s: %w", r.Path, err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, url+r.Path, body)
	if err != nil {
		return nil, fmt.Errorf("making a request for %s: %w", r.Path, err)
	}
	set := func(name, value string) {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	set(protocol.HeaderNodeID, n.ID)
	set(protocol.HeaderNodePassw, n.Hash)
	set(protocol.HeaderAPIKey, n.APIKey)
	set(protocol.HeaderIdempotencyKey, r.Key)
	if n.AdminToken != "" {
		set("Authorization", "Bearer "+n.AdminToken)
	}
	if r.Body != nil {
		set("Content-Type", protocol.MediaTypeJSON)
	}
	if r.MinRev > 0 {
		set(protocol.HeaderMinRev, strconv.FormatUint(r.MinRev, 10))
	}
	return req, nil
}
