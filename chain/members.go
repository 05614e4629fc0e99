package chain

import "strconv"

// encoder appends canonical JSON member by member. Its caller names the keys in
// order; the first error sticks and makes the rest do nothing.
type encoder struct {
	out   []byte
	err   error
	comma bool // the next member or item needs one before it
}

func (e *encoder) raw(s string) {
	e.out = append(e.out, s...)
}

func (e *encoder) open(bracket byte) {
	e.out = append(e.out, bracket)
	e.comma = false
}

func (e *encoder) close(bracket byte) {
	e.out = append(e.out, bracket)
	e.comma = true
}

// item begins an item of an array.
func (e *encoder) item() {
	if e.comma {
		e.out = append(e.out, ',')
	}
	e.comma = true
}

// key begins a member of an object; name must need no escapes.
func (e *encoder) key(name string) {
	e.item()
	e.out = append(e.out, '"')
	e.out = append(e.out, name...)
	e.out = append(e.out, '"', ':')
}

func (e *encoder) text(s string) {
	if e.err == nil {
		e.out, e.err = appendText(e.out, s)
	}
}

func (e *encoder) number(f float64) {
	if e.err == nil {
		e.out, e.err = appendNumber(e.out, f)
	}
}

func (e *encoder) json(text []byte) {
	if e.err == nil {
		e.out, e.err = Canonicalize(e.out, text)
	}
}

func (e *encoder) boolean(b bool) {
	if b {
		e.raw("true")
	} else {
		e.raw("false")
	}
}

func (e *encoder) textMember(name, value string) {
	e.key(name)
	e.text(value)
}

// optional is a text member that is absent when empty.
func (e *encoder) optional(name, value string) {
	if value != "" {
		e.textMember(name, value)
	}
}

func (e *encoder) numberMember(name string, value float64) {
	e.key(name)
	e.number(value)
}

func (e *encoder) countMember(name string, value int64) {
	e.key(name)
	e.out = appendCount(e.out, value)
}

func (e *encoder) uintMember(name string, value uint64) {
	e.key(name)
	e.out = strconv.AppendUint(e.out, value, 10)
}

func (e *encoder) boolMember(name string, value bool) {
	e.key(name)
	e.boolean(value)
}

// texts is an array of strings; nil is the empty array, never null.
func (e *encoder) texts(name string, values []string) {
	e.key(name)
	e.open('[')
	for _, v := range values {
		e.item()
		e.text(v)
	}
	e.close(']')
}
