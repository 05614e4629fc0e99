package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// message has the members of a JSON-RPC message.
type message map[string]json.RawMessage

// receive accepts the messages of a line. Its errors are those of the output.
func (c *session) receive(l line) error {
	text := bytes.TrimSpace(bytes.TrimPrefix(l.text, byteOrderMark))
	switch {
	case l.long:
		return c.answer(nil, failure(idWithin(text), jsonrpc.CodeInvalidRequest, "the line is longer than %d bytes", longestLine))
	case !utf8.Valid(text):
		return c.answer(nil, failure(idWithin(bytes.ToValidUTF8(text, nil)), jsonrpc.CodeParseError, "the line is not UTF-8"))
	}
	for values := json.NewDecoder(bytes.NewReader(text)); ; {
		var value json.RawMessage
		at := values.InputOffset()
		err := values.Decode(&value)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return c.answer(nil, failure(idWithin(text[at:]), jsonrpc.CodeParseError, "the line is not JSON: %v", err))
		}
		if value[0] == '[' {
			err = c.acceptBatch(value)
		} else {
			err = c.accept(value, nil)
		}
		if err != nil {
			return err
		}
	}
}

// acceptBatch accepts a list of messages, which some versions of the protocol have.
func (c *session) acceptBatch(list json.RawMessage) error {
	var values []json.RawMessage
	if err := json.Unmarshal(list, &values); err != nil || len(values) == 0 {
		return c.answer(nil, failure(nil, jsonrpc.CodeInvalidRequest, "the list of messages is empty"))
	}
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if version < withoutBatches {
		b := &batch{left: len(values)}
		for _, value := range values {
			if err := c.accept(value, b); err != nil {
				return err
			}
		}
		return nil
	}
	const problem = "version %s of the protocol has no lists of messages: send each on a line of its own"
	var ids []json.RawMessage
	for _, value := range values {
		var m message
		if json.Unmarshal(value, &m) == nil && m.id() != nil && m["method"] != nil {
			ids = append(ids, m.id())
		}
	}
	if len(ids) == 0 {
		ids = append(ids, nil)
	}
	for _, id := range ids {
		if err := c.answer(nil, failure(id, jsonrpc.CodeInvalidRequest, problem, version)); err != nil {
			return err
		}
	}
	return nil
}

// accept passes a message to the SDK, or answers it if it is not one.
func (c *session) accept(value json.RawMessage, b *batch) error {
	var m message
	if json.Unmarshal(value, &m) != nil || m == nil {
		return c.answer(b, failure(nil, jsonrpc.CodeInvalidRequest, "a message is an object"))
	}
	if m["method"] == nil && (m["result"] != nil || m["error"] != nil) {
		// The SDK ignores an answer to no request of its own; one without an id is to an error
		// here, and has no reader.
		if answer, err := jsonrpc.DecodeMessage(value); err == nil {
			c.queue = append(c.queue, answer)
		}
		return c.answer(b, nil)
	}
	method, problem := m.method()
	if problem != "" {
		return c.answer(b, failure(m.id(), jsonrpc.CodeInvalidRequest, "%s", problem))
	}
	if string(m["params"]) == "null" {
		delete(m, "params")
	}
	// Some clients write null where a notification has no id.
	if m["id"] == nil || string(m["id"]) == "null" && strings.HasPrefix(method, notifications) {
		return c.acceptNotification(method, m["params"], b)
	}
	id := m.id()
	if id == nil {
		return c.answer(b, failure(nil, jsonrpc.CodeInvalidRequest, "the id of a request is a text or a number"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	own, ok := exactID(id)
	for ; !ok || c.open[own] != nil; ok = true {
		c.last++
		own, _ = jsonrpc.MakeID(fmt.Sprint(standIn, c.last)) // a text is valid
	}
	c.open[own] = &request{id: id, method: method, batch: b}
	c.queue = append(c.queue, &jsonrpc.Request{ID: own, Method: method, Params: m["params"]})
	return nil
}

func (c *session) acceptNotification(method string, params json.RawMessage, b *batch) error {
	if method != methodCancelled {
		c.queue = append(c.queue, &jsonrpc.Request{Method: method, Params: params})
		return c.answer(b, nil)
	}
	var which struct {
		ID json.RawMessage `json:"requestId"`
	}
	if err := json.Unmarshal(params, &which); err == nil && which.ID != nil {
		if err := c.cancel(which.ID); err != nil {
			return err
		}
	}
	return c.answer(b, nil)
}

// method returns the method of a request or a notification, or says why there is none.
func (m message) method() (method, problem string) {
	var version string
	switch {
	case json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0":
		return "", "the message has no \"jsonrpc\": \"2.0\""
	case json.Unmarshal(m["method"], &method) != nil || method == "":
		return "", "the message has no method"
	}
	return method, ""
}

// id returns the id of a message as it is written, nil if it has none that is valid.
func (m message) id() json.RawMessage {
	if id := m["id"]; id != nil && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
		return id
	}
	return nil
}

// mostExact is the greatest integer that the SDK, which reads numbers as floats, does not
// change.
const mostExact = 1 << 53

// exactID returns an id as the SDK has it; ok is false if the SDK would change it.
func exactID(id json.RawMessage) (own jsonrpc.ID, ok bool) {
	var text string
	var value any
	if json.Unmarshal(id, &text) == nil {
		value = text
	} else {
		number, err := strconv.ParseInt(string(id), 10, 64)
		if err != nil || number < -mostExact || number > mostExact || string(id) == "-0" {
			return jsonrpc.ID{}, false
		}
		value = float64(number)
	}
	own, err := jsonrpc.MakeID(value)
	return own, err == nil
}

// idWithin returns the id of a message whose end is missing or is not JSON, so that its
// sender does not wait for an answer; nil if it was not found.
func idWithin(text []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(text))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil
	}
	for {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if name == "id" {
			return message{"id": value}.id()
		}
	}
}

// cancel cancels the open requests with an id. As the protocol says, one that is not open
// is ignored, and so is the first request of a session.
func (c *session) cancel(id json.RawMessage) error {
	c.mu.Lock()
	var done []*batch
	for own, r := range c.open {
		if r.settled || r.method == methodInitialize || !sameID(r.id, id) {
			continue
		}
		params, err := json.Marshal(map[string]any{"requestId": own.Raw()})
		if err != nil {
			continue
		}
		r.settled = true
		done = append(done, r.batch)
		c.queue = append(c.queue, &jsonrpc.Request{Method: methodCancelled, Params: params})
	}
	c.mu.Unlock()
	for _, b := range done {
		if err := c.answer(b, nil); err != nil {
			return err
		}
	}
	return nil
}

// sameID compares ids; a text may be written in several ways.
func sameID(a, b json.RawMessage) bool {
	var text, other string
	if json.Unmarshal(a, &text) == nil && json.Unmarshal(b, &other) == nil {
		return text == other
	}
	return bytes.Equal(a, b)
}
