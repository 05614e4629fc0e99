package otel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Rejected counts the spans of requests that were not kept, by reason.
type Rejected struct {
	// NoID counts spans without valid ids, and Base64 those of them with ids in base64,
	// which the program From reported.
	NoID, Base64 int
	From         string
	// Large counts spans with more parts than a span may have, and Full those beyond the
	// limits of the collector.
	Large, Full int
}

// Total returns the number of rejected spans.
func (r *Rejected) Total() int { return r.NoID + r.Large + r.Full }

// Why states the reasons, for the program that sent the spans.
func (r *Rejected) Why() string {
	var why []string
	for _, one := range []struct {
		reason string
		count  int
	}{
		{"spans with ids in base64, which OTLP has in hex in JSON", r.Base64},
		{"spans without valid ids", r.NoID - r.Base64},
		{"spans with " + errManyParts.Error(), r.Large},
		{"spans beyond those that a trace may have, or that are kept", r.Full},
	} {
		if one.count > 0 {
			why = append(why, fmt.Sprintf("%s: %d", one.reason, one.count))
		}
	}
	return strings.Join(why, "; ")
}

// Reader reads the spans of requests one after the other, so that only one is unpacked at
// a time, and passes them on in portions.
type Reader struct {
	// Content includes prompts, arguments and results.
	Content bool
	// Take gets the spans, at most portion of them at once. An error ends the reading.
	Take func(spans []*Span) error

	rejected Rejected
	one      wireSpan
	spans    []*Span
	service  string
	scope    string
}

// portion bounds the spans that are passed on at once.
const portion = 256

// Proto reads the body of an OTLP request in protobuf. An error of Take is returned
// unchanged.
func (r *Reader) Proto(body []byte) (Rejected, error) {
	err := fields(body, 1, func(body []byte) error {
		var of resource
		if err := fields(body, 1, func(body []byte) error { return unpack(body, &of) }); err != nil {
			return err
		}
		r.service = of.Attributes.text("service.name")
		return fields(body, 2, r.protoScope)
	})
	return r.finish(err)
}

func (r *Reader) protoScope(body []byte) error {
	var of scope
	if err := fields(body, 1, func(body []byte) error { return unpack(body, &of) }); err != nil {
		return err
	}
	r.scope = clean(of.Name)
	return fields(body, 2, func(body []byte) error {
		r.one = wireSpan{}
		return r.add(unpack(body, &r.one))
	})
}

// JSON reads the body of an OTLP request in JSON. An error of Take is returned unchanged.
func (r *Reader) JSON(body []byte) (Rejected, error) {
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	if !jsontext.Value(body).IsValid(lenient...) {
		return Rejected{}, errNotOTLP
	}
	err := members(body, "resourceSpans", true, func(body []byte) error {
		var of resource
		err := members(body, "resource", false, func(value []byte) error { return unmarshal(value, &of) })
		if err != nil {
			return err
		}
		r.service = of.Attributes.text("service.name")
		return members(body, "scopeSpans", true, r.jsonScope)
	})
	return r.finish(err)
}

func (r *Reader) jsonScope(body []byte) error {
	var of scope
	if err := members(body, "scope", false, func(value []byte) error { return unmarshal(value, &of) }); err != nil {
		return err
	}
	r.scope = clean(of.Name)
	return members(body, "spans", true, func(body []byte) error {
		r.one = wireSpan{}
		return r.add(unmarshal(body, &r.one))
	})
}

// add passes on the span that was unpacked last, with an error or nil.
func (r *Reader) add(err error) error {
	from := &r.one
	switch {
	case errors.Is(err, errManyParts):
		r.rejected.Large++
		return nil
	case err != nil:
		return err
	}
	s := read(from, r.service, r.scope, r.Content)
	if s == nil {
		r.rejected.NoID++
		if from.TraceID.base64 || from.SpanID.base64 {
			r.rejected.Base64++
			r.rejected.From = r.service
		}
		return nil
	}
	if r.spans = append(r.spans, s); len(r.spans) < portion {
		return nil
	}
	return r.pass()
}

func (r *Reader) pass() error {
	spans := r.spans
	r.spans = nil
	if len(spans) == 0 {
		return nil
	}
	return r.Take(spans)
}

func (r *Reader) finish(err error) (Rejected, error) {
	if err == nil {
		err = r.pass()
	}
	return r.rejected, err
}

// fields passes each message in a field of a message to next.
func fields(body []byte, number uint32, next func([]byte) error) error {
	return unpack(body, visitor(func(f *field) error {
		if f.FieldNum != number {
			return nil
		}
		inside, ok := f.MessageData()
		if !ok {
			return wrongType(f)
		}
		return next(inside)
	}))
}

// visitor is a message whose fields are passed to a function.
type visitor func(f *field) error

func (v visitor) take(f *field) error { return v(f) }

// lenient are the options of requests: programs also send names twice and texts that are
// not UTF-8.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// errNotOTLP is the error of a body that is JSON but no OTLP request.
var errNotOTLP = errors.New("the body is not an OTLP request in JSON")

// members passes the values of a name in a JSON object to next, or each of the elements of
// such a value.
func members(object []byte, name string, elements bool, next func([]byte) error) error {
	// A decoder reads a bytes.Buffer without a copy.
	d := jsontext.NewDecoder(bytes.NewBuffer(object), lenient...)
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return errNotOTLP
	}
	for d.PeekKind() == '"' {
		found, err := d.ReadToken()
		if err != nil {
			return errNotOTLP
		}
		if found.String() != name || d.PeekKind() == 'n' {
			if d.SkipValue() != nil {
				return errNotOTLP
			}
			continue
		}
		if elements {
			err = each(d, next)
		} else {
			err = one(d, next)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return errNotOTLP
	}
	return nil
}

// each passes the elements of an array to next.
func each(d *jsontext.Decoder, next func([]byte) error) error {
	if start, err := d.ReadToken(); err != nil || start.Kind() != '[' {
		return errNotOTLP
	}
	for d.PeekKind() != ']' {
		if err := one(d, next); err != nil {
			return err
		}
	}
	_, _ = d.ReadToken()
	return nil
}

func one(d *jsontext.Decoder, next func([]byte) error) error {
	value, err := d.ReadValue()
	if err != nil {
		return errNotOTLP
	}
	return next(value)
}

// unmarshal reads a JSON value with at most mostPartsJSON parts: also one in a text, such
// as messages.
func unmarshal(value []byte, into any) error {
	inText, parts := false, 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			inText = !inText
		case c == '\\':
			i++
		case !inText && (c == '{' || c == '[' || c == ','):
			parts++
		}
	}
	if parts > mostPartsJSON {
		return errManyParts
	}
	if json.Unmarshal(value, into) != nil {
		return errNotOTLP
	}
	return nil
}
