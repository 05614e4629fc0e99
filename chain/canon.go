package chain

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// MaxDepth is how deeply arrays and objects may nest in a text that
// Canonicalize accepts. A body of 1 MiB could nest half a million deep, which
// no reader in any language survives.
const MaxDepth = 512

// Canonicalize appends the canonical form (RFC 8785) of one JSON text to dst.
//
// It refuses, with an error that is ErrJSON and names the byte, what the
// protocol calls `json_invalid`: bad syntax, duplicate keys, invalid UTF-8,
// lone surrogates, numbers outside the double range, data after the value, and
// nesting beyond MaxDepth. On an error dst is returned as it was.
//
// A text that is canonical already costs one copy and no allocation.
func Canonicalize(dst, jsonText []byte) ([]byte, error) {
	c := canonizers.Get().(*canonizer)
	defer c.release()
	start := len(dst)
	c.in, c.pos, c.out = jsonText, 0, dst
	err := c.value(0)
	if err == nil {
		if c.space(); c.pos < len(c.in) {
			err = c.fail("data after the value")
		}
	}
	if err != nil {
		return c.out[:start], err
	}
	return c.out, nil
}

var canonizers = sync.Pool{New: func() any { return new(canonizer) }}

// canonizer is one pass over a text. Its slices keep their capacity between
// passes.
type canonizer struct {
	in  []byte
	pos int
	out []byte

	keys    []byte   // decoded keys of the objects that are open
	members []member // members of the objects that are open
	text    []byte   // the string with escapes that was decoded last
	scratch []byte   // an object's members in their new order
}

// member is one member of an open object: where its decoded key is in keys, and
// where its canonical text is in out.
type member struct {
	key, keyEnd int
	out, outEnd int
}

// maxKept bounds the buffers that a canonizer takes back to the pool.
const maxKept = 1 << 16

func (c *canonizer) release() {
	c.in, c.out = nil, nil
	if cap(c.keys)+cap(c.text)+cap(c.scratch)+cap(c.members) > maxKept {
		return
	}
	c.keys, c.members = c.keys[:0], c.members[:0]
	canonizers.Put(c)
}

func (c *canonizer) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrJSON, what, c.pos)
}

func (c *canonizer) space() {
	for c.pos < len(c.in) {
		switch c.in[c.pos] {
		case ' ', '\t', '\n', '\r':
			c.pos++
		default:
			return
		}
	}
}

// peek skips white space and returns the next byte, 0 at the end.
func (c *canonizer) peek() byte {
	c.space()
	if c.pos == len(c.in) {
		return 0
	}
	return c.in[c.pos]
}

func (c *canonizer) value(depth int) error {
	switch b := c.peek(); {
	case b == '{':
		return c.object(depth + 1)
	case b == '[':
		return c.array(depth + 1)
	case b == '"':
		s, err := c.readText()
		if err != nil {
			return err
		}
		return c.writeText(s)
	case b == '-' || '0' <= b && b <= '9':
		return c.number()
	case b == 't':
		return c.literal("true")
	case b == 'f':
		return c.literal("false")
	case b == 'n':
		return c.literal("null")
	}
	if c.pos == len(c.in) {
		return c.fail("the text ends")
	}
	return c.fail("no value starts")
}

func (c *canonizer) literal(word string) error {
	if len(c.in)-c.pos < len(word) || string(c.in[c.pos:c.pos+len(word)]) != word {
		return c.fail("no value starts")
	}
	c.pos += len(word)
	c.out = append(c.out, word...)
	return nil
}

func (c *canonizer) array(depth int) error {
	if depth > MaxDepth {
		return c.fail("nesting beyond " + strconv.Itoa(MaxDepth))
	}
	c.pos++
	c.out = append(c.out, '[')
	if c.peek() == ']' {
		c.pos++
		c.out = append(c.out, ']')
		return nil
	}
	for {
		if err := c.value(depth); err != nil {
			return err
		}
		switch c.peek() {
		case ',':
			c.pos++
			c.out = append(c.out, ',')
		case ']':
			c.pos++
			c.out = append(c.out, ']')
			return nil
		default:
			return c.fail("an array is not closed")
		}
	}
}

func (c *canonizer) object(depth int) error {
	if depth > MaxDepth {
		return c.fail("nesting beyond " + strconv.Itoa(MaxDepth))
	}
	firstKey, firstMember, firstOut := len(c.keys), len(c.members), len(c.out)+1
	sorted, err := c.readMembers(depth, firstMember)
	if err != nil {
		return err
	}
	if !sorted {
		if err := c.sortMembers(firstMember, firstOut); err != nil {
			return err
		}
	}
	c.out = append(c.out, '}')
	c.keys, c.members = c.keys[:firstKey], c.members[:firstMember]
	return nil
}

// readMembers appends "{" and the members in the order of the input, each after
// the first with the comma before it, and says whether they are in order.
func (c *canonizer) readMembers(depth, first int) (sorted bool, err error) {
	c.pos++
	c.out = append(c.out, '{')
	if c.peek() == '}' {
		c.pos++
		return true, nil
	}
	for sorted = true; ; {
		if err := c.member(depth); err != nil {
			return false, err
		}
		if n := len(c.members); n-first > 1 && sorted {
			sorted = compareUTF16(c.key(&c.members[n-2]), c.key(&c.members[n-1])) < 0
		}
		switch c.peek() {
		case ',':
			c.pos++
			c.out = append(c.out, ',')
		case '}':
			c.pos++
			return sorted, nil
		default:
			return false, c.fail("an object is not closed")
		}
	}
}

func (c *canonizer) member(depth int) error {
	if c.peek() != '"' {
		return c.fail("a key is missing")
	}
	m := member{key: len(c.keys), out: len(c.out)}
	key, err := c.readText()
	if err != nil {
		return err
	}
	c.keys = append(c.keys, key.text...)
	m.keyEnd = len(c.keys)
	if err := c.writeText(key); err != nil {
		return err
	}
	if c.peek() != ':' {
		return c.fail("a colon is missing")
	}
	c.pos++
	c.out = append(c.out, ':')
	if err := c.value(depth); err != nil {
		return err
	}
	m.outEnd = len(c.out)
	c.members = append(c.members, m)
	return nil
}

func (c *canonizer) key(m *member) []byte { return c.keys[m.key:m.keyEnd] }

// sortMembers puts the members from index first on, whose text begins at
// firstOut, in order.
func (c *canonizer) sortMembers(first, firstOut int) error {
	members := c.members[first:]
	slices.SortFunc(members, func(a, b member) int { return compareUTF16(c.key(&a), c.key(&b)) })
	c.scratch = append(c.scratch[:0], c.out[firstOut:]...)
	c.out = c.out[:firstOut]
	for i := range members {
		m := &members[i]
		if i > 0 {
			if compareUTF16(c.key(&members[i-1]), c.key(m)) == 0 {
				return c.fail(fmt.Sprintf("an object that has the key %.100q twice ends", c.key(m)))
			}
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, c.scratch[m.out-firstOut:m.outEnd-firstOut]...)
	}
	return nil
}
