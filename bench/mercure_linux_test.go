package bench

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkMercure measures chat lines to many subscribers at a host and at a Mercure hub,
// another hub of server-sent events, in turns. The hub keeps no history, so it writes
// nothing to the disk. Its program is a module of its own, which this builds.
//
//	go test ./bench -run '^$' -bench Mercure -benchtime 1x
//
// Settings are those of BenchmarkTable.
func BenchmarkMercure(b *testing.B) {
	program := filepath.Join(b.TempDir(), "mercure")
	if text, err := exec.Command("go", "build", "-C", "mercure", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
	t := newTable(b)
	t.baseline, t.baselineName = startMercure(t, program), "mercure"
	for _, n := range []int{100, 1000} {
		t.row(fmt.Sprintf("chat line to %d subscribers, 16 writers", n), t.fanOut(http11, n, 0))
	}
	t.row("chat line to 1000 subscribers, 200 lines a second", t.fanOut(http11, 1000, 200))
}

// startMercure starts a hub whose publishers send the same data as a host's chat
// line event.
func startMercure(t *table, program string) *peer {
	t.b.Helper()
	const key = "a key of the benchmark, of 32 bytes or more"
	frame, err := os.ReadFile(filepath.Join(t.baselineDir, baselineFrame))
	must(t.b, err)
	_, data, _ := bytes.Cut(bytes.TrimSpace(frame), []byte("\ndata: "))
	form := url.Values{"topic": {"world"}, "type": {"world:fanout"}, "data": {string(data)}}.Encode()
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode([]byte(`{"mercure":{"publish":["*"]}}`))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(signed))
	line := fmt.Appendf(nil, "POST /.well-known/mercure HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s.%s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", signed, encode(mac.Sum(nil)), len(form), form)
	cmd := exec.Command(program, key)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t.b, err)
	must(t.b, cmd.Start())
	t.b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	addr, err := bufio.NewReader(out).ReadString('\n')
	must(t.b, err)
	return &peer{
		addr: strings.TrimSpace(addr), pid: cmd.Process.Pid, lines: [][]byte{line}, restart: func() {},
		events: []byte("GET /.well-known/mercure?topic=world HTTP/1.1\r\nHost: bench\r\n\r\n"),
	}
}
