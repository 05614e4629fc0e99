package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store/backup"
	"github.com/playctl/playctl/internal/store/migrate"
)

// results are what the commands print as JSON. Their fields are a promise: a
// new line in the golden file is a feature, a line that is gone breaks scripts.
func results() map[string]any {
	return map[string]any{
		"version":            versionResult{},
		"config show":        configResult{},
		"create-root-key":    rootKeyResult{},
		"create-main-node":   createdMainResult{},
		"create-agent-node":  createdAgentResult{},
		"create-api-key":     apiKeyResult{},
		"whoami":             whoamiResult{},
		"list-agent-nodes":   agentsResult{},
		"inspect-node":       mainResult{},
		"inspect-node agent": inspectedAgentResult{},
		"validate-node":      validationResult{},
		"delete-node":        deletedResult{},
		"credentials export": exportedResult{},
		"credentials clear":  clearedResult{},
		"context list":       contextsResult{},
		"context show":       contextResult{},
		"connect":            connectResult{},
		"add-agent":          playerResult{},
		"register-mcp":       mcpResult{},
		"record":             recordedResult{},
		"interactions":       interactionsResult{},
		"watch":              watchResult{},
		"tail":               eventResult{},
		"tail --record":      recordedLine{},
		"replay --check":     replayResult{},
		"chain show":         chainResult{},
		"chain verify-proof": proofVerdict{},
		"serve":              bannerResult{},
		"status":             statusResult{},
		"session reset":      resetResult{},
		"remove":             removedResult{},
		"nodes list":         nodesResult{},
		"nodes list item":    nodeItem{},
		"create-space":       createdSpaceResult{},
		"list-spaces":        spacesResult{},
		"inspect-space":      spaceResult{},
		"remove-space":       removedSpaceResult{},
		"intercom send":      answerResult{},
		"intercom serve":     programInput{},
		"store check":        checkResult{},
		"store compact":      compactResult{},
		"store backup":       backupResult{Info: backup.Info{}},
		"store acl":          aclResult{},
		"store migrate":      migrateResult{Report: migrate.Report{}},
	}
}

func TestJSONFields(t *testing.T) {
	t.Parallel()
	const path = "testdata/json-fields.txt"
	var lines []string
	for command, result := range results() {
		for _, field := range jsonFields(reflect.TypeOf(result)) {
			lines = append(lines, command+": "+field)
		}
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("what scripts rely on has changed; if that is meant, run: go test ./cmd/playctl -run TestJSONFields -update\n%s", diff)
	}
}

// jsonFields are the fields of a type in its JSON with their types, those inside
// others by their path; "?" marks one that may be absent.
func jsonFields(typ reflect.Type) []string {
	var fields []string
	for field := range typ.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if field.Anonymous && name == "" {
			fields = append(fields, jsonFields(field.Type)...)
			continue
		}
		if strings.Contains(options, "omit") {
			name += "?"
		}
		inner, kind := field.Type, ""
		if inner.Kind() == reflect.Slice && inner.Elem().Kind() != reflect.Uint8 {
			inner, kind = inner.Elem(), "[]"
		}
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]() {
			for _, below := range jsonFields(inner) {
				fields = append(fields, name+kind+"."+below)
			}
			continue
		}
		fields = append(fields, fmt.Sprintf("%s %s%s", name, kind, jsonKind(inner)))
	}
	return fields
}

func jsonKind(typ reflect.Type) string {
	switch {
	case typ == reflect.TypeFor[time.Time]() || typ.Kind() == reflect.String:
		return "string"
	case typ.Kind() == reflect.Bool:
		return "boolean"
	case typ.Kind() == reflect.Slice:
		return "object"
	}
	return "number"
}
