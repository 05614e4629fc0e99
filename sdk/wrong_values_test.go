package sdk_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/playctl/playctl/protocol"
)

const wrongRoot = "00000000000000000000000000000000000000000000000000000000000000ff"

// hasErrorText reports whether one of the reported errors contains a text.
func (f *follower) hasErrorText(text string) bool {
	for _, err := range f.errors() {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

func (f *follower) hasError(target error) bool {
	for _, err := range f.errors() {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// mapChange changes the events that change the map.
func mapChange(change func(data map[string]any)) func(string, map[string]any) {
	return func(_ string, data map[string]any) {
		if data["playerChainNotify"] != nil {
			change(data)
		}
	}
}

func notifyOf(data map[string]any) map[string]any {
	return data["playerChainNotify"].(map[string]any)
}

func firstRef(data map[string]any) map[string]any {
	return notifyOf(data)["nodes"].([]any)[0].(map[string]any)
}

// wrongValue is a wrong value in an event, or in a reply, and its expected effects.
type wrongValue struct {
	event    func(data map[string]any)
	rpc      func(op protocol.Op, reply map[string]any)
	noInline bool
	// received is part of a reported error; "" if nothing is wrong.
	received string
	heals    uint64
	reads    uint64 // full reads, the first included
}

func wrongValues() map[string]wrongValue {
	many := make([]any, 5000)
	for i := range many {
		many[i] = map[string]any{"stableKey": fmt.Sprintf("mcp:%d", i), "leafIndex": i}
	}
	nodes := func(change func(nodes []any) []any) func(protocol.Op, map[string]any) {
		return func(op protocol.Op, reply map[string]any) {
			if op == protocol.OpGetPlayerChainNodes {
				reply["nodes"] = change(reply["nodes"].([]any))
			}
		}
	}
	return map[string]wrongValue{
		"a wrong root":       {event: func(d map[string]any) { d["merkleRootHex"] = wrongRoot }, received: "root", heals: 1, reads: 2},
		"a wrong leaf count": {event: func(d map[string]any) { d["merkleLeafCount"] = 99 }, received: "leaves", heals: 1, reads: 2},
		"a negative index":   {event: func(d map[string]any) { firstRef(d)["leafIndex"] = -7 }, reads: 1},
		"a huge index":       {event: func(d map[string]any) { firstRef(d)["leafIndex"] = 1e300 }, noInline: true, reads: 1},
		"a text as index":    {event: func(d map[string]any) { firstRef(d)["leafIndex"] = "0" }, received: "leafIndex", reads: 2},
		"a number as key":    {event: func(d map[string]any) { firstRef(d)["stableKey"] = 7 }, received: "stableKey", reads: 2},
		"a text as removed":  {event: func(d map[string]any) { firstRef(d)["removed"] = "yes" }, received: "removed", reads: 2},
		"nodes not a list":   {event: func(d map[string]any) { notifyOf(d)["nodes"] = "all" }, received: "nodes", reads: 2},
		"no time":            {event: func(d map[string]any) { delete(notifyOf(d), "updatedAt") }, received: "updatedAt", reads: 2},
		"a text as notify":   {event: func(d map[string]any) { d["playerChainNotify"] = "changed" }, received: "playerChainNotify", reads: 2},
		"an unknown key":     {event: func(d map[string]any) { firstRef(d)["stableKey"] = "dragon:1" }, noInline: true, received: "dragon", reads: 2},
		"another row's key":  {event: func(d map[string]any) { firstRef(d)["stableKey"] = "mcp:other" }, received: "mcp:other", reads: 2},
		"too many rows":      {event: func(d map[string]any) { notifyOf(d)["nodes"] = many }, noInline: true, reads: 2},
		"too few inline":     {event: func(d map[string]any) { d["playerChainNodes"] = d["playerChainNodes"].([]any)[1:] }, received: "inline", reads: 2},
		"unknown kind inline": {event: func(d map[string]any) {
			d["playerChainNodes"] = []any{map[string]any{"kind": "dragon", "stableKey": "x"}}
		}, received: "dragon", reads: 2},
		"a missing notify":   {event: func(d map[string]any) { delete(d, "playerChainNotify") }, received: "root", heals: 1, reads: 2},
		"a missing row":      {event: func(d map[string]any) { dropLastRow(d) }, received: "root", heals: 1, reads: 2},
		"another key's node": {rpc: nodes(func(n []any) []any { n[0].(map[string]any)["stableKey"] = "mcp:x"; return n }), noInline: true, received: "asked for", reads: 2},
		"too few nodes":      {rpc: nodes(func(n []any) []any { return n[1:] }), noInline: true, received: "nodes answer", reads: 2},
		"a number as node":   {rpc: nodes(func(n []any) []any { n[0] = 7; return n }), noInline: true, received: "cannot use the reply", reads: 2},
	}
}

func dropLastRow(data map[string]any) {
	for _, list := range []map[string]any{notifyOf(data), data} {
		for name, value := range list {
			if rows, ok := value.([]any); ok && (name == "nodes" || name == "playerChainNodes") {
				list[name] = rows[:len(rows)-1]
			}
		}
	}
}
