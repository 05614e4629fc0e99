package sdk_test

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func TestWrongActivityIsRefused(t *testing.T) {
	host := openHost(t)
	a, r := reporting(t, host, nil)
	negative, endless, nan := -1.0, math.Inf(1), math.NaN()
	for name, err := range map[string]error{
		"inputTokens":  a.Usage(t.Context(), protocol.Usage{InputTokens: &negative}),
		"outputTokens": a.Working(t.Context(), "", sdk.WithUsage(protocol.Usage{OutputTokens: &endless})),
		"costUsd":      a.Done(t.Context(), "", sdk.WithUsage(protocol.Usage{CostUSD: &nan})),
		"toolCalls":    a.Idle(t.Context(), "", sdk.WithUsage(protocol.Usage{ToolCalls: &negative})),
		"errors":       a.Failed(t.Context(), "", sdk.WithUsage(protocol.Usage{Errors: &negative})),
		"busy":         a.SetActivity(t.Context(), "busy", ""),
		"option 2":     a.Waiting(t.Context(), "", sdk.UsingTool("edit"), nil),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, a.Disconnect(t.Context()))
	if len(r.sent) != 0 {
		t.Errorf("sent %q", r.texts(time.Now()))
	}
}

// A host accepts whatever an agent says of itself: long, in lines, or not a text.
func TestAnyTextIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		a, r := reporting(t, host, nil)
		for _, text := range []string{
			strings.Repeat("ä ", 500), "one\x00two\x1b[31m", "\xff\xfe", " \n\t ", "a\u2028b", strings.Repeat("🙂", 300), "line\r\nline",
		} {
			must(t, a.Waiting(t.Context(), "x"+text, sdk.UsingTool(text)))
			wait(t, 2*time.Second)
			got := activityOf(t, host, "ada")
			if last := r.sent[len(r.sent)-1]; got == nil || got.Text != last.Text || got.ToolName != last.ToolName {
				t.Errorf("%q: the row has %+v, sent %+v", text, got, last)
			}
		}
	})
}
