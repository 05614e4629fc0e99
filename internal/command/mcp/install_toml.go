package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlServers is the table with the servers in a TOML file.
const tomlServers = "mcp_servers"

// configuredTOML sets the command and the arguments of the server's table, or adds the
// table at the end. The result is parsed: it differs from the file in these values only.
func configuredTOML(before []byte, program string, args []string) ([]byte, error) {
	expected := map[string]any{}
	if err := toml.Unmarshal(before, &expected); err != nil {
		return nil, fmt.Errorf("it is not valid TOML, %w (%w)", errByHand, err)
	}
	list := make([]any, len(args))
	quoted := make([]string, len(args))
	for i, arg := range args {
		list[i], quoted[i] = arg, tomlQuoted(arg)
	}
	values := map[string]any{"command": program, "args": list}
	servers, _ := expected[tomlServers].(map[string]any)
	server, exists := servers[serverName].(map[string]any)
	if exists && reflect.DeepEqual(server["command"], values["command"]) && reflect.DeepEqual(server["args"], values["args"]) {
		return before, nil
	}
	settings := []tomlSetting{{"command", tomlQuoted(program)}, {"args", "[" + strings.Join(quoted, ", ") + "]"}}
	text := string(before)
	if exists {
		text = withTOMLSettings(text, settings)
	} else {
		text = withTOMLTable(text, settings)
		server = map[string]any{}
	}
	server["command"], server["args"] = values["command"], values["args"]
	if servers == nil {
		servers = map[string]any{}
	}
	servers[serverName] = server
	expected[tomlServers] = servers
	after := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &after); err != nil || !reflect.DeepEqual(after, expected) {
		return nil, fmt.Errorf("the table of %s has no place of its own in it, %w", serverName, errByHand)
	}
	return []byte(text), nil
}

// tomlSetting is a key with its value in TOML.
type tomlSetting struct{ key, value string }

func (s tomlSetting) line(end string) string { return s.key + " = " + s.value + end }

// withTOMLTable adds the server's table at the end.
func withTOMLTable(text string, settings []tomlSetting) string {
	end := lineEnd(text)
	if text != "" {
		text = strings.TrimSuffix(text, end) + end + end
	}
	lines := []string{text, "[" + tomlServers + "." + serverName + "]" + end}
	for _, s := range settings {
		lines = append(lines, s.line(end))
	}
	return strings.Join(lines, "")
}

// withTOMLSettings sets values in the server's table, in their places or after its header,
// or else in a new table.
func withTOMLSettings(text string, settings []tomlSetting) string {
	for i, s := range slices.Backward(settings) {
		place := findTOML(text, s.key)
		switch {
		case place == tomlPlace{} && i == len(settings)-1:
			return withTOMLTable(text, settings)
		case place.value != [2]int{}:
			text = text[:place.value[0]] + s.value + text[place.value[1]:]
		case place.header > 0:
			end, line := lineEnd(text), text[:place.header]
			if !strings.HasSuffix(line, "\n") {
				line += end
			}
			text = line + s.line(end) + text[place.header:]
		}
	}
	return text
}

// tomlPlace is where a setting of the server is: its value, and the end of the line with
// the header of the server's table. They are 0 where the file has none.
type tomlPlace struct {
	value  [2]int
	header int
}

// findTOML finds a setting of the server in a valid file.
func findTOML(text, key string) (found tomlPlace) {
	var p unstable.Parser
	p.Reset([]byte(text))
	var table []string
	ours := []string{tomlServers, serverName}
	for p.NextExpression() {
		node := p.Expression()
		if node.Kind != unstable.Table && node.Kind != unstable.ArrayTable && node.Kind != unstable.KeyValue {
			continue
		}
		path, end := tomlKey(node)
		if node.Kind != unstable.KeyValue {
			if table = path; node.Kind == unstable.Table && slices.Equal(path, ours) {
				if found.header = len(text); strings.Contains(text[end:], "\n") {
					found.header = end + strings.Index(text[end:], "\n") + 1
				}
			}
			continue
		}
		if slices.Equal(slices.Concat(table, path), append(slices.Clone(ours), key)) {
			found.value = tomlValue(text, end, node.Value())
		}
	}
	return found
}

// tomlKey returns the parts of the key of a table or a setting, and where it ends.
func tomlKey(node *unstable.Node) (parts []string, end int) {
	for key := node.Key(); key.Next(); {
		parts = append(parts, string(key.Node().Data))
		end = int(key.Node().Raw.Offset + key.Node().Raw.Length)
	}
	return parts, end
}

// tomlValue returns where the value after a key begins and ends: a text or a list, as the
// settings of a server are. It is 0 for others.
func tomlValue(text string, keyEnd int, value *unstable.Node) [2]int {
	begin := keyEnd + strings.IndexByte(text[keyEnd:], '=') + 1
	begin += len(text[begin:]) - len(strings.TrimLeft(text[begin:], " \t"))
	switch value.Kind {
	case unstable.String:
		return [2]int{begin, begin + int(value.Raw.Length)}
	case unstable.Array:
		// The first end with which the list is valid is its own.
		for end := begin; end < len(text); end++ {
			if text[end] == ']' && toml.Unmarshal([]byte("list = "+text[begin:end+1]), &map[string]any{}) == nil {
				return [2]int{begin, end + 1}
			}
		}
	}
	return [2]int{}
}

// lineEnd returns how the lines of a text end.
func lineEnd(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// tomlQuoted returns a text as a string of TOML, whose escapes are those of JSON.
func tomlQuoted(text string) string {
	var out strings.Builder
	quoted := json.NewEncoder(&out)
	quoted.SetEscapeHTML(false)
	_ = quoted.Encode(text) //nolint:errchkjson // A text is always encoded, and a builder returns no errors.
	return strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\x7f", `\u007f`)
}
