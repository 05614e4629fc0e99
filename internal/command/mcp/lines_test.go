package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/command"
)

// A line of invalid JSON is answered as JSON-RPC requires, and the server continues.
func TestInvalidJSONLine(t *testing.T) {
	f := newFixture(t)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var errs bytes.Buffer
	var running sync.WaitGroup
	running.Go(func() {
		if code := f.run(context.Background(), fromClient, toClient, &errs, "mcp", "--read-only"); code != command.ExitDone {
			t.Errorf("the server ended with %d: %s", code, &errs)
		}
		_ = toClient.Close()
	})
	answers := bufio.NewScanner(fromServer)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, step := range []struct {
		line string
		code int // of the answer, 0 for a result
	}{
		{"this is not JSON", -32700},
		{hello, 0},
		{`{"jsonrpc":`, -32700},
		{`{"jsonrpc":"2.0","id":2,"method":"ping"} {}`, -32700},
		{" \r\n" + `{"jsonrpc":"2.0","id":3,"method":"ping"}`, 0},
	} {
		if _, err := io.WriteString(toServer, step.line+"\n"); err != nil {
			t.Fatalf("%s: %v", step.line, err)
		}
		if !answers.Scan() {
			t.Fatalf("%s: no answer", step.line)
		}
		var answer struct {
			ID     any
			Result any
			Error  struct{ Code int }
		}
		if err := json.Unmarshal(answers.Bytes(), &answer); err != nil || answer.Error.Code != step.code || (answer.ID == nil) != (step.code != 0) {
			t.Errorf("%s: the answer is %s, %v; want the code %d", step.line, answers.Text(), err, step.code)
		}
	}
	if err := toServer.Close(); err != nil {
		t.Fatal(err)
	}
	running.Wait()
}
