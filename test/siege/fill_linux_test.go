//go:build full

package siege

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// recreatedSpace is the id of a space that the attacker removes and creates
// repeatedly.
const recreatedSpace = "comes-and-goes"

// full is how many bytes the snapshot of a full map has at least: the limit of bytes on
// the map that a host has with half of memory, but for less than one more space.
const full = 2<<20 - 32<<10

// wideText is a text of characters that have four bytes each.
func wideText(chars int) string { return strings.Repeat("\U0001F30D", chars) }

// attackAccounts are the attacker's account and as many more as it takes to fill the map, the
// last of them without an agent. What it takes to make them the host gives back later.
func attackAccounts(t *testing.T, host *hostprocess.Host, key string, a *attack) []*hostprocess.Account {
	t.Helper()
	return []*hostprocess.Account{
		{Main: a.Main, Agents: []hostprocess.Node{a.Agent}},
		hostprocess.NewAccount(t, host, key, "accomplice", 1),
		hostprocess.NewAccount(t, host, key, "another accomplice", 0),
	}
}

// fill makes the snapshot as large as possible, with the journey of the attacker's
// agent: accounts register the largest rows of agents, then the largest spaces
// until the host accepts no more.
func fill(t *testing.T, host *hostprocess.Host, a *attack, accounts []*hostprocess.Account) {
	t.Helper()
	id, refused := recreatedSpace, protocol.Code("")
	for i, account := range accounts {
		for _, agent := range account.Agents {
			agent.Must(t, host, hostprocess.Request{
				Method: http.MethodPost, Path: protocol.ServicePlay.Players() + "?sid=" + a.SID, Body: largeAgent(agent.ID),
			}, nil)
		}
		made := 0
		for refused = ""; refused == ""; id = fmt.Sprint(i, "-", made) {
			answer, err := account.Main.Do(t.Context(), http.DefaultClient, host.URL(), hostprocess.Request{
				Method: http.MethodPost, Path: protocol.ServicePlay.RPC() + "?sid=" + a.SID,
				Body: map[string]any{"op": "registerSpaceNode", "payload": largeSpace(id)},
			})
			if err != nil {
				t.Fatal(err)
			}
			made++
			refused = answer.Code
		}
		t.Logf("account %d has %d spaces; one more: %s", i, made-1, refused)
	}
	if refused != protocol.CodeStorageLimit {
		t.Errorf("a space beyond the limit was refused with %q, want %s", refused, protocol.CodeStorageLimit)
	}
	answer, err := a.Main.Do(t.Context(), http.DefaultClient, host.URL(), hostprocess.Request{
		Method: http.MethodGet, Path: protocol.ServicePlay.Snapshot() + "?sid=" + a.SID,
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(answer.Body); n < full || n > full+64<<10 {
		t.Errorf("the snapshot of a full map has %d bytes, want about %d", n, full)
	}
}

// largeSpace returns a space with the longest texts.
func largeSpace(id string) map[string]any {
	return map[string]any{
		"id": id, "name": wideText(protocol.MaxNameChars), "designKey": wideText(protocol.MaxDesignKeyChars), "amenities": []string{"shop"},
		"description": wideText(protocol.MaxDescriptionChars), "owner": map[string]any{"displayName": wideText(protocol.MaxNameChars)},
	}
}

// largeAgent returns a registration with the longest names, tools and instructions.
func largeAgent(id string) map[string]any {
	names := []string{protocol.ChatTool}
	for n := len(names); n < protocol.MaxToolNames; n++ {
		name := fmt.Sprint(protocol.AssistToolPrefix, n)
		names = append(names, name+wideText(protocol.MaxToolNameChars-len(name)))
	}
	const around = 1 << 10
	tool := map[string]any{
		"name": names[1], "description": strings.Repeat("d", protocol.MaxAssistToolsBytes-around), "parameters": map[string]any{},
	}
	return map[string]any{
		"name": wideText(protocol.MaxNameChars), "type": wideText(protocol.MaxTypeChars), "agentId": id,
		"realtimeInstructions": strings.Repeat("i", protocol.MaxRealtimeInstructionsBytes),
		"agent": map[string]any{
			"type": "test", "toolNames": names, "assistTools": []any{tool},
		},
	}
}
