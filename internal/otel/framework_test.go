package otel

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The spans of frameworks, recorded by test/integrations/otel.test.mjs, which runs
// the same agent in each: three tool calls, the second of which fails.
func TestRecordedFrameworks(t *testing.T) {
	t.Parallel()
	for _, framework := range []string{"ai", "ai7", "claude", "claude-code", "langchain", "openai-agents"} {
		for _, content := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %v", framework, content), func(t *testing.T) {
				t.Parallel()
				c := NewCollector(largeLimits(), &Rules{})
				if rejected, err := c.Add(zero, load(t, framework+".json", content)); err != nil || rejected != 0 {
					t.Fatalf("%d rejected, %v", rejected, err)
				}
				text, err := json.MarshalIndent(c.Flush(), "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				golden(t, fmt.Sprintf("%s-%v.golden.json", framework, content), append(text, '\n'))
				if strings.Contains(string(text), "/app") || !content && strings.Contains(string(text), "saturday") {
					t.Errorf("the text is not redacted:\n%s", text)
				}
			})
		}
	}
}
