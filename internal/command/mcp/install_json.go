package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// changes returns the lines that are removed from a file and those that are added.
func changes(before, after string) string {
	old, now := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	for len(old) > 0 && len(now) > 0 && old[0] == now[0] {
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	var lines []string
	for i, part := range [][]string{old, now} {
		for _, line := range part {
			if line != "" {
				lines = append(lines, "-+"[i:i+1]+" "+strings.TrimRight(line, "\r\n"))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// byteOrderMark begins files and messages of some programs. It is not part of the text, but
// stays in a file.
var byteOrderMark = []byte("\ufeff")

// configured returns a configuration with the server. Nothing but the server's own entry
// changes in it: where that cannot be ensured, configured returns an error.
func configured(before []byte, to target, program string, args []string) ([]byte, error) {
	text, marked := bytes.CutPrefix(before, byteOrderMark)
	edit := func() ([]byte, error) { return configuredJSON(text, to.member, program, args) }
	if to.member == "" {
		edit = func() ([]byte, error) { return configuredTOML(text, program, args) }
	}
	after, err := edit()
	if marked {
		after = slices.Concat(byteOrderMark, after)
	}
	return after, err
}

// errByHand is returned for a file that cannot be changed without a risk for the rest of
// it.
var errByHand = errors.New("so it is left unchanged: add the server by hand")

func configuredJSON(before []byte, member, program string, args []string) ([]byte, error) {
	text, held := before, []byte("{}")
	file := map[string]json.RawMessage{}
	servers := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(before)) == 0 {
		text = held
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("it is not plain JSON, %w (%w)", errByHand, err)
	}
	if given, ok := file[member]; ok {
		if err := json.Unmarshal(given, &servers); err != nil {
			return nil, fmt.Errorf("its member %s is not an object: %w", member, err)
		}
		if servers != nil {
			held = given
		}
	}
	entry, err := json.Marshal(map[string]any{"type": "stdio", "command": program, "args": args})
	if err != nil {
		return nil, fmt.Errorf("write the entry of the server: %w", err)
	}
	if given, ok := servers[serverName]; ok && sameJSON(given, entry) {
		return before, nil
	}
	if held, err = withMember(held, serverName, entry); err != nil {
		return nil, err
	}
	if text, err = withMember(text, member, held); err != nil {
		return nil, err
	}
	if servers == nil {
		servers = map[string]json.RawMessage{}
	}
	servers[serverName] = entry
	if file[member], err = json.Marshal(servers); err != nil {
		return nil, fmt.Errorf("write the entry of the server: %w", err)
	}
	if expected, err := json.Marshal(file); err != nil || !sameJSON(expected, text) {
		return nil, fmt.Errorf("it has a member twice, %w", errByHand)
	}
	return indented(text, indentOf(before))
}

// indentOf returns the indentation of a JSON file, two spaces if it has none.
func indentOf(text []byte) string {
	for _, indent := range []string{"\t", "    "} {
		if same, err := indented(text, indent); err == nil && bytes.Equal(bytes.TrimSpace(same), bytes.TrimSpace(text)) {
			return indent
		}
	}
	return "  "
}

func indented(text []byte, indent string) ([]byte, error) {
	var out bytes.Buffer
	err := json.Indent(&out, bytes.TrimSpace(text), "", indent)
	out.WriteByte('\n')
	return out.Bytes(), err
}

// withMember sets a member of an object, in its place or at the end. The other members
// keep their order and their values, because people read the file and keep it under
// version control.
func withMember(object []byte, name string, value []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, fmt.Errorf("it is not a JSON object, %w", errByHand)
	}
	comma := ""
	for ; d.More(); comma = "," {
		key, err := d.Token()
		var held json.RawMessage
		if err == nil {
			err = d.Decode(&held)
		}
		if err != nil {
			return nil, fmt.Errorf("read its members: %w", err)
		}
		if end := d.InputOffset(); key == name {
			return slices.Concat(object[:int(end)-len(held)], value, object[end:]), nil
		}
	}
	end := d.InputOffset()
	return slices.Concat(object[:end], fmt.Appendf(nil, "%s%q:", comma, name), value, object[end:]), nil
}

func sameJSON(one, other []byte) bool {
	var a, b any
	return json.Unmarshal(one, &a) == nil && json.Unmarshal(other, &b) == nil && reflect.DeepEqual(a, b)
}
