package protocol_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

// TestEveryCodeConstantHasStatus finds a constant without a status.
func TestEveryCodeConstantHasStatus(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if !slices.Contains(protocol.Codes(), protocol.Code(value)) {
			t.Errorf("%s is not in the table", spec.Names[0].Name)
		}
		return true
	})
	if seen != len(protocol.Codes()) {
		t.Errorf("found %d constants for %d codes", seen, len(protocol.Codes()))
	}
}

func TestUnknownCodesAndStatuses(t *testing.T) {
	if got := protocol.Status("from_the_future"); got != 500 {
		t.Errorf("Status of an unknown code = %d, want 500", got)
	}
	for status, want := range map[int]protocol.Code{
		418: protocol.CodeBodyInvalid, 499: protocol.CodeBodyInvalid,
		502: protocol.CodeInternal, 599: protocol.CodeInternal,
		400: protocol.CodeBodyInvalid, 401: protocol.CodeCredentialsInvalid,
		403: protocol.CodeForbidden, 404: protocol.CodeNotFound,
		409: protocol.CodeNodeExists, 503: protocol.CodeStoreUnavailable,
	} {
		if got := protocol.CodeForStatus(status); got != want {
			t.Errorf("CodeForStatus(%d) = %s, want %s", status, got, want)
		}
	}
}

func TestErrorMatching(t *testing.T) {
	cause := errors.New("disk is full")
	err := error(protocol.WrapError(protocol.CodeStoreUnavailable, cause, "the store cannot be written"))
	wrapped := fmt.Errorf("append: %w", err)

	if !errors.Is(wrapped, &protocol.Error{Code: protocol.CodeStoreUnavailable}) {
		t.Error("errors.Is does not match on the code")
	}
	if errors.Is(wrapped, &protocol.Error{Code: protocol.CodeInternal}) {
		t.Error("errors.Is matches another code")
	}
	if errors.Is(wrapped, &protocol.Error{Code: protocol.CodeStoreUnavailable, Field: "x"}) {
		t.Error("errors.Is matches a field that the error does not have")
	}
	if !errors.Is(wrapped, cause) {
		t.Error("the cause is lost")
	}
	if strings.Contains(err.Error(), "disk") {
		t.Errorf("the text %q contains the cause", err.Error())
	}
	if got := protocol.CodeOf(wrapped); got != protocol.CodeStoreUnavailable {
		t.Errorf("CodeOf = %s", got)
	}
	if got := protocol.CodeOf(cause); got != protocol.CodeInternal {
		t.Errorf("CodeOf of another error = %s, want internal", got)
	}
	if got := protocol.CodeOf(nil); got != "" {
		t.Errorf("CodeOf(nil) = %s", got)
	}
	if !protocol.HasCode(wrapped, protocol.CodeBehind, protocol.CodeStoreUnavailable) || protocol.HasCode(wrapped, protocol.CodeBehind) || protocol.HasCode(cause, protocol.CodeInternal) {
		t.Error("HasCode is wrong")
	}
}

func TestFieldErrorNamesTheField(t *testing.T) {
	err := protocol.FieldError("agent.toolNames[3]", "has %d characters, at most %d are allowed", 200, 128)
	if err.Code != protocol.CodeBodyInvalid || err.Field != "agent.toolNames[3]" || err.Status() != 400 {
		t.Errorf("got %+v", err)
	}
	const want = "the field agent.toolNames[3] has 200 characters, at most 128 are allowed"
	if err.Message != want {
		t.Errorf("message %q, want %q", err.Message, want)
	}
	if got := err.Error(); got != want+" (body_invalid)" {
		t.Errorf("text %q", got)
	}
	if got := (&protocol.Error{Code: protocol.CodeBehind}).Error(); got != "behind" {
		t.Errorf("text of an error without a sentence: %q", got)
	}
	wireEqual(t, err.Body("r-1"), `{"error":"`+want+`","code":"body_invalid","requestId":"r-1"}`)
}

func TestParseErrorBody(t *testing.T) {
	long := strings.Repeat("ü", 5000)
	for name, c := range map[string]struct {
		status      int
		body        string
		code        protocol.Code
		message, id string
	}{
		"this contract":      {403, `{"error":"no","code":"sid_invalid","requestId":"a"}`, protocol.CodeSIDInvalid, "no", "a"},
		"agent-play service": {400, `{"error":"name is required"}`, protocol.CodeBodyInvalid, "name is required", ""},
		"a later code":       {409, `{"error":"no","code":"later"}`, "later", "no", ""},
		"error is an object": {500, `{"error":{"a":1}}`, protocol.CodeInternal, "the host answered with status 500", ""},
		"a page":             {502, `<html>Bad Gateway</html>`, protocol.CodeInternal, "the host answered with status 502", ""},
		"empty":              {503, ``, protocol.CodeStoreUnavailable, "the host answered with status 503", ""},
		"an array":           {404, `[]`, protocol.CodeNotFound, "the host answered with status 404", ""},
		"endless":            {404, `{"error":"` + long + `"}`, protocol.CodeNotFound, long[:2000], ""},
		"validation refused": {400, `{"ok":false,"reason":"node not found"}`, protocol.CodeBodyInvalid, "the host answered with status 400", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := protocol.ParseErrorBody(c.status, []byte(c.body))
			if e.Code != c.code || e.Message != c.message || e.RequestID != c.id || e.Status() != c.status {
				t.Errorf("got %s %q %q %d", e.Code, e.Message, e.RequestID, e.Status())
			}
		})
	}
}

func TestParseRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "": 0, "soon": 0,
		"99999999":                      24 * time.Hour,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10 * time.Second,
		"Fri, 02 Jan 2026 03:04:00 GMT": 0,
	} {
		if got := protocol.ParseRetryAfter(header, now); got != want {
			t.Errorf("ParseRetryAfter(%q) = %v, want %v", header, got, want)
		}
	}
}
