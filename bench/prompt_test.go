package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// BenchmarkPrompt is how long a prompt waits for "playctl status --short" beside a host with
// 100 agents of 16 KiB each that say what they do, in turns with a shell that does nothing
// and with "playctl status", which reads the whole map: the medians.
//
//	go test ./bench -run '^$' -bench Prompt -benchtime 100x
func BenchmarkPrompt(b *testing.B) {
	dir := b.TempDir()
	must(b, creds.WriteRootFile(filepath.Join(dir, "root"), creds.GenerateRootKey(), false))
	p := startAt(b, dir, "127.0.0.1:0", "--no-repository", "--rate-activity", "-1")
	defer p.Stop()
	crowd(b, p, 100)
	path := hostprocess.Binary(b)
	names := []string{"shell", "short", "whole"}
	commands := [][]string{{"sh", "-c", ":"}, {path, "status", "--short", "--server", p.URL()}, {path, "status", "--server", p.URL()}}
	took := make([][]time.Duration, len(commands))
	for b.Loop() {
		for i, c := range commands {
			from := time.Now()
			text, err := exec.Command(c[0], c[1:]...).CombinedOutput()
			took[i] = append(took[i], time.Since(from))
			if err != nil || i > 0 && !bytes.Contains(text, []byte("50 working · 50 waiting")) {
				b.Fatalf("%s: %v: %s", c, err, text)
			}
		}
	}
	for i, name := range names {
		slices.Sort(took[i])
		b.ReportMetric(took[i][len(took[i])/2].Seconds()*1e3, name+"-ms")
	}
}

// crowd puts agents on the map, half of them working and half waiting.
func crowd(b *testing.B, p *process, agents int) {
	b.Helper()
	var session protocol.SessionReply
	must(b, json.Unmarshal(p.get(b, "/api/play/session"), &session))
	post := func(path string, body any) {
		text, err := json.Marshal(body)
		must(b, err)
		res, err := http.Post(p.URL()+path+"?sid="+session.SID, "application/json", bytes.NewReader(text))
		must(b, err)
		must(b, res.Body.Close())
		if res.StatusCode != http.StatusOK {
			b.Fatalf("POST %s: %d", path, res.StatusCode)
		}
	}
	tool := map[string]any{"name": "assist_search", "description": strings.Repeat("a long description ", 16<<10/19), "parameters": map[string]any{}}
	for i := range agents {
		id := fmt.Sprint("agent", i)
		post("/api/play/players", map[string]any{
			"name": id, "type": "go", "agentId": id,
			"agent": map[string]any{"type": "go", "toolNames": []string{"chat_tool", "assist_search"}, "assistTools": []any{tool}},
		})
		state := []string{protocol.ActivityWorking, protocol.ActivityWaiting}[i%2]
		post("/api/play/sdk/rpc", map[string]any{"op": protocol.OpRecordActivity, "payload": map[string]any{"playerId": id, "state": state}})
	}
}
