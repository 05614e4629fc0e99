package otel

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/VictoriaMetrics/easyproto"
)

// mostParts bounds the attributes, values and events of one span, which take many times
// their bytes of memory once they are unpacked. A part of JSON has up to four of the
// characters that are counted there.
const (
	mostParts     = 1 << 15
	mostPartsJSON = 4 * mostParts
)

var errManyParts = fmt.Errorf("more than %d attributes, values and events", mostParts)

// resource is the program that reports spans.
type resource struct {
	Attributes attributes `json:"attributes"`
}

// scope is the library that reports spans.
type scope struct {
	Name string `json:"name"`
}

// wireSpan is a span as it is reported.
type wireSpan struct {
	TraceID           hexID      `json:"traceId"`
	SpanID            hexID      `json:"spanId"`
	ParentSpanID      hexID      `json:"parentSpanId"`
	Name              string     `json:"name"`
	Kind              enum       `json:"kind"`
	StartTimeUnixNano number     `json:"startTimeUnixNano"`
	EndTimeUnixNano   number     `json:"endTimeUnixNano"`
	Attributes        attributes `json:"attributes"`
	Events            []event    `json:"events"`
	Status            status     `json:"status"`
}

// These are values of Kind and of the code of a status.
const (
	kindServer = 2
	codeError  = 2
)

type event struct {
	Name       string     `json:"name"`
	Attributes attributes `json:"attributes"`
}

type status struct {
	Message string `json:"message"`
	Code    enum   `json:"code"`
}

// attributes are the attributes of a span or a resource.
type attributes []attribute

type attribute struct {
	Key   string   `json:"key"`
	Value anyValue `json:"value"`
}

// anyValue is the value of an attribute. At most one field is set: none for an empty
// value and for bytes.
type anyValue struct {
	StringValue *string   `json:"stringValue"`
	BoolValue   *bool     `json:"boolValue"`
	IntValue    *number   `json:"intValue"`
	DoubleValue *double   `json:"doubleValue"`
	ArrayValue  *anyArray `json:"arrayValue"`
	KvlistValue *anyMap   `json:"kvlistValue"`
}

type anyArray struct {
	Values []anyValue `json:"values"`
}

type anyMap struct {
	Values attributes `json:"values"`
}

// enum is a kind of a span or the code of a status. OTLP has a number in JSON, and the JSON
// of protobuf a name.
type enum int32

// UnmarshalJSON implements json.Unmarshaler.
func (e *enum) UnmarshalJSON(text []byte) error {
	switch name := strings.Trim(string(text), `"`); name {
	case "SPAN_KIND_SERVER":
		*e = kindServer
	case "STATUS_CODE_ERROR":
		*e = codeError
	default:
		parsed, _ := strconv.ParseInt(name, 10, 32) // another one makes no difference
		*e = enum(parsed)
	}
	return nil
}

// number is an integer of 64 bits, which JSON has as a text or a number. One that is too
// large is the largest.
type number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	parsed, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("not an integer: %w", err)
	}
	*n = number(parsed)
	return nil
}

// double is a floating-point number, which JSON has as a number or, if it is infinite or
// none, as a text.
type double float64

// UnmarshalJSON implements json.Unmarshaler.
func (d *double) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	parsed, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err != nil {
		return fmt.Errorf("not a number: %w", err)
	}
	*d = double(parsed)
	return nil
}

// hexID is the id of a trace or a span, hex in JSON; empty if it is malformed. base64 says
// that it was written as the JSON of protobuf has bytes, and not as OTLP has ids.
type hexID struct {
	bytes  []byte
	base64 bool
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *hexID) UnmarshalText(text []byte) error {
	decoded, err := hex.DecodeString(string(text))
	if err == nil {
		id.bytes = decoded
		return nil
	}
	decoded, err = base64.StdEncoding.DecodeString(string(text))
	id.base64 = err == nil && (len(decoded) == traceIDBytes || len(decoded) == spanIDBytes)
	return nil
}

// These are the lengths of ids.
const (
	traceIDBytes = 16
	spanIDBytes  = 8
)

// text returns an id in hex; empty if it has another length or is zero, which OTLP defines
// as no id.
func (id *hexID) text(length int) string {
	if len(id.bytes) != length || !slices.ContainsFunc(id.bytes, func(b byte) bool { return b != 0 }) {
		return ""
	}
	return hex.EncodeToString(id.bytes)
}

// message is a message of protobuf, which takes its fields one after the other.
type message interface {
	take(f *field) error
}

// field is a field of a message, depth the number of messages around it. left is how many
// parts the span may still have.
type field struct {
	easyproto.FieldContext
	depth int
	left  *int
}

// mostDepth bounds the depth of messages in each other.
const mostDepth = 1000

// unpack parses a message with at most mostParts parts.
func unpack(body []byte, into message) error {
	left := mostParts
	return parse(body, 0, &left, into)
}

func parse(body []byte, depth int, left *int, into message) (err error) {
	if depth > mostDepth {
		return errors.New("too many messages in each other")
	}
	f := field{depth: depth, left: left}
	for len(body) > 0 {
		if body, err = f.NextField(body); err != nil {
			return fmt.Errorf("not protobuf: %w", err)
		}
		if err := into.take(&f); err != nil {
			return err
		}
	}
	return nil
}

// inner parses the message in a field.
func inner(f *field, into message) error {
	body, ok := f.MessageData()
	if !ok {
		return wrongType(f)
	}
	return parse(body, f.depth+1, f.left, into)
}

// add parses the message in a field as the next one of a list.
func add[M any, P interface {
	*M
	message
}](f *field, list *[]M) error {
	if *f.left--; *f.left < 0 {
		return errManyParts
	}
	var one M
	err := inner(f, P(&one))
	*list = append(*list, one)
	return err
}

// set sets a value to that of a field.
func set[V any](f *field, into *V, get func() (V, bool)) error {
	value, ok := get()
	if !ok {
		return wrongType(f)
	}
	*into = value
	return nil
}

func wrongType(f *field) error {
	return fmt.Errorf("field %d has the wrong type", f.FieldNum)
}

// setText sets a text to a copy of that of a field, so that a kept span does not keep the
// whole request.
func setText(f *field, into *string) error {
	err := set(f, into, f.String)
	*into = strings.Clone(*into)
	return err
}

func (r *resource) take(f *field) error {
	if f.FieldNum == 1 {
		return add(f, (*[]attribute)(&r.Attributes))
	}
	return nil
}

func (s *scope) take(f *field) error {
	if f.FieldNum == 1 {
		return setText(f, &s.Name)
	}
	return nil
}

func (s *wireSpan) take(f *field) error {
	switch f.FieldNum {
	case 1:
		return set(f, &s.TraceID.bytes, f.Bytes)
	case 2:
		return set(f, &s.SpanID.bytes, f.Bytes)
	case 4:
		return set(f, &s.ParentSpanID.bytes, f.Bytes)
	case 5:
		return setText(f, &s.Name)
	case 6:
		return set(f, (*int32)(&s.Kind), f.Int32)
	case 7:
		return set(f, (*int64)(&s.StartTimeUnixNano), f.Sfixed64)
	case 8:
		return set(f, (*int64)(&s.EndTimeUnixNano), f.Sfixed64)
	case 9:
		return add(f, (*[]attribute)(&s.Attributes))
	case 11:
		return add(f, &s.Events)
	case 15:
		return inner(f, &s.Status)
	}
	return nil
}

func (e *event) take(f *field) error {
	switch f.FieldNum {
	case 2:
		return setText(f, &e.Name)
	case 3:
		return add(f, (*[]attribute)(&e.Attributes))
	}
	return nil
}

func (s *status) take(f *field) error {
	switch f.FieldNum {
	case 2:
		return setText(f, &s.Message)
	case 3:
		return set(f, (*int32)(&s.Code), f.Int32)
	}
	return nil
}

func (a *attribute) take(f *field) error {
	switch f.FieldNum {
	case 1:
		return setText(f, &a.Key)
	case 2:
		return inner(f, &a.Value)
	}
	return nil
}

func (v *anyValue) take(f *field) error {
	*v = anyValue{}
	switch f.FieldNum {
	case 1:
		v.StringValue = new(string)
		return setText(f, v.StringValue)
	case 2:
		v.BoolValue = new(bool)
		return set(f, v.BoolValue, f.Bool)
	case 3:
		v.IntValue = new(number)
		return set(f, (*int64)(v.IntValue), f.Int64)
	case 4:
		v.DoubleValue = new(double)
		return set(f, (*float64)(v.DoubleValue), f.Double)
	case 5:
		v.ArrayValue = &anyArray{}
		return inner(f, v.ArrayValue)
	case 6:
		v.KvlistValue = &anyMap{}
		return inner(f, v.KvlistValue)
	}
	return nil
}

func (a *anyArray) take(f *field) error {
	if f.FieldNum == 1 {
		return add(f, &a.Values)
	}
	return nil
}

func (m *anyMap) take(f *field) error {
	if f.FieldNum == 1 {
		return add(f, (*[]attribute)(&m.Values))
	}
	return nil
}
