package protocol

import (
	"bytes"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner walks a text that is known to be valid JSON, so it only has to find
// where values end. It checks depth and the range of numbers.
type scanner struct {
	text []byte
	at   int
}

// member is one name of an object with the text of its value.
type member struct {
	name  []byte
	value []byte
}

func (s *scanner) skipSpace() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// members splits the object at the present position. depth is the object's own
// level, 1 for the body.
func (s *scanner) members(depth int) ([]member, *Error) {
	var list []member
	s.at++ // {
	for {
		s.skipSpace()
		switch s.text[s.at] {
		case '}':
			s.at++
			return list, nil
		case ',':
			s.at++
			continue
		}
		name := s.name()
		s.skipSpace()
		s.at++ // :
		s.skipSpace()
		start := s.at
		if err := s.checkValue(depth + 1); err != nil {
			return nil, err
		}
		if list == nil {
			list = make([]member, 0, 4)
		}
		list = append(list, member{name: name, value: s.text[start:s.at]})
	}
}

// elements splits the array at the present position.
func (s *scanner) elements(depth int) ([][]byte, *Error) {
	var list [][]byte
	s.at++ // [
	for {
		s.skipSpace()
		switch s.text[s.at] {
		case ']':
			s.at++
			return list, nil
		case ',':
			s.at++
			continue
		}
		start := s.at
		if err := s.checkValue(depth + 1); err != nil {
			return nil, err
		}
		list = append(list, s.text[start:s.at])
	}
}

// name reads the string at the present position as a member's name.
func (s *scanner) name() []byte {
	start := s.at
	s.skipString()
	quoted := s.text[start:s.at]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	return unquote(quoted)
}

func unquote(quoted []byte) []byte {
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		panic("protocol: unquote a string that was checked before: " + err.Error())
	}
	return text
}

// checkValue checks and skips the value at the present position. depth is the
// level that an object or array there has.
func (s *scanner) checkValue(depth int) *Error {
	level := depth - 1
	for {
		switch c := s.text[s.at]; c {
		case '{', '[':
			if level++; level > MaxDepth {
				return depthError(s.at)
			}
			s.at++
		case '}', ']':
			level--
			s.at++
		case '"':
			s.skipString()
		case ' ', '\t', '\r', '\n', ',', ':':
			s.at++
			continue
		case 't', 'n':
			s.at += len("true")
		case 'f':
			s.at += len("false")
		default:
			if err := s.checkNumber(); err != nil {
				return err
			}
		}
		if level < depth {
			return nil
		}
	}
}

func (s *scanner) skipString() {
	s.at++
	for {
		switch s.text[s.at] {
		case '"':
			s.at++
			return
		case '\\':
			s.at += 2
		default:
			s.at++
		}
	}
}

// checkNumber skips a number and refuses one beyond the largest double. One below
// the smallest is 0, as for every reader of JSON.
func (s *scanner) checkNumber() *Error {
	start, exponent := s.at, false
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
		case c == 'e', c == 'E':
			exponent = true
		default:
			return numberRange(s.text[start:s.at], start, exponent)
		}
		s.at++
	}
	return numberRange(s.text[start:s.at], start, exponent)
}

func numberRange(text []byte, at int, exponent bool) *Error {
	// Without an exponent a number needs 309 digits to leave the range.
	const digitsThatAlwaysFit = 308
	if !exponent && len(text) <= digitsThatAlwaysFit {
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(f, 0) {
		return Errorf(CodeJSONInvalid, "the body has a number that is outside the range of doubles, at byte %d", at)
	}
	return nil
}
