package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The values of a result's `messageKind`.
const (
	MessageText  = "text"
	MessageAudio = "audio"
	MessageMedia = "media"
)

const (
	fieldMessageKind    = "messageKind"
	fieldMessage        = "message"
	fieldRealtimeWebRTC = "realtimeWebrtc"
)

// NormalizeResult brings the result of an intercom response into the form that
// its event has, and takes `realtimeWebrtc` out of it, which holds a secret and
// may reach nothing but the asker's live stream. secret is nil where there was
// none.
//
// `messageKind` is kept if it is text, audio or media; else it is audio or media
// if the result has an object of that name, audio first; else text. A text
// result that has no `message` takes that of the payload. Everything else stays
// as it is, in its order.
//
// result must be nil or a JSON object; nil stays nil. Anything else is an error.
func NormalizeResult(result json.RawMessage, message string) (normal, secret json.RawMessage, err error) {
	if result == nil {
		return nil, nil, nil
	}
	o, perr := ParseObject(result)
	if perr != nil {
		return nil, nil, fmt.Errorf("normalize an intercom result: %w", perr)
	}
	kind := resultKind(o)
	w := objectWriter{}
	hasMessage := kindOf(o.Raw(fieldMessage)) == kindString
	for _, m := range o.members {
		switch name := string(m.name); name {
		case fieldRealtimeWebRTC:
			if kindOf(m.value) != kindNull {
				secret = bytes.Clone(m.value)
			}
		case fieldMessageKind:
		case fieldMessage:
			if hasMessage || kind != MessageText || message == "" {
				w.raw(name, m.value)
			}
		default:
			w.raw(name, m.value)
		}
	}
	w.text(fieldMessageKind, kind)
	if kind == MessageText && !hasMessage && message != "" {
		w.text(fieldMessage, message)
	}
	return w.bytes(), secret, nil
}

func resultKind(o Object) string {
	switch kind := o.StringOr(fieldMessageKind, ""); kind {
	case MessageText, MessageAudio, MessageMedia:
		return kind
	}
	for _, kind := range []string{MessageAudio, MessageMedia} {
		if kindOf(o.Raw(kind)) == kindObject {
			return kind
		}
	}
	return MessageText
}

// WithRealtimeWebRTC puts back what NormalizeResult took out, for the asker's
// live stream. normal must come from NormalizeResult; a nil secret changes
// nothing.
func WithRealtimeWebRTC(normal, secret json.RawMessage) json.RawMessage {
	if secret == nil {
		return normal
	}
	w := objectWriter{}
	w.raw(fieldRealtimeWebRTC, secret)
	return JoinObjects(normal, w.bytes())
}

// JoinObjects gives one JSON object with the members of both, first those of
// a. Both must be JSON objects without a name in common; nil is {}.
func JoinObjects(a, b json.RawMessage) json.RawMessage {
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	switch {
	case isEmptyObject(a) && isEmptyObject(b):
		return json.RawMessage("{}")
	case isEmptyObject(a):
		return bytes.Clone(b)
	case isEmptyObject(b):
		return bytes.Clone(a)
	}
	joined := make([]byte, 0, len(a)+len(b))
	joined = append(joined, a[:len(a)-1]...)
	joined = append(joined, ',')
	return append(joined, b[1:]...)
}

func isEmptyObject(text []byte) bool {
	return len(text) == 0 || len(bytes.TrimSpace(text[1:len(text)-1])) == 0
}

// objectWriter writes an object member by member.
type objectWriter struct{ buf []byte }

func (w *objectWriter) raw(name string, value []byte) {
	if len(w.buf) == 0 {
		w.buf = append(w.buf, '{')
	} else {
		w.buf = append(w.buf, ',')
	}
	w.buf = appendString(w.buf, name)
	w.buf = append(w.buf, ':')
	w.buf = append(w.buf, value...)
}

func (w *objectWriter) text(name, value string) { w.raw(name, appendString(nil, value)) }

func (w *objectWriter) bytes() []byte {
	if len(w.buf) == 0 {
		return []byte("{}")
	}
	return append(w.buf, '}')
}
