package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"
)

// ParseRequest reads the body of a route or the payload of an operation by the
// rules of T's fields: the first field that is wrong is the error, which is
// `body_invalid` unless the field's rule has a code of its own. Unknown fields are
// ignored, and an explicit null counts as absent for an optional field and as
// wrong for a required one. The result is a copy that does not refer to the body.
// A T that consists of an embedded struct is read as that struct.
func ParseRequest[T any](o Object) (T, *Error) {
	var r, none T
	f := fields{obj: o}
	into := reflect.ValueOf(&r).Elem()
	for into.NumField() == 1 && into.Type().Field(0).Anonymous {
		into = into.Field(0)
	}
	planOf(into.Type()).read(&f, into)
	if f.err != nil {
		return none, f.err
	}
	return r, nil
}

// checker is a request with rules that are about more than one field. check runs
// after all fields were read and may fill in what follows from others.
type checker interface{ check(*fields) *Error }

// plan describes how a struct is read: its fields in the order of reading. It is
// built once for each type.
type plan struct {
	fields []planned
	checks bool
}

type planned struct {
	Field
	read func(*planned, *fields, reflect.Value)
	// number is the Default of a number.
	number int64
	// when and required are the indexes of the conditions' fields.
	when, required int
	// inner is the plan of a struct, or of a list's structs.
	inner *plan
}

var plans sync.Map // reflect.Type to *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan) //nolint:forcetypeassert // nothing else is stored
	}
	p, _ := plans.LoadOrStore(t, newPlan(t))
	return p.(*plan) //nolint:forcetypeassert // nothing else is stored
}

func newPlan(t reflect.Type) *plan {
	p := &plan{checks: reflect.PointerTo(t).Implements(reflect.TypeFor[checker]())}
	for _, late := range []bool{false, true} {
		for _, f := range FieldsOf(t) {
			if f.Last == late {
				p.fields = append(p.fields, newPlanned(t, f))
			}
		}
	}
	return p
}

func newPlanned(t reflect.Type, f Field) planned {
	p := planned{Field: f, read: readerOf(f.Type)}
	if f.Const != "" {
		p.Words = []string{f.Const}
	}
	p.when, p.required = fieldIndex(t, f.When), fieldIndex(t, f.Required)
	if p.read == nil || len(f.Index) > 1 || p.when < 0 && f.When.Field != "" || p.required < 0 && f.Required.Field != "" {
		panic(fmt.Sprintf("protocol: no request can have the field %s of %s", f.Go, t))
	}
	inner := f.Type
	if inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[WireSecret]() {
		p.inner = planOf(inner)
	}
	if f.Default != "" && f.Type.Kind() == reflect.Int {
		n, err := limit(f.Default)
		if err != nil {
			panic("protocol: the default of " + f.Go + ": " + err.Error())
		}
		p.number = int64(n)
	}
	return p
}

// fieldIndex returns the index of a condition's field in its struct, -1 if the struct
// has no such field.
func fieldIndex(t reflect.Type, c Condition) int {
	for _, other := range FieldsOf(t) {
		if other.Name == c.Field {
			return other.Index[0]
		}
	}
	return -1
}

// readerOf returns the function that reads fields of a type; nil for a type that no
// request has.
func readerOf(t reflect.Type) func(*planned, *fields, reflect.Value) {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return (*planned).raw
	case reflect.TypeFor[WireSecret]():
		return (*planned).secret
	case reflect.TypeFor[*uint64]():
		return (*planned).position
	case reflect.TypeFor[*float64]():
		return (*planned).amount
	}
	switch t.Kind() {
	case reflect.String:
		return (*planned).text
	case reflect.Int:
		return (*planned).integer
	case reflect.Bool:
		return (*planned).flag
	case reflect.Struct:
		return (*planned).object
	case reflect.Pointer:
		return (*planned).optionalObject
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return (*planned).texts
		}
		return (*planned).objects
	}
	return nil
}

// flag reads true or false.
func (p *planned) flag(f *fields, into reflect.Value) {
	if text, ok := f.present(p.Name, kindBool, f.optional); ok {
		into.SetBool(string(text) == "true")
	}
}

// fields are the members of one object while it is read, with the first error in
// them; after that nothing more is read.
type fields struct {
	obj Object
	err *Error
	// self is a pointer to the struct that is read, parent to the one that holds it.
	self, parent any
	// optional and blank are the rule of the present field, with its condition
	// evaluated.
	optional, blank bool
}

func (p *plan) read(f *fields, into reflect.Value) {
	f.self = into.Addr().Interface()
	for i := range p.fields {
		field := &p.fields[i]
		if field.When.Field != "" && !field.When.met(into.Field(field.when).String()) {
			continue
		}
		f.optional, f.blank = field.Optional, field.Blank
		if field.Required.Field != "" {
			f.optional = !field.Required.met(into.Field(field.required).String())
			f.blank = field.Blank && f.optional
		}
		if field.read(field, f, into.Field(field.Index[0])); f.err != nil {
			return
		}
	}
	if p.checks {
		f.err = f.self.(checker).check(f) //nolint:forcetypeassert // asked when the plan was made
	}
}

func (f *fields) wrong(name, format string, args ...any) {
	f.err = FieldError(f.obj.field(name), format, args...)
}

// present returns a member's text when it is there and of the wanted kind.
func (f *fields) present(name string, want valueKind, optional bool) ([]byte, bool) {
	text := f.obj.Raw(name)
	got := kindOf(text)
	switch {
	case got == want:
		return text, true
	case optional && (got == kindAbsent || got == kindNull):
	case got == kindAbsent:
		f.wrong(name, "is missing")
	default:
		f.wrong(name, "must be %s, not %s", want, got)
	}
	return nil, false
}

func (f *fields) number(name string) (float64, bool) {
	text, ok := f.present(name, kindNumber, f.optional)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		f.wrong(name, "is outside the range of doubles")
		return 0, false
	}
	return n, true
}

// whole reads a whole number in a range.
func (f *fields) whole(name string, least, most int64) (int64, bool) {
	n, ok := f.number(name)
	switch {
	case !ok:
		return 0, false
	case n != math.Trunc(n):
		f.wrong(name, "must be a whole number")
		return 0, false
	case n < float64(least) || n > float64(most):
		f.wrong(name, "must be from %d to %d", least, most)
		return 0, false
	}
	return int64(n), true
}

func (p *planned) integer(f *fields, into reflect.Value) {
	if p.Clamp {
		n, ok := f.number(p.Name)
		if ok {
			into.SetInt(int64(min(max(n, float64(p.Range.Least)), float64(p.Range.Most))))
		} else {
			into.SetInt(p.number)
		}
		return
	}
	n, ok := f.whole(p.Name, p.Range.Least, p.Range.Most)
	if !ok {
		n = p.number
	}
	into.SetInt(n)
}

// position reads a rev or a seq.
func (p *planned) position(f *fields, into reflect.Value) {
	if n, ok := f.whole(p.Name, 0, MaxSafeInteger); ok {
		position := uint64(n)
		into.Set(reflect.ValueOf(&position))
	}
}

// amount reads a number that may have a fraction.
func (p *planned) amount(f *fields, into reflect.Value) {
	n, ok := f.number(p.Name)
	if ok && p.Range.HasLeast && n < float64(p.Range.Least) {
		f.wrong(p.Name, "must be at least %d", p.Range.Least)
	} else if ok {
		n += 0 // no negative zero
		into.Set(reflect.ValueOf(&n))
	}
}

// sized returns the text of an object or array, of which the rule may limit the
// bytes.
func (p *planned) sized(f *fields, want valueKind) ([]byte, bool) {
	text, ok := f.present(p.Name, want, f.optional)
	if ok && p.Bytes > 0 && len(text) > p.Bytes {
		f.wrong(p.Name, "has %d bytes of JSON, at most %d are allowed", len(text), p.Bytes)
		return nil, false
	}
	return text, ok
}

// raw reads a value that is kept as sent: an object, or any type except null.
func (p *planned) raw(f *fields, into reflect.Value) {
	if p.Form == "object" {
		if text, ok := p.sized(f, kindObject); ok {
			into.SetBytes(bytes.Clone(text))
		}
		return
	}
	text := f.obj.Raw(p.Name)
	switch kind := kindOf(text); {
	case kind != kindAbsent && kind != kindNull:
		into.SetBytes(bytes.Clone(text))
	case f.optional:
	case kind == kindNull:
		f.wrong(p.Name, "must not be null")
	default:
		f.wrong(p.Name, "is missing")
	}
}

func (p *planned) object(f *fields, into reflect.Value) {
	if text, ok := p.sized(f, kindObject); ok {
		p.open(f, f.obj.field(p.Name), text, into)
	}
}

// optionalObject reads an object that may be absent: the pointer is then nil.
func (p *planned) optionalObject(f *fields, into reflect.Value) {
	if text, ok := p.sized(f, kindObject); ok {
		into.Set(reflect.New(p.Type.Elem()))
		p.open(f, f.obj.field(p.Name), text, into.Elem())
	}
}

// open reads an object within the present one.
func (p *planned) open(f *fields, path string, text []byte, into reflect.Value) {
	inner := fields{obj: f.obj.object(path, text), parent: f.self}
	p.inner.read(&inner, into)
	f.err = inner.err
}

// elements splits an array.
func (p *planned) elements(f *fields) ([][]byte, bool) {
	text, ok := p.sized(f, kindArray)
	if !ok {
		return nil, false
	}
	elements := elementsOf(text)
	switch n := int64(len(elements)); {
	case p.Items.HasMost && n > p.Items.Most:
		f.wrong(p.Name, "has %d elements, at most %d are allowed", n, p.Items.Most)
	case p.Words != nil && len(elements) > len(p.Words):
		f.wrong(p.Name, "has %d elements, at most %d are allowed", n, len(p.Words))
	case n < p.Items.Least:
		f.wrong(p.Name, "must have at least %d elements", p.Items.Least)
	}
	return elements, f.err == nil
}

// objects reads a list of objects. An empty one is nil.
func (p *planned) objects(f *fields, into reflect.Value) {
	elements, ok := p.elements(f)
	if !ok || len(elements) == 0 {
		return
	}
	list := reflect.MakeSlice(into.Type(), len(elements), len(elements))
	for i, e := range elements {
		path := elementField(f.obj.field(p.Name), i)
		if got := kindOf(e); got != kindObject {
			f.err = FieldError(path, "must be an object, not %s", got)
			return
		}
		if p.open(f, path, e, list.Index(i)); f.err != nil {
			return
		}
	}
	into.Set(list)
}
