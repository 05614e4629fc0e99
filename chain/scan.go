package chain

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions here walk over the output of Canonicalize. They rely on its
// validity and on the absence of white space, so they need no error paths.

// fields iterates over an object's members: the key as it is written, without
// its quotes, and the value's text. The keys that this package looks for need
// no escapes, so none has to be decoded. A text that is not an object has no fields.
func fields(text []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		if !isObject(text) {
			return
		}
		for rest := text[1:]; rest[0] != '}'; {
			if rest[0] == ',' {
				rest = rest[1:]
			}
			keyEnd := textEnd(rest)
			key := rest[1 : keyEnd-1]
			rest = rest[keyEnd+1:]
			end := valueEnd(rest)
			if !yield(key, rest[:end:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

// items iterates over an array's items. A text that is not an array has none.
func items(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !isArray(text) {
			return
		}
		for rest := text[1:]; rest[0] != ']'; {
			if rest[0] == ',' {
				rest = rest[1:]
			}
			end := valueEnd(rest)
			if !yield(rest[:end:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

// field returns the value of one member of an object, nil if it has none.
func field(text []byte, name string) []byte {
	for key, value := range fields(text) {
		if string(key) == name {
			return value
		}
	}
	return nil
}

// valueEnd returns the length of the value that text starts with.
func valueEnd(text []byte) int {
	switch text[0] {
	case '"':
		return textEnd(text)
	case '{', '[':
		depth := 0
		for i := 0; ; i++ {
			switch text[i] {
			case '"':
				i += textEnd(text[i:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i, b := range text {
		if b == ',' || b == ']' || b == '}' {
			return i
		}
	}
	return len(text)
}

// textEnd returns the length of the string that text starts with.
func textEnd(text []byte) int {
	for end := 1; ; end++ {
		end += bytes.IndexByte(text[end:], '"')
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1
		}
	}
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
func isArray(value []byte) bool  { return len(value) > 0 && value[0] == '[' }

// asText returns the string of a value; false if it is not a string.
func asText(value []byte) (string, bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	inner := value[1 : len(value)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err == nil
}

// asNumber returns the number of a value; false if it is not a number.
func asNumber(value []byte) (float64, bool) {
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(value), 64)
	return f, err == nil
}

// asCount returns the integer of a value; false if it is not an integer.
func asCount(value []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	return n, err == nil
}

// asBool returns the boolean of a value; false if it is not a boolean.
func asBool(value []byte) (b, ok bool) {
	switch string(value) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// asTexts returns the list of strings of a value; false if it is not one.
func asTexts(value []byte) ([]string, bool) {
	if !isArray(value) {
		return nil, false
	}
	texts := []string{}
	for item := range items(value) {
		s, ok := asText(item)
		if !ok {
			return nil, false
		}
		texts = append(texts, s)
	}
	return texts, true
}
