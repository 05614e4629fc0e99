package main

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// section is a part of the page that is generated from the contract: its first line
// names its content.
var section = regexp.MustCompile(`(?s)(<!-- contract: ([a-zA-Z ]+) -->\n).*?(<!-- end of contract -->)`)

// markdown generates the tables of the protocol page again, and keeps its prose.
func markdown(s *source, name string) ([]byte, error) {
	page, err := os.ReadFile(name) //nolint:gosec // G304: a file of this repository
	if err != nil {
		return nil, fmt.Errorf("read the protocol page: %w", err)
	}
	tables := map[string]func(*source) string{
		"capabilities": capabilitiesTable, "errors": errorsTable, "limits": limitsTable, "operations": operationsTable,
		"rows": rowsTable, "events": eventsTable, "signals": signalsTable,
		"routes of the world": func(*source) string {
			return routesTable(protocol.GroupWorld, protocol.GroupOperations)
		},
		"routes of nodes":    func(*source) string { return routesTable(protocol.GroupNodes) },
		"routes of the page": func(*source) string { return routesTable(protocol.GroupWatch) },
	}
	for _, v := range append([]any{protocol.IntercomCommand{}}, bodies()...) {
		t := reflect.TypeOf(v)
		tables["fields of "+typeName(t)] = func(s *source) string { return fieldsTable(s, t, "") }
	}
	var unknown error
	page = section.ReplaceAllFunc(page, func(old []byte) []byte {
		parts := section.FindSubmatch(old)
		table := tables[string(parts[2])]
		if table == nil {
			unknown = fmt.Errorf("%s asks for the table %q, which there is not", name, parts[2])
			return old
		}
		return []byte(string(parts[1]) + "\n" + table(s) + "\n" + string(parts[3]))
	})
	return page, unknown
}

// table writes a Markdown table.
func table(head string, rows ...[]string) string {
	columns := strings.Count(head, "|") + 1
	var text strings.Builder
	text.WriteString("| " + head + " |\n|" + strings.Repeat("---|", columns) + "\n")
	for _, row := range rows {
		text.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return text.String()
}

func code(text string) string { return "`" + text + "`" }

func codes(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = code(word)
	}
	return strings.Join(list, ", ")
}

// tableOf writes a Markdown table with a row for each element of a list.
func tableOf[T any](head string, list []T, row func(T) []string) string {
	rows := make([][]string, len(list))
	for i := range list {
		rows[i] = row(list[i])
	}
	return table(head, rows...)
}

func capabilitiesTable(s *source) string {
	return tableOf("capability | the host", protocol.Capabilities(), func(c protocol.Capability) []string {
		return []string{code(string(c)), s.values[string(c)]}
	})
}

func errorsTable(s *source) string {
	return tableOf("status | code | meaning", protocol.Codes(), func(c protocol.Code) []string {
		return []string{strconv.Itoa(protocol.Status(c)), code(string(c)), s.values[string(c)]}
	})
}

func limitsTable(s *source) string {
	return tableOf("number | what it is", protocol.Limits(), func(l protocol.Limit) []string {
		return []string{number64(l.Value), note(s.docs[l.Name], l.Name)}
	})
}

// number64 formats a number for people.
func number64(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return strconv.Itoa(n>>20) + " MiB"
	}
	if n >= 1<<13 && n%(1<<10) == 0 {
		return strconv.Itoa(n>>10) + " KiB"
	}
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func operationsTable(*source) string {
	var rows [][]string
	for _, o := range protocol.Operations() {
		name, sid := code(string(o.Op)), ""
		if o.Extension != "" {
			name += " *(extension " + code(string(o.Extension)) + ")*"
		}
		if o.Writes {
			sid = "needed"
		}
		rows = append(rows, []string{
			name, code(members(reflect.TypeOf(o.Request), taken)), code(members(reflect.TypeOf(o.Reply), sent)), sid,
		})
	}
	return table("op | payload | reply | `sid`", rows...)
}

// members lists the names of a type's fields, with a question mark after the
// optional ones.
func members(t reflect.Type, way direction) string {
	var list []string
	for _, f := range protocol.FieldsOf(t) {
		text := f.Name
		if f.Optional && (way == taken || !f.Sent) {
			text += "?"
		}
		if f.Type.Kind() == reflect.Bool && f.Const != "" {
			text += ": " + f.Const
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// fieldsTable lists the fields of a request, including those of nested objects.
func fieldsTable(s *source, t reflect.Type, path string) string {
	return table("field | needed | what it is", fieldRows(s, t, path)...)
}

func fieldRows(s *source, t reflect.Type, path string) [][]string {
	var rows [][]string
	fields := protocol.FieldsOf(t)
	for i := range fields {
		f := &fields[i]
		needed := "yes"
		switch {
		case f.Required.Field != "":
			needed = "where " + code(f.Required.Field) + " is " + codes(f.Required.Words)
		case f.When.Field != "":
			needed = "where " + code(f.When.Field) + " is " + codes(f.When.Words)
		case f.Optional:
			needed = ""
		}
		rows = append(rows, []string{code(path + f.Name), needed, what(s, t, f)})
		if inner := structOf(f); inner != nil {
			mark := "."
			if isList(f) {
				mark = "[]."
			}
			rows = append(rows, fieldRows(s, inner, path+f.Name+mark)...)
		}
	}
	return rows
}

// what describes the values of a field in a few words.
func what(s *source, t reflect.Type, f *protocol.Field) string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if text := note(s.fieldDoc(t, f), f.Name); text != "" {
		add("%s", text)
	}
	switch {
	case f.Words != nil:
		add("%s", codes(f.Words))
	case f.Const != "":
		add("%s", code(f.Const))
	case f.Clamp:
		add("a number, clamped to %d to %d", f.Range.Least, f.Range.Most)
	case f.Range.HasLeast:
		add("a whole number from %d to %d", f.Range.Least, f.Range.Most)
	}
	if f.Items.HasMost {
		add("at most %d elements", f.Items.Most)
	}
	if f.Chars > 0 && isList(f) {
		add("each at most %d characters", f.Chars)
	} else if f.Chars > 0 {
		add("at most %d characters", f.Chars)
	}
	if f.Bytes > 0 {
		add("at most %s", bytesOf(f.Bytes))
	}
	if f.Default != "" {
		value := defaultOf(f)
		if words, ok := value.([]string); ok {
			value = strings.Join(words, ", ")
		}
		add("by default %s", code(fmt.Sprint(value)))
	}
	return strings.Join(list, "; ")
}

// note shortens a comment to its statement about its name.
func note(doc, name string) string {
	text := strings.TrimPrefix(strings.TrimSuffix(doc, "."), name+" ")
	for _, verb := range []string{"is ", "are "} {
		text = strings.TrimPrefix(text, verb)
	}
	return text
}

func rowsTable(s *source) string {
	var rows [][]string
	for _, v := range []any{protocol.Agent{}, protocol.MCP{}, protocol.Human{}, protocol.Structure{}, protocol.Space{}} {
		t := reflect.TypeOf(v)
		name, fields := "space, in `spaces`", own(s, t)
		if kind := kindOf(t); kind != "" {
			name, fields = string(kind), code("kind")+", "+fields
		}
		rows = append(rows, []string{name, fields})
	}
	return table("row | fields", rows...)
}

func rowField(s *source, t reflect.Type, f *protocol.Field) string {
	text := f.Name
	if f.Optional {
		text += "?"
	}
	text = code(text)
	var list []string
	if inner := structOf(f); inner != nil && f.Ref == "" {
		shape := members(inner, sent)
		if isList(f) {
			shape = "[" + shape + "]"
		}
		list = append(list, code(shape))
	}
	if f.Words != nil {
		list = append(list, codes(f.Words))
	}
	if doc := note(s.fieldDoc(t, f), f.Name); doc != "" {
		list = append(list, doc)
	}
	if f.Older != "" {
		list = append(list, "some hosts write "+code(f.Older))
	}
	if len(list) > 0 {
		text += " (" + strings.Join(list, "; ") + ")"
	}
	return text
}

func eventsTable(s *source) string {
	return tableOf("event | when | own fields | notify", protocol.Events(), func(e protocol.Event) []string {
		return []string{code(string(e.Kind)), e.Summary, own(s, reflect.TypeOf(e.Data)), string(e.Notifies)}
	})
}

func signalsTable(s *source) string {
	return tableOf("`kind` | when | `data` | notify", protocol.Signals(), func(g protocol.Signal) []string {
		return []string{code(g.Kind), g.Summary, own(s, reflect.TypeOf(g.Data)), string(g.Notifies)}
	})
}

// own lists the fields of an event, with their allowed words.
func own(s *source, t reflect.Type) string {
	var list []string
	fields := protocol.FieldsOf(t)
	for i := range fields {
		list = append(list, rowField(s, t, &fields[i]))
	}
	return strings.Join(list, ", ")
}
