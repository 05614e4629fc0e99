package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// IntercomCommand is the payload of intercomCommand: a caller asks an agent. It
// is also the `command` of the event that forwards it.
type IntercomCommand struct {
	// RequestID is a random text that names the request. A repeat within 24 hours gets
	// the same reply and causes no event if it is from the same caller, and 403 if it
	// is from another.
	RequestID string `json:"requestId" rule:"form=id"`
	// MainNodeID is the main node that owns the agent; any other is `player_unknown`.
	MainNodeID string `json:"mainNodeId" rule:"form=account"`
	// FromPlayerID is an agent that the caller is or owns, the calling main node's own
	// id, or a person's label, which starts with `__`.
	FromPlayerID string `json:"fromPlayerId" rule:"form=agent"`
	// ToPlayerID is the agent to ask; it must be on the map.
	ToPlayerID string `json:"toPlayerId" rule:"form=agent"`
	Kind       string `json:"kind" rule:"enum=IntercomKind"`
	// ToolName is the tool to call, one that the agent registered.
	ToolName string `json:"toolName,omitzero" rule:"chars=MaxToolNameChars,required=kind:assist"`
	// Args is a JSON object; absent for none.
	Args json.RawMessage `json:"args,omitzero" rule:"form=object,bytes=MaxIntercomArgsBytes"`
	// Text is the text to say.
	Text string `json:"text,omitzero" rule:"bytes=MaxIntercomTextBytes,required=kind:chat,blank"`
}

// IntercomResponse is the payload of intercomResponse: an agent's answer.
type IntercomResponse struct {
	RequestID  string `json:"requestId" rule:"form=id"`
	MainNodeID string `json:"mainNodeId" rule:"form=account"`
	// ToPlayerID is the asker.
	ToPlayerID string `json:"toPlayerId" rule:"form=agent"`
	// FromPlayerID is the agent that answers.
	FromPlayerID string `json:"fromPlayerId" rule:"form=agent"`
	Kind         string `json:"kind" rule:"enum=IntercomKind"`
	Status       string `json:"status" rule:"enum=IntercomAnswer"`
	ToolName     string `json:"toolName,omitzero" rule:"chars=MaxToolNameChars"`
	Message      string `json:"message,omitzero" rule:"bytes=MaxIntercomTextBytes,blank"`
	// Result is a JSON object as it was sent; see NormalizeResult.
	Result json.RawMessage `json:"result,omitzero" rule:"form=object,bytes=MaxIntercomResultBytes"`
	// Error says why the agent failed.
	Error string `json:"error,omitzero" rule:"bytes=MaxIntercomTextBytes,required=status:failed,blank,last"`
	// TS is when the agent answered.
	TS string `json:"ts" rule:"form=time"`
}

// AssistToolRequest calls an `assist_*` tool of an agent for a person.
type AssistToolRequest struct {
	// TargetPlayerID is the agent to ask.
	TargetPlayerID string `json:"targetPlayerId" rule:"form=agent"`
	// ToolName is one of the agent's tools.
	ToolName string `json:"toolName" rule:"chars=MaxToolNameChars"`
	// Args is a JSON object.
	Args json.RawMessage `json:"args" rule:"form=object,bytes=MaxIntercomArgsBytes"`
}

// RequestReply is the reply of `POST /api/play/assist-tool`.
type RequestReply struct {
	OK bool `json:"ok" rule:"const=true"`
	// RequestID names the request in the intercom events that answer it.
	RequestID string `json:"requestId" rule:"form=id"`
}

// IntercomEvent are the own fields of EventIntercom. In every status
// FromPlayerID is the agent and ToPlayerID the asker, also in started and
// forwarded, where the command has them the other way round.
type IntercomEvent struct {
	RequestID    string `json:"requestId" rule:"form=id"`
	MainNodeID   string `json:"mainNodeId" rule:"form=id"`
	ToPlayerID   string `json:"toPlayerId" rule:"form=id"`
	FromPlayerID string `json:"fromPlayerId" rule:"form=id"`
	Kind         string `json:"kind" rule:"enum=IntercomKind"`
	Status       string `json:"status" rule:"enum=IntercomStatus"`
	TS           string `json:"ts" rule:"form=time"`
	ToolName     string `json:"toolName,omitzero"`
	Message      string `json:"message,omitzero"`
	// Result is the result of the response, normalized.
	Result json.RawMessage `json:"result,omitzero" rule:"ref=IntercomResult"`
	Error  string          `json:"error,omitzero"`
	// ChannelKey is `intercom:human:<asker>:agent:<agentId>`.
	ChannelKey string `json:"channelKey,omitzero" rule:"form=channelKey"`
	// Command is the command's payload, in the status forwarded, with the fields that the
	// contract names.
	Command json.RawMessage `json:"command,omitzero" rule:"ref=IntercomCommand"`
}

// IntercomResult holds the fields that every result of an intercom event has; the
// agent defines the others.
type IntercomResult struct {
	MessageKind string `json:"messageKind" rule:"enum=MessageKind"`
}

// IntercomChannelKey returns the name of the channel between an asker, which is a node id or a
// person's label, and an agent.
func IntercomChannelKey(asker, agentID string) string {
	return "intercom:human:" + asker + ":agent:" + agentID
}

const (
	fieldMessageKind    = "messageKind"
	fieldMessage        = "message"
	fieldRealtimeWebRTC = "realtimeWebrtc"
)

// NormalizeResult brings the result of an intercom response into the form that its
// event has, and removes `realtimeWebrtc` from it, which holds a secret and may
// reach only the asker's live stream. secret is nil if there was none.
//
// `messageKind` is kept if it is text, audio or media; else it is audio or media
// if the result has an object of that name, audio first; else text. A text result
// without a `message` takes that of the payload. Everything else stays unchanged,
// in its order.
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

// WithRealtimeWebRTC restores the secret that NormalizeResult removed, for the
// asker's live stream. normal must come from NormalizeResult; a nil secret changes
// nothing.
func WithRealtimeWebRTC(normal, secret json.RawMessage) json.RawMessage {
	if secret == nil {
		return normal
	}
	w := objectWriter{}
	w.raw(fieldRealtimeWebRTC, secret)
	return JoinObjects(normal, w.bytes())
}

// JoinObjects returns one JSON object with the members of both, first those of
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
